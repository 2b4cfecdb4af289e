"""Permission comes from policy. This module reads no table, so nothing remembered, recalled or inferred can grant anything,
and forgetting a wish not to do something allows nothing."""

from __future__ import annotations

from memgauge.memory_ref.policy import Policy
from memgauge.memory_ref.records import Reply


def authorise(policy: Policy, action: str) -> Reply:
    """Whether the policy lists the action, letter by letter. What is not listed needs the user's word in the moment."""
    allowed = action in policy.authorise
    return Reply(data={"allowed": allowed, "source": "policy" if allowed else "not listed in policy"})
