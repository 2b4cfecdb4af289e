"""Frozen records that cross folders. No I/O, no clocks, no validation of files: `scenarios` makes them, `runner` fills them,
`evaluators` judge them, `reports` count them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Whose data, and in which corner of it. Ids are exact: never trimmed, folded or matched by pattern.

    A user that is missing, null or empty arrives as the empty text, and every verb refuses it but those of effect control and `surfaces`.
    """

    tenant: str = "default"
    user: str = ""
    agent: str | None = None
    project: str | None = None
    thread: str | None = None
    task: str | None = None

    def to_json(self) -> Json:
        return {part.name: value for part in fields(self) if (value := getattr(self, part.name)) is not None}

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Scope:
        return cls(**line)


# --- what a scenario asks -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something that may or may not reach the prompt, and how it is recognised whatever the wording.

    `anchors`: every group must be seen, any spelling within a group will do. `claim`: when given, one of these words must
    stand beside the anchors, else the match is unsure. `not_if`: wordings in which the anchors are rightly there ("from
    Ghent to Lyon", "used to") and the match is off. `like` must match and `unlike` must not; the loader tries them.
    `text` is the statement as it is fed in, verbatim (needed where bytes are judged: fences, exports).
    """

    id: str
    anchors: tuple[tuple[str, ...], ...]
    text: str = ""
    claim: tuple[str, ...] = ()
    not_if: tuple[str, ...] = ()
    like: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    replaces: str | None = None
    language: str = "en"


ProofKind = Literal["seen", "seen_by", "control", "bytes_seen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Why an `absent` means something: the same fact was seen earlier (`seen`, `seen_by`: a probe id), a sibling given the
    same way was kept and is seen in the same answer (`control`: a fact id), or a scan found its bytes (`bytes_seen`: a scan id)."""

    kind: ProofKind
    ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """One check to make: `kind` names an evaluator (see `memgauge.checks.CHECKS`), `step` the step whose entry it judges."""

    id: str
    kind: str
    step: str
    facts: tuple[str, ...] = ()
    proof: Proof | None = None
    params: Mapping[str, Any] = field(default_factory=dict)


StepKind = Literal["call", "advance", "reopen", "kill", "concurrently", "scan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing the runner does.

    call: verb `op` with `args`. A string argument "$name" stands for what an earlier step saved under that name: the bundle of
    an `export`, the path of a `backup`, else the first id of the receipt; "$name.revision" is that receipt's revision.
    `idempotency_key` is sent as it stands: two steps with the same key are one request, sent again.
    advance: args {by} or {to}, an instant. reopen: close and open the same root, or with args {root} another root of this case, made empty when it
    is new. scan: args {facts}. concurrently: args {writers, how, times,
    op, args, scopes?}, or {how, ops: [{op, args, scope?, times?}, …]} where each writer does something else. kill: args
    {ops, at?}. A step that is judged has a unique `id` that its expectations name.
    """

    id: str
    kind: StepKind
    op: str = ""
    scope: Scope = field(default_factory=Scope)
    args: Mapping[str, Any] = field(default_factory=dict)
    save_as: str = ""
    idempotency_key: str = ""
    tells: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CasePlan:
    """A scenario made concrete for one seed: values drawn, filler written out, message ids given. Runs on any system.

    `config`: by name of a system, what this case adds to its configuration (a window strategy, a retention period).
    """

    scenario: str
    version: int
    title: str
    seed: int
    steps: tuple[Step, ...]
    facts: Mapping[str, Fact]
    expectations: tuple[Expectation, ...]
    rows: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    catalogue: tuple[str, ...] = ()
    language: str = "en"
    source: str = "own"
    content: Literal["synthetic", "private"] = "synthetic"
    shape: str = ""
    digest: str = ""
    start: str = ""
    needs_memory: bool = True
    lane: Literal["quick", "process"] = "quick"
    config: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    path: str = ""

    @property
    def class_(self) -> str:
        return self.scenario.split("/", 1)[0]


# --- what happened --------------------------------------------------------------------------------------------------

_ENTRY_REQUIRED = frozenset(("n", "type", "step", "now"))
EntryType = Literal["call", "advance", "reopen", "kill", "race", "scan", "diagnosis"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a case history: the evaluators' only input besides the plan.

    `step` is the plan's step id; for a diagnosis, the check id that had failed. `scope`, `args`, `receipt` are as they
    went over the wire. `data` holds what the harness itself saw: for a context the token count of each rendered message
    (`tokens`) and the sum (`tokens_total`), and for one asked twice the second receipt (`again`); `unasked` for a call that the
    harness answered itself, since the system has no such verb or was given no such name; for a scan `needles` [{fact,
    form, hits: [{surface, file, offset, encoding}]}] and `surfaces` [{name, kind, depth, examined, bytes, named?, reason?}]; for a
    race `events` [{writer, i, op, args, status, ids, conflict?}] and for a kill `killed`, `acknowledged` and `unknown` [{op,
    args, ids}], both with `after`: [{op, args, receipt}] of the reads made when it was over, enough to show every record that was
    written. `within` marks what was done at the end of the case, when a stated deletion period was over, for the step of the same
    id; `blind` says why the system may not know of it.
    """

    n: int
    type: EntryType
    step: str
    now: str
    op: str = ""
    scope: Mapping[str, Any] = field(default_factory=dict)
    args: Mapping[str, Any] = field(default_factory=dict)
    receipt: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def status(self) -> str:
        return str(self.receipt.get("status", ""))

    def to_json(self) -> Json:
        """Without empty optional parts, so that lines stay short."""
        return {part.name: value for part in fields(self) if (value := getattr(self, part.name)) or part.name in _ENTRY_REQUIRED}

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Entry:
        return cls(**line)


# --- what it is worth -----------------------------------------------------------------------------------------------

Outcome = Literal["pass", "fail", "error", "unsupported", "not_applicable", "skip", "unscored"]
OUTCOMES: tuple[Outcome, ...] = ("pass", "fail", "error", "unsupported", "not_applicable", "skip", "unscored")
SCORED: tuple[Outcome, ...] = ("pass", "fail")

STAGES = ("said", "captured", "stored", "retrievable", "ranked", "fitted", "rendered", "matched")
"""Where a fact can be lost, in the order of its way to the prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The judgement of one expectation. `value` is the evaluator's number, when it has one; never NaN, never a stand-in.

    `reason` says in a few words why it is unscored, unsupported and so on; `witness` names the broken item and the rule
    in one sentence; `lost_at` is one of STAGES, or "" when nothing was lost. `proof` is "", "held" or "not held".
    Of a deletion: `depths` says what came of each depth that was looked at (pass, fail, or unscored where nothing could be examined),
    `within` the stated period after which it was judged; empty is at once.
    """

    check: str
    kind: str
    outcome: Outcome
    value: float | None = None
    reason: str = ""
    witness: str = ""
    lost_at: str = ""
    proof: Literal["", "held", "not held"] = ""
    facts: tuple[str, ...] = ()
    step: str = ""
    depths: Mapping[str, Outcome] = field(default_factory=dict)
    within: str = ""

    def __post_init__(self) -> None:
        if self.value is not None and (isinstance(self.value, bool) or not abs(self.value) < float("inf")):
            raise ValueError(f"{self.check}: value must be a finite number or None, got {self.value!r}")
        if self.outcome == "fail" and not self.witness:
            raise ValueError(f"{self.check}: a failure needs a witness")
        if self.outcome not in SCORED and not self.reason:
            raise ValueError(f"{self.check}: {self.outcome} needs a reason")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A number that is reported and never judged: tokens, shares, ranks. `name` says all, as `recall_fraction@5/item`."""

    step: str
    name: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """All that an evaluation of one case yields."""

    verdicts: tuple[Verdict, ...]
    measures: tuple[Measure, ...] = ()


Arm = Literal[
    "on", "off", "recent-equal", "placebo", "on-without:fact", "on-without:note", "on-without:document", "on-without:summary",
    "on-without:message", "on-without:goal", "on-without:decision", "on-without:pin",
]  # fmt: skip
"""on: memory. off: the recent window only. recent-equal: the window enlarged by the tokens that memory injected. placebo: as many tokens
of the user's own that have nothing to do with it. on-without:KIND: memory whose records of one kind never reach a prompt."""
CONTROL_ARMS: tuple[Arm, ...] = ("off", "recent-equal", "placebo")
WITHOUT: Mapping[Arm, str] = {arm: arm.partition(":")[2] for arm in get_args(Arm) if ":" in arm}
"""The kind of item that each arm with memory goes without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseId:
    """`class/name[system]#seed.repeat`, with `~arm` behind the system for a control. Unique within a run."""

    scenario: str
    system: str
    arm: Arm
    seed: int
    repeat: int = 0

    def __str__(self) -> str:
        arm = "" if self.arm == "on" else f"~{self.arm}"
        return f"{self.scenario}[{self.system}{arm}]#{self.seed}.{self.repeat}"
