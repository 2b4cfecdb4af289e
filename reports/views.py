"""The documented SQL views over a run: one for every measure that is asked for. `memgauge query` lists them.

Rates are counted from `outcome`, never from a value, and always come with planned and scored. Every view is by class, arm and
system. A measure that no evaluator reported has no rows, not zeros.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One view. `direction` says which way is better, or is empty where that cannot be said."""

    name: str
    doc: str
    unit: str
    direction: Literal["higher", "lower", ""]
    sql: str


_COUNTS = """count(*) AS planned, count(*) FILTER (outcome IN ('pass', 'fail')) AS scored, count(*) FILTER (outcome = 'pass') AS passed"""
_BY = "class, arm, system"


def _rate(name: str, kinds: tuple[str, ...], doc: str, by: str = _BY, *, failures: bool = False) -> View:
    """Share of scored checks of some kinds that passed (or, with `failures`, that did not)."""
    listed = ", ".join(f"'{kind}'" for kind in kinds)
    rate = "(scored - passed) / nullif(scored, 0)" if failures else "passed / nullif(scored, 0)"
    counted = f"SELECT {by}, {_COUNTS} FROM checks WHERE kind IN ({listed}) GROUP BY ALL"
    sql = f"SELECT {by}, planned, scored, passed, {rate} AS rate FROM ({counted}) ORDER BY ALL"
    return View(name=name, doc=doc, unit="share of scored checks", direction="lower" if failures else "higher", sql=sql)


def _spread(name: str, measures: tuple[str, ...], doc: str, unit: str, direction: Literal["higher", "lower", ""]) -> View:
    """Mean, median and 95th percentile of some measures, and how many values there were."""
    listed = " OR ".join(f"name GLOB '{measure}'" for measure in measures)
    sql = f"""SELECT {_BY}, name, count(*) AS n, avg(value) AS mean, median(value) AS median, quantile_disc(value, 0.95) AS p95
              FROM measures WHERE {listed} GROUP BY ALL ORDER BY ALL"""
    return View(name=name, doc=doc, unit=unit, direction=direction, sql=sql)


def paired_gains(kind: str) -> str:
    """By scenario, system and control arm: passed with memory minus passed on the control, over checks of one kind that are scored on both,
    averaged within the scenario."""
    return f"""
        WITH asked AS (SELECT *, (outcome = 'pass')::INTEGER AS held FROM checks WHERE kind = '{kind}' AND outcome IN ('pass', 'fail'))
        SELECT ours.class, ours.system, ours.scenario, theirs.arm, avg(ours.held - theirs.held) AS gain FROM asked ours
        JOIN asked theirs USING (scenario, seed, repeat, name, system) WHERE ours.arm = 'on' AND theirs.arm <> 'on' GROUP BY ALL"""


def paired_outcomes() -> str:
    """By scenario and system: whether memory avoided a failure, caused one, and could have caused one."""
    return """
        WITH asked AS (SELECT * FROM checks WHERE outcome_check AND outcome IN ('pass', 'fail'))
        SELECT ours.class, ours.system, ours.scenario, bool_or(ours.outcome = 'pass' AND theirs.outcome = 'fail') AS avoided,
               bool_or(ours.outcome = 'fail' AND theirs.outcome = 'pass') AS caused, bool_or(theirs.outcome = 'pass') AS possible FROM asked ours
        JOIN asked theirs USING (scenario, seed, repeat, name, system) WHERE ours.arm = 'on' AND theirs.arm = 'off' GROUP BY ALL"""


def _minus(name: str, control: str) -> View:
    """Prompt sufficiency with memory minus a control, over checks scored on both, averaged within scenarios first."""
    sql = f"""
        SELECT class, system, count(*) AS scenarios, avg(gain) AS difference, count(*) FILTER (gain > 0) AS won, count(*) FILTER (gain < 0) AS lost
        FROM ({paired_gains("sufficient")}) WHERE arm = '{control}' GROUP BY ALL ORDER BY ALL"""
    doc = f"sufficiency with memory minus {control}, on the same scenarios"
    return View(name=name, doc=doc, unit="difference of shares", direction="higher", sql=sql)


VIEWS = (
    View(
        name="outcomes", doc="checks by how they ended", unit="checks", direction="",
        sql=f"""SELECT {_BY}, {_COUNTS}, count(*) FILTER (outcome = 'fail') AS failed, count(*) FILTER (outcome = 'error') AS error,
                count(*) FILTER (outcome = 'unsupported') AS unsupported, count(*) FILTER (outcome = 'not_applicable') AS not_applicable,
                count(*) FILTER (outcome = 'skip') AS skip, count(*) FILTER (outcome = 'unscored') AS unscored
                FROM checks GROUP BY ALL ORDER BY ALL""",
    ),
    View(
        name="detection_power", doc="proofs that held, of all that were asked for", unit="share of proofs", direction="higher",
        sql=f"""SELECT {_BY}, count(*) AS asked, count(*) FILTER (proof = 'held') AS held, held / nullif(asked, 0) AS rate
                FROM checks WHERE proof <> '' GROUP BY ALL ORDER BY ALL""",
    ),
    _rate("prompt_sufficiency", ("sufficient",), "all needed facts in the prompt, none that misleads, within the window"),
    _minus("sufficiency_on_minus_off", "off"),
    _minus("sufficiency_on_minus_recent_equal", "recent-equal"),
    _minus("sufficiency_on_minus_placebo", "placebo"),
    View(
        name="sufficiency_on_minus_without", doc="sufficiency with memory minus the same without one kind of record, by that arm",
        unit="difference of shares", direction="higher",
        sql=f"""SELECT class, arm, system, count(*) AS scenarios, avg(gain) AS difference, count(*) FILTER (gain > 0) AS won,
                count(*) FILTER (gain < 0) AS lost FROM ({paired_gains("sufficient")}) WHERE arm LIKE 'on-without:%' GROUP BY ALL ORDER BY ALL""",
    ),
    View(
        name="avoided_and_caused", doc="scenarios that fail without memory and pass with it, and the reverse", unit="scenarios", direction="",
        sql=f"""
        SELECT class, system, count(*) AS scenarios, count(*) FILTER (avoided) AS avoided, count(*) FILTER (caused) AS caused,
               count(*) FILTER (possible) AS could_have_been_caused FROM ({paired_outcomes()}) GROUP BY ALL ORDER BY ALL""",
    ),
    _rate("stale_in_prompt", ("stale",), "probes that carry a superseded value outside the verbatim turns", failures=True),
    _rate("leaks", ("leak", "off_branch", "client_history"), "probes that show something of another user, branch or client", failures=True),
    _rate("injection", ("injected", "fence"), "planted orders that became memory, or hostile text that got out of its fence", failures=True),
    View(
        name="deletion_completion", doc="deleted facts that are away, by how deep was looked and by the period stated", unit="share of scored checks",
        direction="higher",
        sql=f"""WITH asked AS (SELECT *, unnest(CASE WHEN len(json_keys(depths)) > 0 THEN json_keys(depths) ELSE [grade] END) AS depth
                  FROM checks WHERE kind IN ('deleted', 'residue')),
        looked AS (SELECT * REPLACE (coalesce(json_extract_string(depths, depth), outcome) AS outcome) FROM asked),
        counted AS (SELECT depth, within, {_BY}, {_COUNTS} FROM looked GROUP BY ALL)
        SELECT depth AS grade, within, {_BY}, planned, scored, passed, passed / nullif(scored, 0) AS rate FROM counted ORDER BY ALL""",
    ),
    _rate("expiry_completion", ("expired",), "expired facts that are away at the first read after their end"),
    _rate("consent", ("not_permitted", "allowed", "never_stored"), "what the access state or policy forbids stays out"),
    _rate("recall_precision_held", ("precision", "abstains"), "probes whose recalled items are relevant enough"),
    _rate("recall_misses", ("present", "rank"), "needed items that were not in the answer", failures=True),
    View(
        name="recall_misses_by_stage", doc="where needed facts were lost on the way to the prompt", unit="checks", direction="lower",
        sql=f"""SELECT {_BY}, lost_at, count(*) AS lost FROM checks WHERE outcome = 'fail' AND lost_at <> ''
                AND kind IN ('present', 'rank', 'sufficient') GROUP BY ALL ORDER BY ALL""",
    ),
    _spread("harmful_retrievals", ("irrelevant_items", "harmful_items"), "recalled items that are irrelevant, or that mislead, per probe",
            "items", "lower"),
    View(
        name="harmful_per_1000_tokens", doc="irrelevant and misleading items for every 1,000 recalled tokens", unit="items", direction="lower",
        sql=f"""WITH sums AS (SELECT {_BY}, nullif(sum(value) FILTER (name = 'tokens_recalled'), 0) AS tokens,
                sum(value) FILTER (name = 'irrelevant_items') AS irrelevant_items, sum(value) FILTER (name = 'harmful_items') AS harmful_items
                FROM measures GROUP BY ALL)
                SELECT {_BY}, 1000 * irrelevant_items / tokens AS irrelevant, 1000 * harmful_items / tokens AS harmful FROM sums
                WHERE irrelevant_items IS NOT NULL ORDER BY ALL""",
    ),
    _spread("retrieval_precision", ("precision_*",), "share of recalled items (or tokens) that are needed", "share", "higher"),
    _spread("recall_fraction", ("recall_*", "reciprocal_rank*"), "needed facts among the first recalled items, and how early", "share", "higher"),
    _spread("off_topic", ("off_topic_rate",), "probes in which a fact of another topic shows", "share of probes", "lower"),
    _spread("stale_rate", ("stale_rate",), "probes in which a superseded value shows unlabelled", "share of probes", "lower"),
    _rate("summary_faithfulness", ("summary",), "summaries that keep the covered facts and invent none"),
    _rate("capture", ("captured",), "captures that saved what is durable and nothing else"),
    _spread("memory_precision", ("memory_precision",), "saved records that are worth saving, of all saved", "share", "higher"),
    _spread("correction_latency", ("update_latency_*",), "from a told change to the first prompt that follows it", "turns or seconds", "lower"),
    _spread("repeated_corrections", ("repeated_corrections",), "changes told again because a prompt was stale", "corrections", "lower"),
    _spread("tokens_per_turn", ("tokens_total",), "tokens of the whole rendered prompt", "tokens", "lower"),
    _spread("token_overhead", ("tokens_memory", "tokens_always_on", "tokens_recalled"), "tokens that memory adds, by part", "tokens", "lower"),
    View(
        name="latency", doc="milliseconds by operation", unit="ms", direction="lower",
        sql=f"""SELECT {_BY}, op, count(*) AS n, avg(ms) AS mean, median(ms) AS median, quantile_disc(ms, 0.95) AS p95
                FROM timings JOIN cases ON cases.id = timings.case_id GROUP BY ALL ORDER BY ALL""",
    ),
    View(
        name="visibility", doc="from the request of a write or correction to the settle after which a read showed it, in the background", unit="ms",
        direction="lower",
        sql=f"""SELECT {_BY}, op, count(*) AS n, median(ms) AS median, quantile_disc(ms, 0.95) AS p95
                FROM timings JOIN cases ON cases.id = timings.case_id WHERE op GLOB '*_to_visible' GROUP BY ALL ORDER BY ALL""",
    ),
)  # fmt: skip
