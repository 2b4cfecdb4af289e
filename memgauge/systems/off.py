"""`off`: no memory. The recent window of the current thread and the application's own texts, durable across a reopen.

The control that every memory must beat.
"""

from __future__ import annotations

from pathlib import Path

from memgauge.protocol import Manifest, Receipt, Request, unsupported
from memgauge.systems.conversation import Budget, Conversation, recent
from memgauge.systems.placebo import placebo


class Off:
    """Answers append, append_many and context. A context may carry `recent_extra` in its budget: tokens by which the
    window is wider than usual, so that a memory can be compared with the same tokens of plain recent history; or a `placebo`,
    `{tokens, texts}`, so that it can be compared with the same tokens of something else."""

    manifest = Manifest(
        name="off", verbs=dict.fromkeys(("append", "append_many", "context"), "native"),
        scope={"tenant": "enforced", "user": "enforced", "thread": "enforced"}, clock="argument", durable=True,
    )  # fmt: skip

    def __init__(self) -> None:
        self._log: Conversation | None = None

    def call(self, request: Request) -> Receipt:
        if request.op == "describe":
            return Receipt(status="ok", data={"manifest": self.manifest.to_json()})
        if request.op == "open":
            self._log = Conversation(request.args["root"])
            self.opened(Path(request.args["root"]))
            return Receipt(status="ok")
        if self._log is None:
            return Receipt(status="error", reason="not open")
        if request.op == "close":
            self._log.close()
            return Receipt(status="ok")
        if not self.manifest.supports(request.op):
            return unsupported(request.op)
        if not request.scope.user:
            return Receipt(status="refused", reason="a user is needed")
        return self.answer(request, self._log)

    def opened(self, root: Path) -> None:
        """For stand-ins that keep more than the conversation: read it."""

    def answer(self, request: Request, log: Conversation) -> Receipt:
        """Answer a verb of the manifest for a user who is named."""
        if request.op == "context":
            return self.context(request, log)
        log.append(request.scope, request.now, [request.args] if request.op == "append" else request.args["messages"])
        return Receipt(status="ok")

    def context(self, request: Request, log: Conversation) -> Receipt:
        budget = Budget(request)
        if (refusal := budget.refusal()) is not None:
            return refusal
        window = recent(log.thread(request.scope), budget)
        room = budget.total - budget.fixed - sum(map(budget.cost, window))
        items, block = placebo(budget.placebo["texts"], budget, min(budget.placebo["tokens"], room))
        return budget.prompt([*block, *window], items)
