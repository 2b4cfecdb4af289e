"""The gate of every write path: what of a text may be stored, in history and in memory."""

from __future__ import annotations

from memgauge.memory_ref.errors import Refused
from memgauge.memory_ref.policy import Policy
from memgauge.memory_ref.screen import Origin, Screened, screen


def spoken(policy: Policy, text: str) -> Screened:
    """A message of the conversation: kept for its thread, without secrets."""
    return screen(text, policy, origin="message")


def for_memory(policy: Policy, text: str, origin: Origin = "stated", *, review: bool = False) -> Screened:
    """A text on its way into long-term memory. Raises Refused when nothing of it may be kept, or when it would have to wait for
    the user's word and the caller has no place for that (`review` false)."""
    found = screen(text, policy, origin=origin)
    if found.verdict == "reject" or (found.verdict == "review" and not review):
        raise Refused(f"not saved: {found.reason}")
    if not found.text.strip():
        raise Refused("nothing is left to save" if text.strip() else "the text is empty")
    return found
