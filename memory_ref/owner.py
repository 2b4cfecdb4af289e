"""Whose store it is: the name of its folder, and the tag that its record ids carry.

A folder is named sha256(len ‖ tenant ‖ len ‖ user) over the exact UTF-8 bytes, lengths as eight bytes big-endian. Ids of users are
never trimmed, folded or matched by pattern, and none stands in a path, so look-alikes are strangers.
"""

from __future__ import annotations

import functools
import hashlib

from memgauge.memory_ref.errors import Refused
from memgauge.records import Scope

TAG = 6
"""Hexadecimal digits of the folder's name in each record id, so that one user's id is nobody else's: a call with it finds nothing there."""


def folder_name(scope: Scope) -> str:
    """The folder of a scope's tenant and user. Raises Refused for an id that is missing, empty, blank or holds NUL."""
    parts = b""
    for what, value in (("tenant", scope.tenant), ("user", scope.user)):
        if not isinstance(value, str) or not value.strip() or "\0" in value:
            raise Refused(f"the scope names no {what}")
        encoded = value.encode("utf-8", "surrogatepass")
        parts += len(encoded).to_bytes(8, "big") + encoded
    return hashlib.sha256(parts).hexdigest()


@functools.lru_cache(maxsize=256)
def tag(scope: Scope) -> str:
    """The tag of a scope's user."""
    return folder_name(scope)[:TAG]
