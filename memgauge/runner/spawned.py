"""The system of a session once more, in a process of its own on the same root."""

from __future__ import annotations

from memgauge.errors import SystemFault
from memgauge.protocol import MemorySystem, Request
from memgauge.records import Json
from memgauge.runner.session import Session, ask
from memgauge.systems.process import ProcessSystem, child_argv
from memgauge.systems.tree import strike


class Spawned:
    """A second process. `open` before the first call, `kill` at the end, always."""

    def __init__(self, session: Session, process: ProcessSystem, config: Json) -> None:
        self.system: MemorySystem = process
        self._process = process
        self._session = session
        self._config = config

    def open(self) -> None:
        """Start it and open the session's root. Raises SystemFault."""
        now = self._session.now()
        ask(self._process, Request(op="describe", now=now))
        answer = ask(self._process, Request(op="open", now=now, args={"root": str(self._session.root), "config": self._config}))
        if answer["status"] != "ok":
            raise SystemFault(f"open in a second process: {answer['status']}: {answer.get('reason', 'no reason given')}")

    @property
    def pid(self) -> int | None:
        return self._process.pid

    def strike(self) -> None:
        """SIGKILL its whole tree while another thread may wait for an answer; that thread then gets a SystemFault."""
        if self.pid is not None:
            strike(self.pid)

    def kill(self) -> None:
        self._process.kill()


def spawned(session: Session, **config: object) -> Spawned:
    """A second process for the system of a session, with more configuration if given. Not started yet."""
    spec = session.spec.with_config(config)
    opener = f"{session.opener.__module__}:{session.opener.__qualname__}"
    argv = spec.argv if spec.kind == "command" else child_argv(spec, opener)
    return Spawned(session, ProcessSystem(argv, env=spec.env, folder=spec.folder, timeout_s=spec.timeout_s), dict(spec.config))
