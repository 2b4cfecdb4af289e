"""`evidence` and `verify`: what is packed can be judged again, says what was not tested, holds no message, and cannot be changed."""

from __future__ import annotations

import gzip
import json
import subprocess
import zipfile
from pathlib import Path

import pytest

from memgauge.reports import package
from memgauge.scenarios import builtin, compile_case
from tests.cli.conftest import SOME, Shell

Packed = tuple[Path, dict[str, bytes]]


@pytest.fixture(scope="module")
def packed(shell: Shell, some_run: tuple[Path, object], tmp_path_factory: pytest.TempPathFactory) -> Packed:
    """A package of the small run with its selftest, and its files, histories unpacked."""
    path = tmp_path_factory.mktemp("evidence") / "e.zip"
    done = shell("evidence", str(some_run[0]), "-o", str(path), "--by", "the memory team")
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(path) as container:
        files = {name: container.read(name) for name in container.namelist()}
    return path, files


@pytest.mark.slow
def test_it_verifies_and_every_case_is_judged_again(shell: Shell, packed: Packed) -> None:
    done = shell("verify", str(packed[0]), "--json")
    summary = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode, summary["rescored"], summary["not_rescored"], summary["differing"]) == (0, len(SOME) * 3, 0, [])


@pytest.mark.slow
def test_page_one_says_what_it_is_and_what_was_not_tested(packed: Packed) -> None:
    page, told = packed[1]["page.html"].decode(), json.loads(packed[1]["evidence.json"])
    assert page.index("Supports an audit.") < page.index("UNSIGNED") < page.index("<h2>")
    assert "says nothing of backups, logs or processors" in page
    assert "GDPR 17; AISVS C8" in page
    assert {"system": "reference", "claim": "consent", "why": "no check of this run asks for it"} in told["claims"]["not_tested"]
    assert told["selftest"]["ran"]
    assert told["selftest"]["caught"] > 0
    assert f"{told['selftest']['caught']} of {told['selftest']['planted']} were caught" in page
    assert {row["class"] for row in told["selftest"]["classes"]} <= {name.split("/")[0] for name in SOME}
    assert {"evaluators", "packages", "systems", "here", "run"} == told["versions"].keys()
    assert told["origin"]["by"] == "the memory team"


@pytest.mark.slow
def test_no_message_and_no_fact_is_in_it(packed: Packed) -> None:
    whole = b"\n".join(gzip.decompress(body) if name.endswith(".gz") else body for name, body in packed[1].items()).decode()
    plans = [compile_case(scenario, 0) for scenario in builtin() if scenario.id in SOME]
    said = {str(step.args["text"]) for plan in plans for step in plan.steps if step.args.get("text")}
    anchors = {word for plan in plans for fact in plan.facts.values() for group in fact.anchors for word in group}
    assert said
    assert [text for text in (*said, *anchors) if text in whole] == []


@pytest.mark.slow
def test_one_changed_byte_is_code_1(shell: Shell, packed: Packed, tmp_path: Path) -> None:
    body = bytearray(packed[0].read_bytes())
    body[len(body) // 2] ^= 1
    (tmp_path / "e.zip").write_bytes(body)
    done = shell("verify", str(tmp_path / "e.zip"))
    assert (done.returncode, done.stdout.startswith("CHANGED")) == (1, True)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["outcome", "claims", "page"])
def test_a_forgery_with_new_hashes_is_found_by_judging_again(shell: Shell, packed: Packed, tmp_path: Path, part: str) -> None:
    files = {name: body for name, body in packed[1].items() if name != package.STATEMENT}
    if part == "outcome":
        lines = [json.loads(line) for line in files["checks.jsonl"].splitlines()]
        next(line for line in lines if line["outcome"] == "fail")["outcome"] = "pass"
        files["checks.jsonl"] = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    elif part == "claims":
        told = json.loads(files["evidence.json"])
        told["claims"]["tested"][0]["passed"] += 1
        files["evidence.json"] = json.dumps(told).encode()
    else:
        files["page.html"] = files["page.html"].replace(b"UNSIGNED", b"signed")
    package.write(tmp_path / "e.zip", files)
    done = shell("verify", str(tmp_path / "e.zip"))
    assert done.returncode == 1, done.stdout


@pytest.mark.slow
def test_a_check_of_another_evaluator_is_not_judged_and_not_called_a_forgery(shell: Shell, packed: Packed, tmp_path: Path) -> None:
    files = {name: body for name, body in packed[1].items() if name != package.STATEMENT}
    lines = [json.loads(line) for line in files["checks.jsonl"].splitlines()]
    lines[0]["evaluator"] += 1
    files["checks.jsonl"] = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    package.write(tmp_path / "e.zip", files)
    done = shell("verify", str(tmp_path / "e.zip"))
    assert (done.returncode, "NOT AGAIN   1 × judged by another version" in done.stdout) == (0, True), done.stdout


def test_a_signed_package_names_its_key(shell: Shell, some_run: tuple[Path, object], tmp_path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(tmp_path / "key")], check=True)
    path = str(tmp_path / "e.zip")
    assert shell("evidence", str(some_run[0]), "-o", path, "--no-selftest", "--key", str(tmp_path / "key")).returncode == 0
    done = shell("verify", path, "--pubkey", str(tmp_path / "key.pub"))
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(path) as container:
        page = container.read("page.html").decode()
    assert "Signed by the key" in page
    assert "UNSIGNED" not in page
    assert "Not shown: it was left out" in page


@pytest.mark.slow
def test_the_page_of_another_version_is_not_called_a_forgery_and_not_vouched_for(shell: Shell, packed: Packed, tmp_path: Path) -> None:
    files = {name: body for name, body in packed[1].items() if name != package.STATEMENT}
    told = json.loads(files["evidence.json"])
    told["origin"]["memgauge"] = "0.0.1"
    files["evidence.json"] = json.dumps(told).encode()
    files["page.html"] = b"as it was then"
    package.write(tmp_path / "e.zip", files)
    done = shell("verify", str(tmp_path / "e.zip"))
    assert (done.returncode, "made by another version of memgauge" in done.stdout) == (4, True), done.stdout


def test_the_page_has_a_dark_face_and_is_printed_light(packed: Packed) -> None:
    style = packed[1]["page.html"].decode().partition("</style>")[0]
    assert style.index("prefers-color-scheme: dark") < style.index("@media print { :root { color-scheme: light")
    assert style.count("#16191d") == 1, "colours are variables"


PRIVATE = """\
id: incident/private
content: private
say: ["The alarm code is Quillfeather.", "My tea is green."]
ask: "What is the alarm code?"
expect: "Quillfeather"
"""
OPEN = """\
id: incident/open
say: ["The locker code is 4711.", "My tea is green."]
ask: "What is the locker code?"
expect: "4711"
"""


@pytest.mark.slow
def test_private_cases_count_and_are_said_not_to_be_judged_again_and_rulings_go_along(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "scenarios").mkdir()
    for name, text in (("private", PRIVATE), ("open", OPEN)):
        (tmp_path / "scenarios" / f"{name}.yaml").write_text(text)
    (tmp_path / "memgauge.yaml").write_text("version: 1\nsuites: [scenarios/]\n")
    (tmp_path / "labels.yaml").write_text("incident/open: {expected_1: {0123456789abcdef: true}}\n")
    assert shell("run", "--arm", "on", "--out", "r", cwd=tmp_path).returncode == 0
    done = shell("evidence", "r", "-o", "e.zip", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(tmp_path / "e.zip") as container:
        files = {name: container.read(name) for name in container.namelist()}
    whole = b"".join(gzip.decompress(body) if name.endswith(".gz") else body for name, body in files.items())
    assert b"Quillfeather" not in whole
    assert b"1 of 2 cases are sealed" in files["page.html"]
    assert json.loads(files["rulings.json"]) == {"incident/open": {"expected_1": {"0123456789abcdef": True}}}
    (tmp_path / "labels.yaml").unlink()
    done = shell("verify", "e.zip", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "NOT AGAIN   1 × private" in done.stdout
    refused = shell("evidence", "r", "-o", "f.zip", "--no-selftest", cwd=tmp_path)
    assert (refused.returncode, "judged by other rulings" in refused.stderr, (tmp_path / "f.zip").exists()) == (2, True, False)
    assert shell("run", "incident/private", "--arm", "on", "--out", "p", cwd=tmp_path).returncode == 0
    assert shell("evidence", "p", "-o", "p.zip", "--no-selftest", cwd=tmp_path).returncode == 0
    done = shell("verify", "p.zip", cwd=tmp_path)
    assert (done.returncode, "not all of it could be made again" in done.stdout) == (4, True), "hashes hold, and nothing can be judged"
