"""One comment on a change: begun when something changed, updated when that is another, silent otherwise; against a small server that
stands in for GitHub and GitLab, and by the steps of action, job and snippet as they are written."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from memgauge.cli import run_command
from memgauge.reports import comment
from tests.cli.conftest import Shell
from tests.cli.test_starting import OWN, ROOT, _github, _made, _steps

TOKEN = "t-123"


class Api:
    """Comments of pull request 7, and what was asked for."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.tokens: set[str] = set()
        self.refuses = 0
        api = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                page = int(self.path.partition("&page=")[2].partition("&")[0])
                self._answer("GET", lambda: api.comments[(page - 1) * 100 : page * 100])

            def do_POST(self) -> None:
                self._answer("POST", lambda: api.add(self._text()))

            def do_PATCH(self) -> None:
                self._answer("PATCH", lambda: api.change(int(self.path.rpartition("/")[2]), self._text()))

            do_PUT = do_PATCH

            def _text(self) -> str:
                return str(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"])

            def _answer(self, method: str, make: Any) -> None:
                api.asked.append(f"{method} {self.path.partition('?')[0]}")
                api.tokens.add(self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN") or "")
                self.send_response(api.refuses or 200)
                self.end_headers()
                self.wfile.write(json.dumps({"message": "no"} if api.refuses else make()).encode())

            def log_message(self, *parts: Any) -> None:
                """Nothing is logged."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def add(self, body: str) -> dict[str, Any]:
        self.comments.append({"id": len(self.comments) + 1, "body": body})
        return self.comments[-1]

    def change(self, number: int, body: str) -> dict[str, Any]:
        self.comments[number - 1]["body"] = body
        return self.comments[number - 1]

    @property
    def writes(self) -> list[str]:
        return [line for line in self.asked if not line.startswith("GET")]


@pytest.fixture
def api() -> Iterator[Api]:
    made = Api()
    yield made
    made.server.shutdown()
    made.server.server_close()


def job(api: Api, folder: Path, host: str, token: str = TOKEN) -> dict[str, str]:
    """The variables that a job of a pull request sees."""
    if host == "gitlab":
        return {"GITLAB_CI": "true", "CI_API_V4_URL": api.url, "CI_PROJECT_ID": "5", "CI_MERGE_REQUEST_IID": "7", "MEMGAUGE_TOKEN": token}
    event = folder / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7}}))
    return {"GITHUB_ACTIONS": "true", "GITHUB_API_URL": api.url, "GITHUB_REPOSITORY": "a/b", "GITHUB_EVENT_PATH": str(event), "MEMGAUGE_TOKEN": token}


def written(path: Path, state: str, *, quiet: bool, name: str = "gate", text: str = "hello") -> str:
    path.write_text(f"{comment.head(name, [state], quiet=quiet)}\n{text}\n")
    return str(path)


def put(file: str, env: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What the command says that it did; it never fails the job."""
    for name in ("GITLAB_CI", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert run_command(["comment", file]) == 0
    return capsys.readouterr().out.partition(":")[0]


@pytest.mark.parametrize("host", ["github", "gitlab"])
def test_it_is_begun_once_updated_when_the_state_is_another_and_silent_when_nothing_changed(
    api: Api, tmp_path: Path, host: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    env, file = job(api, tmp_path, host), tmp_path / "c.md"
    api.comments += [{"id": n + 1, "body": f"remark {n}"} for n in range(150)]
    assert put(written(file, "green", quiet=True), env, monkeypatch, capsys) == "silent"
    assert api.writes == []
    assert put(written(file, "red", quiet=False), env, monkeypatch, capsys) == "created"
    assert put(written(file, "red", quiet=False, text="a number moved"), env, monkeypatch, capsys) == "unchanged"
    assert put(written(file, "green", quiet=True), env, monkeypatch, capsys) == "updated", "red is not left standing"
    assert put(written(file, "red", quiet=False, name="other gate"), env, monkeypatch, capsys) == "created", "another gate has another comment"
    assert [one["body"] for one in api.comments[150:]] == [Path(file).read_text().replace("other gate", "gate").replace(
        comment.head("gate", ["red"], quiet=False), comment.head("gate", ["green"], quiet=True)), Path(file).read_text()]  # fmt: skip
    place = "/repos/a/b/issues/7/comments" if host == "github" else "/projects/5/merge_requests/7/notes"
    edit = "PATCH /repos/a/b/issues/comments/151" if host == "github" else "PATCH /projects/5/merge_requests/7/notes/151"
    assert api.writes == [f"POST {place}", edit, f"POST {place}"]
    assert api.tokens == {f"Bearer {TOKEN}" if host == "github" else TOKEN}


def test_what_a_person_copied_is_left_alone_by_the_token_of_a_job(
    api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, env = tmp_path / "c.md", job(api, tmp_path, "github", token="ghs_1")
    theirs = comment.head("gate", ["green"], quiet=True) + "\nlook what it said"
    api.comments.append({"id": 1, "body": theirs, "user": {"type": "User"}})
    assert put(written(file, "red", quiet=False), env, monkeypatch, capsys) == "created"
    api.comments[1]["user"] = {"type": "Bot"}
    assert put(written(file, "green", quiet=True), env, monkeypatch, capsys) == "updated"
    assert [one["id"] for one in api.comments if one["body"] == theirs] == [1]


@pytest.mark.parametrize("broken", ["no token", "no change", "read only", "away", "moved", "no host"])
def test_what_cannot_be_posted_is_said_and_fails_nothing(
    api: Api, tmp_path: Path, broken: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    env = job(api, tmp_path, "github", token="" if broken == "no token" else TOKEN)
    if broken == "no change":
        (tmp_path / "event.json").write_text('{"ref": "refs/heads/main"}')
    elif broken in ("read only", "moved"):
        api.refuses = 403 if broken == "read only" else 302
    elif broken == "away":
        env["GITHUB_API_URL"] = "http://127.0.0.1:9"
    elif broken == "no host":
        env.pop("GITHUB_ACTIONS")
    assert put(written(tmp_path / "c.md", "red", quiet=False), env, monkeypatch, capsys) == "not posted"
    assert (api.writes, api.comments) == ([], [])
    assert bool(api.asked) == (broken in ("read only", "moved"))


def test_a_file_that_is_no_comment_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "c.md").write_text("## hello")
    for path, why in ((tmp_path / "c.md", "is no comment of memgauge"), (tmp_path / "none.md", "cannot be read")):
        assert run_command(["comment", str(path)]) == 2
        assert why in capsys.readouterr().err
    (tmp_path / "c.md").write_text(comment.head("gate", [], quiet=False) + "\n" + "x" * comment.LIMIT)
    assert run_command(["comment", str(tmp_path / "c.md")]) == 2


def test_a_name_cannot_end_the_hidden_line() -> None:
    text = comment.head("gate a--><b>.yaml", [1], quiet=True) + "\nhello"
    found = comment.parse(text.replace("\n", "\r\n"))
    assert found is not None
    assert (found.name, found.quiet) == ("gate a___b_.yaml", True)
    assert comment.parse("> " + text) is None, "a quotation is not ours"


@pytest.mark.slow
@pytest.mark.parametrize("host", ["github", "gitlab", "action"])
def test_the_steps_of_a_job_keep_one_comment(shell: Shell, tmp_path: Path, api: Api, host: str) -> None:
    """No baseline: said. Accepted and unchanged: the comment turns green. Broken: flip and stage are named, once. A fork: nothing."""
    _made(shell, tmp_path, *(["--ci", host] if host != "action" else []))
    if host == "gitlab":
        scripts = [
            (line, job(api, tmp_path, host)) for line in yaml.safe_load((tmp_path / "memgauge.gitlab-ci.yml").read_text())["memgauge"]["script"]
        ]
    else:
        text = (ROOT / "action.yml" if host == "action" else tmp_path / ".github/workflows/memgauge.yml").read_text()
        defaults = {name: told["default"] for name, told in yaml.safe_load(text).get("inputs", {}).items()}
        given = {"args": "starter/* -j 1", "token": TOKEN} if host == "action" else {}
        env = {name: value for name, value in job(api, tmp_path, host).items() if name != "MEMGAUGE_TOKEN"}
        scripts = [(run, own | env) for run, own in _github(text.replace("${{ github.token }}", TOKEN), defaults | given)]
    assert _steps(tmp_path, scripts)[0] == 4
    assert "memgauge baseline set main --reason TEXT" in api.comments[0]["body"]
    assert shell("baseline", "set", "main", "runs/head", "--reason", "first", cwd=tmp_path).returncode == 0
    assert _steps(tmp_path, scripts)[0] == 0
    assert "the gate holds" in api.comments[0]["body"]
    (tmp_path / "memgauge.yaml").write_text(OWN + "systems: {reference: {system: embed-all}}\ndefault: reference\n")
    assert _steps(tmp_path, scripts)[0] == 1
    assert "- **regressed** `starter/moved-house[reference]" in api.comments[0]["body"]
    assert "Lost at **" in api.comments[0]["body"]
    assert (len(api.comments), len(api.writes)) == (1, 3)
    fork = [(run, env | ({"MEMGAUGE_TOKEN": ""} if "MEMGAUGE_TOKEN" in env else {})) for run, env in scripts]
    code, said = _steps(tmp_path, fork)
    assert (code, "not posted: MEMGAUGE_TOKEN is not set" in said, len(api.writes)) == (1, True, 3), said
