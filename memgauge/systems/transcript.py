"""`transcript`: everything the user ever said, in every prompt, whatever the budget. The upper bound of what can be recalled and of what it costs."""

from __future__ import annotations

from dataclasses import replace

from memgauge.protocol import Receipt, Request
from memgauge.systems.conversation import Budget, Conversation, paired, rendered
from memgauge.systems.off import Off


class Transcript(Off):
    """As `off`, with all threads of the user before the current one."""

    manifest = replace(Off.manifest, name="transcript")

    def context(self, request: Request, log: Conversation) -> Receipt:
        budget = Budget(request)
        here = log.thread(request.scope)
        known = {message["message_id"] for message in here}
        elsewhere = [message for message in log.of_user(request.scope) if message["message_id"] not in known]
        items = [{"id": m["message_id"], "kind": "message", "section": "recall", "role": m["role"], "text": m["text"]} for m in elsewhere]
        return budget.prompt(paired([rendered(m) for m in (*elsewhere, *here)]), items)
