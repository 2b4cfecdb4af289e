"""The files that `init` writes: a scenario, a gate, a project file, and a job for one's continuous integration."""

from __future__ import annotations

SCHEMAS = {kind: f".memgauge/{kind}.schema.json" for kind in ("scenario", "gate", "project")}
"""By kind of file: where `init` puts the schema for editors. They are made, not written: a newer memgauge writes them anew."""


def modeline(schema: str) -> str:
    """The two comments by which editors find a schema: that of the YAML language server, and that of JetBrains."""
    return f"# yaml-language-server: $schema={schema}\n# $schema: {schema}\n"


SCENARIO = f"""\
{modeline(f"../{SCHEMAS['scenario']}")}\
# What once went wrong, as a scenario: what was said, what is asked, what must and must not reach the prompt.
id: starter/moved-house
title: A move replaces the old city
say:
  - "I live in Ghent."
  - "I moved to Lyon."
ask: "Where do I live now?"
expect: "Lyon"
never: "Ghent"
"""

PROJECT = f"""\
{modeline(f"./{SCHEMAS['project']}")}\
version: 1
suites: [builtin@1, scenarios/]
gate: gate.yaml
# systems: memgauge system new mine
"""

GATE = f"""\
{modeline(f"./{SCHEMAS['gate']}")}\
version: 1
# In a pull request, `--baseline git:origin/main` reads what is accepted from the target branch.
baseline: {{ref: main}}
rules:
  - {{id: nobody-is-harmed, rule: all_pass, select: {{kinds: [leak, deleted, residue, not_permitted]}}}}
  - {{id: no-regressions, rule: no_regressions}}
  - {{id: worth-its-tokens, rule: contrast, minus: recent-equal, inconclusive: warn}}
  - {{id: tokens, rule: growth, measure: tokens_total, stat: p95, rel: 0.05, abs: 20}}
"""

GITHUB = """\
name: memory
on:
  pull_request:
  push: {branches: [main]}
permissions: {contents: read, pull-requests: write} # the second for the one comment; a fork gets neither to write
concurrency: {group: "memory-${{ github.ref }}", cancel-in-progress: true}
jobs:
  memgauge:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with: {fetch-depth: 0}
      - uses: actions/setup-python@v5
        with: {python-version: "3.12"}
      - name: Install
        run: pip install memgauge
      - name: Run
        # The gate decides, not the run: a known failure is no reason to stop here.
        run: memgauge run --out runs/head --exit-zero
      - name: Gate
        env:
          MEMGAUGE_TOKEN: ${{ github.token }} # not in the step above, where the memory under test runs
        run: |
          code=0
          memgauge gate runs/head --md comment.md || code=$?
          memgauge report runs/head --format annotations
          if [ -f comment.md ]; then
            cat comment.md >> "$GITHUB_STEP_SUMMARY"
            memgauge comment comment.md || true
          fi
          exit "$code"
      - uses: actions/upload-artifact@v4
        if: always()
        with: {name: memgauge, path: runs/head}
"""

GITLAB = """\
# In .gitlab-ci.yml: include: {local: memgauge.gitlab-ci.yml}
# For the verdict as a note on the merge request: a project access token with scope api, as the masked variable MEMGAUGE_TOKEN.
memgauge:
  image: python:3.12
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  script:
    - pip install memgauge
    - memgauge run --out runs/head --exit-zero
    - memgauge report runs/head --format junit --to junit.xml
    - |
      code=0
      memgauge gate runs/head --md comment.md || code=$?
      if [ -f comment.md ]; then memgauge comment comment.md || true; fi
      exit "$code"
  artifacts:
    when: always
    paths: [runs/head, comment.md]
    reports: {junit: junit.xml}
"""

CI = {"github": (".github/workflows/memgauge.yml", GITHUB), "gitlab": ("memgauge.gitlab-ci.yml", GITLAB)}
"""By the name of a host: the file that a job for it is written to, and the job."""

FILES = {"scenarios/moved-house.yaml": SCENARIO, "gate.yaml": GATE, "memgauge.yaml": PROJECT}

EDITOR = (
    ".vscode/settings.json",
    f"""\
{{
  "yaml.schemas": {{
    "{SCHEMAS["scenario"]}": ["scenarios/**/*.yaml", "*.mem.yaml"],
    "{SCHEMAS["gate"]}": "gate.yaml",
    "{SCHEMAS["project"]}": "memgauge.yaml"
  }}
}}
""",
)
"""The same for VS Code, for files without a modeline."""
