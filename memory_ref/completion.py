"""A chat model behind any endpoint that speaks OpenAI's `POST /chat/completions`. Off by default; the standard library alone.

The model is asked for one JSON object and believed in nothing: `model_digest` and `model_capture` hold its words against the
messages. A call that fails is an `Answer` with a reason, never an exception: the rules go on without it.
"""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from typing import Any

from memgauge.clock import wall_ms
from memgauge.errors import InputError
from memgauge.memory_ref.counting import cached_counter
from memgauge.memory_ref.policy import Model
from memgauge.tokens import DEFAULT_ENCODING

MOST_BYTES = 1_000_000
"""Longest answer that is read. A summary or a list of candidates has a few thousand bytes."""
_PAUSE_MS = 200.0
"""Before the first repetition; doubled for each further one."""
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Answers that may be different a moment later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of one question. `data`: the JSON object that was answered, empty when `failure` says why there is none.
    The cost counts repetitions: `calls` sent, `tokens` in and out as the server counted them (else as we do), `ms` waited."""

    data: Mapping[str, Any]
    failure: str = ""
    model: str = ""
    calls: int = 0
    tokens: int = 0
    ms: float = 0.0

    def cost(self) -> dict[str, Any]:
        """The cost as it goes into the operation log."""
        return {"model": self.model, "calls": self.calls, "tokens": self.tokens, "ms": round(self.ms, 3)}


Ask = Callable[[str, str], Answer]
"""(instructions, material) → answer."""


def client(policy: Model) -> Ask | None:
    """The model that a policy names; None when it names none. The key is read from the environment once, here.

    Raises InputError when the model has no name, or the variable named for its key is not set.
    """
    if not policy.enabled:
        return None
    if not policy.name:
        raise InputError("a model that is enabled needs its name", where="policy: model.name", hint="the name that the endpoint knows it by")
    if policy.key_env and not os.environ.get(policy.key_env):
        raise InputError(
            f"the environment variable {policy.key_env} is not set", where="policy: model.key_env", hint="set it, or leave key_env empty"
        )
    return _Client(policy, os.environ.get(policy.key_env, "") if policy.key_env else "").ask


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry key and conversation to a host that nobody named."""

    def redirect_request(self, *arguments: Any, **named: Any) -> None:
        return None


class _Failed(Exception):
    """One attempt failed. `passing`: another one may succeed."""

    def __init__(self, reason: str, *, passing: bool) -> None:
        super().__init__(reason)
        self.passing = passing


class _Client:
    def __init__(self, policy: Model, key: str) -> None:
        self._policy = policy
        self._opener = urllib.request.build_opener(_NoRedirect)
        self._headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}

    def ask(self, instructions: str, material: str) -> Answer:
        """One question, repeated at most `retries` times, all within `timeout_s`."""
        started = wall_ms()
        last = started + self._policy.timeout_s * 1000
        calls, failure = 0, ""
        while True:
            calls += 1
            try:
                data, tokens = self._attempt(instructions, material, last)
                return Answer(data=data, model=self._policy.name, calls=calls, tokens=tokens, ms=wall_ms() - started)
            except _Failed as error:
                failure = str(error)
                pause = _PAUSE_MS * 2 ** (calls - 1)
                if not error.passing or calls > self._policy.retries or wall_ms() + pause >= last:
                    return Answer(data={}, failure=failure, model=self._policy.name, calls=calls, ms=wall_ms() - started)
            time.sleep(pause / 1000)

    def _attempt(self, instructions: str, material: str, last: float) -> tuple[Mapping[str, Any], int]:
        body = {
            "model": self._policy.name,
            "temperature": 0,
            "max_tokens": self._policy.max_output_tokens,
            "messages": [{"role": "system", "content": instructions}, {"role": "user", "content": material}],
        }
        url = f"{self._policy.base_url.rstrip('/')}/chat/completions"
        request = urllib.request.Request(url, json.dumps(body).encode(), self._headers, method="POST")
        try:
            with self._opener.open(request, timeout=max(0.001, (last - wall_ms()) / 1000)) as response:
                raw = _read(response, last)
        except urllib.error.HTTPError as error:
            error.close()
            raise _Failed(f"the model's endpoint answered with status {error.code}", passing=error.code in _PASSING) from error
        except TimeoutError as error:
            raise _Failed("the model did not answer in time", passing=False) from error
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise _Failed("the model did not answer in time", passing=False) from error
            raise _Failed(f"the model's endpoint cannot be reached ({type(reason).__name__})", passing=True) from error
        text, used = _spoken(raw)
        count = cached_counter(DEFAULT_ENCODING)
        return _object(text), count(instructions) + count(material) + count(text) if used is None else used


def _read(response: HTTPResponse, last: float) -> bytes:
    """The body, within the time that is left: the socket's own limit is for each piece, and a slow server sends many."""
    data = b""
    while piece := response.read1(65_536):
        data += piece
        if len(data) > MOST_BYTES:
            raise _Failed("the model's answer is too long", passing=False)
        if wall_ms() > last:
            raise TimeoutError
    return data


def _spoken(raw: bytes) -> tuple[str, int | None]:
    """The text of the answer and the tokens that the server says it cost."""
    try:
        answer = json.loads(raw)
        text = answer["choices"][0]["message"]["content"]
        total = (answer.get("usage") or {}).get("total_tokens")
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise _Failed("the model's endpoint answered something else than a chat completion", passing=False) from error
    if not isinstance(text, str):
        raise _Failed("the model answered no text", passing=False)
    return text, total if isinstance(total, int) and not isinstance(total, bool) and total >= 0 else None


def _object(text: str) -> Mapping[str, Any]:
    """The JSON object in an answer; words and code fences around it are left aside."""
    try:
        found = json.loads(text[text.index("{") : text.rindex("}") + 1])
    except (ValueError, RecursionError) as error:
        raise _Failed("the model answered no JSON object", passing=False) from error
    return dict(found)
