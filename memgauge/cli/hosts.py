"""GitHub and GitLab as far as one comment on a change needs them. Nothing is posted without a token, and no redirect is followed with it."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIMIT_S = 20.0
PAGE = 100
"""Comments that both hosts give at once, at most."""

TOKEN = "MEMGAUGE_TOKEN"
"""Variable with the token. There is no flag for it: arguments are seen by everybody on the machine."""


class NotPosted(Exception):
    """Why nothing was posted, in words for a log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """Where the comments of one change are. `edit_url` takes the id of a comment; `change` is how people call it. `only_bots`: the token is
    that of a bot, so what people wrote is not ours, even if they copied it."""

    change: str
    list_url: str
    edit_url: str
    edit_method: str
    headers: Mapping[str, str]
    only_bots: bool = False

    def comments(self) -> Iterator[tuple[int, str]]:
        """Id and text of every comment that may be ours, oldest first. Raises NotPosted."""
        page = 1
        while True:
            found = self._ask("GET", f"{self.list_url}?per_page={PAGE}&page={page}&sort=asc")
            if not isinstance(found, list):
                raise NotPosted(f"{self.list_url} answers with no list")
            for one in found:
                if not self.only_bots or one.get("user", {}).get("type") == "Bot":
                    yield int(one["id"]), str(one.get("body") or "")
            if len(found) < PAGE:
                return
            page += 1

    def create(self, text: str) -> None:
        """Raises NotPosted."""
        self._ask("POST", self.list_url, {"body": text})

    def update(self, number: int, text: str) -> None:
        """Raises NotPosted."""
        self._ask(self.edit_method, self.edit_url.format(number), {"body": text})

    def _ask(self, method: str, url: str, body: Mapping[str, str] | None = None) -> Any:
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(url, data=data, method=method, headers={**self.headers, "Content-Type": "application/json"})
        try:
            with _OPENER.open(request, timeout=LIMIT_S) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            why = "; the token may not write here, as that of a pull request from a fork" if error.code in (401, 403, 404) else ""
            raise NotPosted(f"{method} {url}: {error.code} {error.reason}{why}") from None
        except (OSError, ValueError) as error:
            raise NotPosted(f"{method} {url}: {error}") from None


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, which would carry the token elsewhere."""

    def redirect_request(self, *parts: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_Stay)


def host() -> Host:
    """The host that this job runs on and the change it is for. Raises NotPosted where there is no token or no change."""
    env = os.environ
    token = env.get(TOKEN, "").strip()
    if not token:
        raise NotPosted(f"{TOKEN} is not set; a pull request from a fork has no token")
    if env.get("GITLAB_CI"):
        return _gitlab(env, token)
    if env.get("GITHUB_ACTIONS"):
        return _github(env, token)
    raise NotPosted("this is no job of GitHub or GitLab")


def _github(env: Mapping[str, str], token: str) -> Host:
    try:
        event = json.loads(Path(env.get("GITHUB_EVENT_PATH", "")).read_text(encoding="utf-8"))
        number = int(event["pull_request"]["number"])
    except (OSError, ValueError, KeyError, TypeError):
        raise NotPosted("this job is for no pull request") from None
    api = f"{env.get('GITHUB_API_URL', 'https://api.github.com')}/repos/{env.get('GITHUB_REPOSITORY', '')}/issues"
    bot = token.startswith("ghs_")  # the tokens of apps, as that of a job
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json", "User-Agent": "memgauge"}
    return Host(
        change=f"pull request {number}", list_url=f"{api}/{number}/comments", edit_url=f"{api}/comments/{{}}", edit_method="PATCH", headers=headers,
        only_bots=bot,
    )  # fmt: skip


def _gitlab(env: Mapping[str, str], token: str) -> Host:
    number = env.get("CI_MERGE_REQUEST_IID", "")
    if not number.isdecimal():
        raise NotPosted("this job is for no merge request")
    notes = f"{env.get('CI_API_V4_URL', '')}/projects/{env.get('CI_PROJECT_ID', '')}/merge_requests/{number}/notes"
    headers = {"PRIVATE-TOKEN": token, "User-Agent": "memgauge"}
    return Host(change=f"merge request {number}", list_url=notes, edit_url=f"{notes}/{{}}", edit_method="PUT", headers=headers)
