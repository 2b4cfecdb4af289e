"""The contract between the harness and a memory: one request shape, one receipt, one table of verbs.

A system under test is anything with `call(request) -> receipt`. In a child process the same two shapes travel as JSON lines
over stdin and stdout. `docs/reference/protocol.md` shows one exchange per verb and is checked against this table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Protocol, get_args

from memgauge.clock import parse_duration
from memgauge.errors import InputError, SystemFault, nearest
from memgauge.records import Scope
from memgauge.surfaces import DEPTHS

VERSION = 1
Json = dict[str, Any]
Status = Literal["ok", "unsupported", "refused", "conflict", "pending", "error"]
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call. `now` is RFC 3339, and its offset is the user's zone; `args` are those of the verb; the key makes a repeat harmless."""

    op: str
    now: str
    scope: Scope = field(default_factory=Scope)
    args: Mapping[str, Any] = field(default_factory=dict)
    idempotency_key: str | None = None

    def to_json(self) -> Json:
        line: Json = {"v": VERSION, "op": self.op, "now": self.now, "scope": self.scope.to_json(), "args": dict(self.args)}
        if self.idempotency_key is not None:
            line["idempotency_key"] = self.idempotency_key
        return line

    @classmethod
    def from_json(cls, line: object) -> Request:
        """Parse a request line, as a system in a child process does. Raises InputError naming the part that is wrong."""
        if not isinstance(line, Mapping):
            raise InputError("a request must be a JSON object")
        op, now, scope, args, key = (line.get(part) for part in ("op", "now", "scope", "args", "idempotency_key"))
        if not (isinstance(op, str) and isinstance(now, str)):
            raise InputError("a request needs op and now, both strings")
        if not isinstance(scope, Mapping | None) or not isinstance(args, Mapping | None) or not isinstance(key, str | None):
            raise InputError("request scope and args must be JSON objects, idempotency_key a string")
        known = {part.name for part in fields(Scope)}
        if wrong := sorted(name for name, value in (scope or {}).items() if name not in known or not isinstance(value, str | None)):
            raise InputError(f"request scope: {', '.join(wrong)}; allowed are texts under {', '.join(sorted(known))}")
        exact = {name: value for name, value in (scope or {}).items() if value is not None}
        return cls(op=op, now=now, scope=Scope(**exact), args=args or {}, idempotency_key=key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The answer to one call.

    `ids` are the system's record ids the call made or touched. `notices` are sentences the user should see (something was
    saved, something was not). `data` is what the verb returns (see `VERBS`). `conflict` is {expected, actual}.
    """

    status: Status
    ids: tuple[str, ...] = ()
    revision: int | None = None
    notices: tuple[str, ...] = ()
    conflict: Mapping[str, Any] | None = None
    reason: str | None = None
    retryable: bool = False
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    def to_json(self) -> Json:
        """Only what differs from the default, so that lines stay short."""
        line: Json = {"status": self.status}
        for part in fields(self)[1:]:
            value = getattr(self, part.name)
            if value or (part.name == "revision" and value is not None):
                line[part.name] = list(value) if isinstance(value, tuple) else value
        return line

    @classmethod
    def from_json(cls, line: object) -> Receipt:
        """Parse an answer. Raises SystemFault naming the part that is wrong; nothing is guessed or turned into text."""
        if not isinstance(line, Mapping):
            raise SystemFault(f"a receipt must be a JSON object, got {repr(line)[:80]}")
        if line.get("status") not in STATUSES:
            raise SystemFault(f"receipt status {repr(line.get('status'))[:80]}; allowed: {', '.join(STATUSES)}")
        extra = sorted(str(name) for name in set(line) - set(_RECEIPT_PARTS) - {"v", "id", "status"})
        if extra:
            raise SystemFault(f"receipt has unknown parts: {', '.join(extra)}; what a verb returns goes into data")
        parts: Json = {"status": line["status"]}
        for name, (fits, what) in _RECEIPT_PARTS.items():
            value = line.get(name)
            if value is None:
                continue
            if not fits(value):
                raise SystemFault(f"receipt {name} must be {what}, got {repr(value)[:80]}")
            parts[name] = tuple(value) if name in ("ids", "notices") else value
        return cls(**parts)


def _is_texts(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(entry, str) for entry in value)


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)


_RECEIPT_PARTS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "ids": (_is_texts, "a list of strings"),
    "revision": (lambda value: isinstance(value, int) and not isinstance(value, bool), "a whole number"),
    "notices": (_is_texts, "a list of strings"),
    "conflict": (_is_object, "a JSON object"),
    "reason": (lambda value: isinstance(value, str), "a string"),
    "retryable": (lambda value: isinstance(value, bool), "true or false"),
    "data": (_is_object, "a JSON object"),
}


class MemorySystem(Protocol):
    """A memory under test. Everything, opening and closing included, is a request."""

    def call(self, request: Request) -> Receipt: ...


def check_answer(op: str, receipt: Receipt) -> None:
    """Refuse a receipt with parts of the wrong type, and an `ok` that a judge could mistake for an empty one. Raises SystemFault.

    A verb that returns items or messages must return them as a list of objects; each has its text, and a message of a
    `context` its role. Anything else would count as nothing found, and nothing found is what a deletion hopes for.
    """
    Receipt.from_json(receipt.to_json())
    if not receipt.ok:
        return
    for part, texts in _ANSWERS.get(op, {}).items():
        rows = receipt.data.get(part)
        if not isinstance(rows, list | tuple):
            raise SystemFault(f"{op}: data.{part} must be a list, got {repr(rows)[:80]}")
        for place, row in enumerate(rows):
            missing = [name for name in texts if not (isinstance(row, Mapping) and isinstance(row.get(name), str))]
            if missing:
                raise SystemFault(f"{op}: data.{part}[{place}] has no text under {', '.join(missing)}: {repr(row)[:80]}")


_ANSWERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "list": {"items": ("text",)},
    "history": {"items": ("text",)},
    "recall": {"items": ("text",)},
    "explain": {"messages": ("message_id", "text")},
    "context": {"items": ("text",), "messages": ("role", "content")},
}


def unsupported(op: str) -> Receipt:
    """The answer of a system that has no such verb."""
    return Receipt(status="unsupported", reason=f"no verb {op}")


@dataclass(frozen=True, slots=True)
class Arg:
    """One argument of a verb. `type` is a JSON type name, or `any`."""

    type: Literal["string", "integer", "number", "boolean", "object", "array", "any"]
    doc: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb. `effect`: control (life of the system), read (changes nothing), write, or destroy (removes user data)."""

    name: str
    effect: Literal["control", "read", "write", "destroy"]
    doc: str
    args: Mapping[str, Arg]
    returns: str = ""


def _verb(name: str, effect: Literal["control", "read", "write", "destroy"], doc: str, returns: str = "", /, **args: Arg) -> tuple[str, Verb]:
    return name, Verb(name, effect, doc, args, returns)


def _need(kind: Any, doc: str) -> Arg:
    return Arg(kind, doc, required=True)


_RECORD = "id of a record, as a receipt or `list` gave it"
_ITEMS = "items: list of items (id, kind, text, and what else is known: source_ids, score, reason, label, status, created_at, …)"

VERBS: Mapping[str, Verb] = dict(
    [
        _verb("describe", "control", "Who are you and what can you do", "manifest: see Manifest"),
        _verb("open", "control", "Open the store under a root folder; the same root again continues",
              root=_need("string", "folder that belongs to this system alone"), config=Arg("object", "opaque configuration")),
        _verb("close", "control", "Flush and release everything"),
        _verb("settle", "control", "Return when reads see all writes acknowledged so far", deadline_ms=Arg("integer", "give up after this time")),
        _verb("append", "write", "Store one message of a thread",
              message_id=_need("string", "the harness's id"), role=_need("string", "user, assistant, tool or system"),
              text=_need("string", "content"), speaker=Arg("string", "who said it, when not the user of the scope"),
              origin=Arg("string", "typed (default), pasted, or prefilled by a link"), private=Arg("boolean", "the thread is private from its first message on"),
              calls=Arg("array", "tool calls an assistant message makes: {id, name, arguments}"), call_id=Arg("string", "the call a tool message answers"),
              parent=Arg("string", "message this one follows; default: the active leaf. A second child is a sibling (a reply made anew) and becomes the active branch")),
        _verb("append_many", "write", "Store many messages in order, in one transaction", messages=_need("array", "each as the args of append, with an optional `now`")),
        _verb("end_turn", "write", "The turn is over: capture what is worth keeping", "saved: list of {id, text, outcome, reason}",
              ok=Arg("boolean", "the reply succeeded (default true); nothing is captured otherwise")),
        _verb("remember", "write", "The user asks to keep a fact",
              text=_need("string", "one statement"), kind=Arg("string", "profile, episodic, procedural or working"), slot=Arg("string", "what the fact is about, when the caller knows"),
              source=Arg("string", "stated (default), inferred or imported"), reach=Arg("string", "user (default), project or task: where it applies"),
              expires_at=Arg("string", "RFC 3339; not visible from this instant on"), sensitivity=Arg("string", "low (default) or high"),
              agents=Arg("array", "agents allowed to see it; default all"), message_id=Arg("string", "where it was said")),
        _verb("correct", "write", "Replace what a record says", id=Arg("string", _RECORD), query=Arg("string", "or: words that find exactly one"), text=_need("string", "what is right")),
        _verb("confirm", "write", "The user says that a record is still right", id=_need("string", _RECORD)),
        _verb("forget", "destroy", "Remove from every read path at once, then erase the bytes", "removed: {table: count}, backups: list",
              id=Arg("string", _RECORD), query=Arg("string", "or: words that find exactly one"), message_id=Arg("string", "or: all that came from this message, and the message"),
              thread=Arg("string", "or: a whole thread, its messages and what came from them only"),
              keep_source=Arg("boolean", "leave the message readable in its own thread"), erase=Arg("boolean", "also erase the bytes (default true)")),
        _verb("forget_all", "destroy", "Remove everything of the scope's user", "removed: {table: count}"),
        _verb("list", "read", "All live records of the user, newest last", _ITEMS,
              kind=Arg("string", "facts (default), messages, notes, documents, goals, summaries, pins, decisions, review, operations, retrievals, or all (of the user's records)"),
              include=Arg("array", "statuses beyond the live ones: superseded, expired, rejected"), offset=Arg("integer", "skip this many"), limit=Arg("integer", "at most this many")),
        _verb("history", "read", "The revisions of one record or document, oldest first", _ITEMS, id=_need("string", _RECORD)),
        _verb("explain", "read", "The messages an item was derived from", "messages: list of {message_id, text}", id=_need("string", _RECORD)),
        _verb("recall", "read", "Records relevant to a query, best first", _ITEMS,
              query=_need("string", "ordinary text, never a query language"), k=Arg("integer", "at most this many (default 5)"), kinds=Arg("array", "only these kinds of record"),
              since=Arg("string", "RFC 3339"), until=Arg("string", "RFC 3339"), min_score=Arg("number", "0 to 1")),
        _verb("context", "read", "Everything that goes before the model for one message", "items; messages: list of {role, content} as the model would get them, with the calls and call_id that append was given; left_out: list of {section, reason, tokens, id?}; degraded: list of what did not work",
              text=_need("string", "the user's message, not yet appended"), budget=_need("object", "{window, reserve, encoding}: tokens of the whole window, of the reply, and how they are counted"),
              application=Arg("array", "the application's own system texts, in order"), client_history=Arg("array", "messages a client claims were said; never trusted"), k=Arg("integer", "recall at most this many")),
        _verb("pin", "write", "Keep a text in every prompt", text=_need("string", "a rule, the current goal, an open action or a key constraint"), until=Arg("string", "RFC 3339")),
        _verb("unpin", "write", "Stop keeping it", id=_need("string", _RECORD)),
        _verb("goal_add", "write", "Start a goal", text=_need("string", "the outcome wanted"), order=Arg("integer", "smaller comes first")),
        _verb("goal_update", "write", "Change a goal", id=_need("string", _RECORD), status=Arg("string", "active, paused, done or dropped"), text=Arg("string", "what it says now"), order=Arg("integer", "smaller comes first")),
        _verb("note_add", "write", "Append to the day's note", text=_need("string", "one entry"), message_id=Arg("string", "where it was said")),
        _verb("doc_read", "read", "A curated document", "text; the revision stands in the receipt", name=_need("string", "document name: profile is the user's own, consolidated the one consolidation folds into"), revision=Arg("integer", "default: the newest")),
        _verb("doc_write", "write", "Write a whole document if nobody else did meanwhile", name=_need("string", "document name"), text=_need("string", "new text"),
              expected=_need("integer", "the revision this text was made from; 0 for a new document")),
        _verb("doc_edit", "write", "Replace one passage that occurs exactly once", name=_need("string", "document name"), old=_need("string", "present text"), new=_need("string", "new text"), expected=_need("integer", "the revision the passage was read in")),
        _verb("doc_delete", "destroy", "Delete a document with its revisions", name=_need("string", "document name"), expected=_need("integer", "the revision that is meant to go")),
        _verb("decide", "write", "Record a decision", text=_need("string", "what was decided"), kind=Arg("string", "boundary, choice or rule (lockable), or insight"), status=Arg("string", "proposed or accepted")),
        _verb("lock", "write", "Close a decision to ordinary turns", id=_need("string", _RECORD)),
        _verb("unlock", "write", "Open it again", id=_need("string", _RECORD)),
        _verb("review_decide", "write", "Rule on a proposed record", id=_need("string", _RECORD), action=_need("string", "approve, edit, delete or dont_carry"), text=Arg("string", "for edit")),
        _verb("draft", "write", "Draft the session note of the thread for the user to review", "items: drafted and control items"),
        _verb("summarise", "write", "Summarise the thread's older turns", "through: message id", keep=Arg("integer", "leave this many newest messages out")),
        _verb("consolidate", "write", "Fold daily notes into the consolidated document", "revision in the receipt"),
        _verb("expire", "destroy", "Run the retention job", "removed: {table: count}"),
        _verb("edit_message", "write", "Say a message differently: a sibling becomes the active branch", message_id=_need("string", "the message edited"), new_id=_need("string", "id of its sibling"), text=_need("string", "what it says now")),
        _verb("switch", "write", "Make the branch that ends in this message the active one", message_id=_need("string", "leaf")),
        _verb("set_access", "write", "Set the user's access state", enabled=Arg("boolean", "memory switched on"), consent=Arg("boolean", "the user agreed to be remembered"), plan=Arg("string", "name of the plan"), entitled=Arg("boolean", "the plan includes memory"),
              subscribed=Arg("boolean", "the subscription is active"), pending=Arg("boolean", "activation not finished"), memory_expires_at=Arg("string", "RFC 3339"), tenant_disabled=Arg("boolean", "policy of the tenant")),
        _verb("access", "read", "The access state and what follows from it", "state, can_use_prompt_memory, can_write"),
        _verb("authorise", "read", "May this action be done? Answered from policy, never from memory", "allowed: boolean", action=_need("string", "what is to be done")),
        _verb("feedback", "write", "A recalled item was used", id=_need("string", _RECORD), helped=_need("boolean", "it was of use")),
        _verb("export", "read", "Everything the user owns", "bundle: versioned object"),
        _verb("import", "write", "Take a bundle in, in one transaction", "added, skipped: list of {entry, reason}", bundle=_need("object", "as export gave it")),
        _verb("backup", "write", "Write a consistent copy", "path, expires_at", path=_need("string", "file to write")),
        _verb("rebuild", "write", "Build all that is derived anew from the messages", "counts by table"),
        _verb("call_begin", "write", "A tool call is about to run", call_id=_need("string", "the harness's id of the call"), action=_need("string", "name of the tool"), kind=_need("string", "read, write, message or payment")),
        _verb("call_end", "write", "It ended", call_id=_need("string", "as call_begin gave it"), state=_need("string", "done or failed")),
        _verb("recover", "read", "Unfinished calls, sorted", "retry, confirm, never: lists of call ids; calls: id → {action, kind, at, thread}, where the system tells them", verified=Arg("object", "call id → done or not done, as the outside world shows")),
        _verb("surfaces", "read", "Every place where user data may lie", "surfaces: list of {name, kind, path?, query?, argv?, grade?}; kind: files, logs, backup (path: file or folder), sql (path: database file or connection string; query), http (path: URL) or command (argv); grade: rows (default), vectors, for a command also bytes"),
    ]
)  # fmt: skip
"""Every verb of the protocol. The core is one write (append or remember) and one read (recall or context)."""

Support = Literal["native", "emulated", "absent"]
Determinism = Literal["exact", "seeded", "stochastic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a system says of itself. Everything has a cautious default, so that a small system can leave it out.

    `erase_within`: the period after which what was deleted is erased, as P30D. It holds for rows, vectors and bytes; no answer may show a
    deleted record in the meantime. By depth ({rows: P7D, bytes: P30D, api: PT1H}) where they differ. Empty: at once.
    """

    name: str
    versions: Mapping[str, str] = field(default_factory=dict)
    verbs: Mapping[str, Support] = field(default_factory=dict)
    scope: Mapping[str, Literal["enforced", "convention", "none"]] = field(default_factory=dict)
    writes: Literal["verbatim", "extracted", "buffered"] = "verbatim"
    reads_see_writes: Literal["now", "after_settle"] = "now"
    clock: Literal["argument", "backdated", "external", "none"] = "none"
    determinism: Determinism = "exact"
    threads: bool = False
    processes: bool = False
    durable: bool = False
    isolation: Literal["fresh_store", "namespace"] = "fresh_store"
    secure_delete: bool | None = None
    erase_within: str | Mapping[str, str] = ""
    max_parallel: int = 1
    requests_per_minute: int | None = None

    def supports(self, op: str) -> bool:
        return self.verbs.get(op, "absent") != "absent"

    def period(self, depth: str) -> str:
        """The period after which a deletion is judged at this depth; empty for at once."""
        stated = self.erase_within
        period = stated.get(depth, "") if isinstance(stated, Mapping) else stated if depth in ("rows", "vectors", "bytes") else ""
        return period if period and parse_duration(period) else ""

    def to_json(self) -> Json:
        return {part.name: dict(v) if isinstance(v := getattr(self, part.name), Mapping) else v for part in fields(self)}

    @classmethod
    def from_json(cls, line: object) -> Manifest:
        """Parse; raises SystemFault for an unknown part, verb or word, or a missing name."""
        if not isinstance(line, Mapping) or not isinstance(line.get("name"), str) or not line["name"]:
            raise SystemFault("manifest: name is missing")
        known = {part.name for part in fields(cls)}
        if extra := sorted(str(part) for part in set(line) - known):
            raise SystemFault(f"manifest: unknown {', '.join(extra)}")
        for part in ("versions", "verbs", "scope"):
            if not _is_object(line.get(part, {})) or not all(isinstance(value, str) for value in line.get(part, {}).values()):
                raise SystemFault(f"manifest: {part} must be an object of texts")
        if extra := sorted(set(line.get("verbs", {})) - set(VERBS)):
            raise SystemFault(f"manifest: unknown verb {', '.join(extra)}")
        for part, allowed in _WORDS.items():
            given = line.get(part)
            for word in given.values() if isinstance(given, Mapping) else () if given is None else (given,):
                if word not in allowed:
                    raise SystemFault(f"manifest: {part} {word!r}; allowed: {', '.join(allowed)}")
        try:
            check_period(line.get("erase_within", ""))
        except InputError as error:
            raise SystemFault(f"manifest: {error}", hint=error.hint) from None
        return cls(**line)


def check_period(stated: object, where: str = "") -> None:
    """Whether this can be an `erase_within`. Raises InputError."""
    periods = stated if isinstance(stated, Mapping) else {"": stated}
    if wrong := [depth for depth in periods if depth not in ("", *DEPTHS)]:
        raise InputError(f"erase_within: unknown depth {wrong[0]!r}", where=where, hint=nearest(str(wrong[0]), DEPTHS))
    for period in periods.values():
        try:
            if not isinstance(period, str) or (period and parse_duration(period).total_seconds() < 0):
                raise InputError(f"not a period: {period!r}", hint="ISO 8601, as P30D")
        except InputError as error:
            raise InputError(f"erase_within: {error}", where=where, hint=error.hint) from None


_WORDS: Mapping[str, tuple[str, ...]] = {
    "verbs": get_args(Support),
    "scope": ("enforced", "convention", "none"),
    "writes": ("verbatim", "extracted", "buffered"),
    "reads_see_writes": ("now", "after_settle"),
    "clock": ("argument", "backdated", "external", "none"),
    "determinism": ("exact", "seeded", "stochastic"),
    "isolation": ("fresh_store", "namespace"),
}
