"""The policy: every ratio, limit, half-life, threshold and switch of the reference memory, in one frozen, typed tree.

`default.yaml` holds every value with its source; another preset names only what it changes. Read by `load_policy`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from memgauge import strict_yaml
from memgauge.errors import InputError, nearest

PRESETS = ("default", "minimal", "strict", "off", "bench")

Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=0)]
Days = Annotated[float, Field(gt=0, description="days of 24 hours")]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ByKind(_Section):
    """One number for each kind of recalled record."""

    profile: float
    procedural: float
    episodic: float
    working: float
    note: float
    message: float

    def of(self, kind: str) -> float:
        """The value of a fact's kind, or of `note` or `message`."""
        return float(getattr(self, kind))


class Trust(_Section):
    """Factor of the recall score by where a record comes from."""

    approved: Share
    stated: Share
    imported: Share
    inferred: Share
    note: Share
    message: Share


class Specificity(_Section):
    """Factor of the recall score by how narrowly the record's scope fits the request."""

    task: Share
    project: Share
    user: Share


class Recall(_Section):
    enabled: bool
    k: Count
    min_score: Share
    token_cap: Count
    half_life_days: ByKind
    floor: ByKind
    trust: Trust
    specificity: Specificity
    neighbour_bonus: Share
    dates_in_index: bool
    invitation_needed: bool
    candidates: Count
    messages: Literal["own", "all"]
    order: Literal["relevance", "bm25"]


class Context(_Section):
    strategy: Literal["combined", "truncation", "sliding", "summary", "retrieval"]
    memory_share: Share
    user_share: Share
    consolidated_share: Share
    summary_share: Share
    recent_messages: Count
    active_goals: Count
    pins: Count
    margin: Share
    tool_result_tokens: Count
    long_term_facts: Count
    memory_in_private: bool


class Capture(_Section):
    enabled: bool
    plain_statements: Literal["note_and_proposed", "review", "ignore"]
    inferred: bool
    inferred_days: Days
    proposed_days: Days
    working_days: Days
    pins: bool
    pin_days: Days
    notices: bool


class Screening(_Section):
    secrets: bool
    payment: bool
    government_ids: bool
    needs: Literal["keep_when_explicit", "review", "never"]
    health: Literal["keep_when_explicit", "review", "never"]
    other_sensitive: Literal["keep_when_explicit", "review", "never"]
    entropy: Positive
    entropy_length: Count


class Facts(_Section):
    reconfirm_days: ByKind
    max_characters: Count


class Consolidation(_Section):
    enabled: bool
    mentions: Count
    document: str
    max_bullets: Count


class Notes(_Section):
    zone: str
    retention_days: Days


class Documents(_Section):
    user_document: str
    max_characters: Count
    keep_revisions: Count


class Summaries(_Section):
    enabled: bool
    threshold: Share
    window_tokens: Count
    keep_recent: Count
    max_tokens: Count
    sentence_tokens: Count


class Retention(_Section):
    """How long each layer keeps what nobody deleted. Facts, documents, goals, decisions: until the user deletes them or their own end."""

    messages_days: Days | None
    private_days: Days
    superseded_days: Days
    reviews_days: Days
    logs_days: Days
    idempotency_days: Days
    lapsed_days: Days
    backup_days: Days


class Review(_Section):
    control_share: Share
    control_max: Count
    draft_max: Count


class Access(_Section):
    enabled: bool
    needs_consent: bool
    needs_entitlement: bool
    plans_with_memory: tuple[str, ...]


class Logs(_Section):
    retrievals: bool
    operations: bool


def _reachable(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost", "::1")):
        return url
    raise ValueError("an address that begins with https://, or http:// on this machine")


class Model(_Section):
    """A chat model behind an OpenAI-compatible endpoint. `key_env` names the environment variable that holds its key."""

    enabled: bool
    base_url: Annotated[str, AfterValidator(_reachable)]
    name: str
    key_env: str
    timeout_s: Positive
    retries: Annotated[int, Field(ge=0, le=5)]
    max_output_tokens: Annotated[int, Field(ge=1)]
    summaries: bool
    capture: bool


class Storage(_Section):
    open_stores: Annotated[int, Field(ge=1)]


class Policy(_Section):
    """The whole tree; sections are independent of each other."""

    recall: Recall
    context: Context
    capture: Capture
    screening: Screening
    facts: Facts
    consolidation: Consolidation
    notes: Notes
    documents: Documents
    summaries: Summaries
    retention: Retention
    review: Review
    access: Access
    authorise: tuple[str, ...]
    logs: Logs
    model: Model
    storage: Storage


def load_policy(source: str | Path | Mapping[str, Any] | None = None) -> Policy:
    """The policy named by a preset, a file, or a mapping of changes.

    A mapping may hold `preset`; its other keys are nested sections or dotted paths ("recall.k": 3). A file is read the same
    way. Raises InputError(s) with the place of every unknown key and unfit value.
    """
    if source is None or source in PRESETS:
        return _preset(str(source or "default"))
    if isinstance(source, Mapping):
        return _from_changes(strict_yaml.Document(dict(source), "policy"))
    return _from_changes(strict_yaml.load(Path(source)))


@functools.cache
def _preset(name: str) -> Policy:
    return strict_yaml.validate(_preset_document(name), Policy)


@functools.cache
def _preset_document(name: str) -> strict_yaml.Document:
    if name not in PRESETS:
        raise InputError(f"unknown preset {name!r}", where="policy: preset", hint=nearest(name, PRESETS))
    text = resources.files("memgauge.memory_ref.policies").joinpath(f"{name}.yaml").read_text("utf-8")
    document = strict_yaml.parse(text, f"{name}.yaml")
    if name == "default":
        return document
    base = _preset_document("default")
    return strict_yaml.Document(_merged(base.data, document.data), document.source, {**base.marks, **document.marks})


def _from_changes(document: strict_yaml.Document) -> Policy:
    if not isinstance(document.data, Mapping):
        raise document.error((), "a policy is a mapping of sections")
    changes: dict[str, Any] = {}
    for key, value in document.data.items():
        if key != "preset":
            *outer, last = str(key).split(".")
            nested: Any = {last: value}
            for part in reversed(outer):
                nested = {part: nested}
            changes = _merged(changes, nested)
    base = _preset_document(str(document.data.get("preset", "default")))
    whole = strict_yaml.Document(_merged(base.data, changes), document.source, document.marks)
    return strict_yaml.validate(whole, Policy)


def _merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(base)
    for key, value in changes.items():
        below = result.get(key)
        result[key] = _merged(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return result
