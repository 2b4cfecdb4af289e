"""A memory that is a server of the Model Context Protocol: its tools as plain functions, for an adapter to call. Needs the extra `mcp`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from memgauge.errors import MissingExtra, SystemFault
from memgauge.systems.faults import describe
from memgauge.systems.spec import REQUEST_LIMIT_S
from memgauge.systems.strays import CASE_MARK


class McpServer:
    """A server started over stdio. It ends with `close`.

    `argv` starts it; `env` is added to the few variables it inherits. Raises MissingExtra without the package `mcp`, SystemFault when it
    does not start, dies, or says nothing within `timeout_s` seconds.
    """

    def __init__(self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, timeout_s: float = REQUEST_LIMIT_S) -> None:
        try:
            from anyio.from_thread import start_blocking_portal
            from mcp import Client, StdioServerParameters
        except ImportError:
            raise MissingExtra("mcp", "mcp") from None
        mark = {CASE_MARK: os.environ[CASE_MARK]} if CASE_MARK in os.environ else {}
        server = StdioServerParameters(command=argv[0], args=list(argv[1:]), env={**mark, **(env or {})})
        with ExitStack() as opened:
            self._portal = opened.enter_context(start_blocking_portal())
            try:
                client = Client(server, read_timeout_seconds=timeout_s)
                self._client = opened.enter_context(self._portal.wrap_async_context_manager(client))
            except Exception as error:  # whatever a server of the user's breaks with is told in one line
                raise SystemFault(f"MCP server {argv[0]!r} did not start: {describe(_innermost(error))}", hint="try its command by hand") from error
            self._opened = opened.pop_all()

    def tools(self) -> list[str]:
        """The names of its tools, in its order."""
        return [tool.name for tool in self._answer("its list of tools", self._client.list_tools).tools]

    def call(self, tool: str, **arguments: Any) -> Any:
        """What a tool answers: its structured content, else its text, parsed where that is JSON. Raises SystemFault for an error."""
        result = self._answer(f"tool {tool!r}", self._client.call_tool, tool, arguments)
        text = "\n".join(part.text for part in result.content if part.type == "text")
        if result.is_error:
            raise SystemFault(f"MCP tool {tool!r} answered with an error: {text:.200}")
        if result.structured_content is not None:
            return result.structured_content
        try:
            return json.loads(text)
        except ValueError:
            return text

    def _answer(self, what: str, ask: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return self._portal.call(ask, *arguments)
        except Exception as error:  # whatever a server of the user's breaks with is told in one line
            raise SystemFault(f"MCP {what} broke: {describe(_innermost(error))}") from error

    def close(self) -> None:
        self._opened.close()


def _innermost(error: BaseException) -> BaseException:
    """What really happened, where task groups have wrapped it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
