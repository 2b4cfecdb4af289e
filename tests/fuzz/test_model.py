"""The model by itself: what each acknowledged request promises from then on."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest

from memgauge.clock import DEFAULT_START, format_instant, parse_instant
from memgauge.fuzz.looks import Look, Sight
from memgauge.fuzz.model import Model
from memgauge.fuzz.moves import Move, View
from memgauge.fuzz.promises import Breach, judge_receipt, judge_sight, required
from memgauge.fuzz.words import Statement, Words, question
from memgauge.protocol import Manifest

NOW = parse_instant(DEFAULT_START)
KEEPS_APART = Manifest(name="m", scope=dict.fromkeys(("tenant", "user", "project", "thread"), "enforced"))


class Story:
    """Moves that are all acknowledged, and what the model says of the first statement of each name."""

    def __init__(self) -> None:
        self.model = Model()
        self.words = Words(random.Random(1))
        self.n = 0

    def told(self) -> Statement:
        return self.words.fact()

    def do(self, op: str, told: Statement | None = None, target: Statement | None = None, view: View | None = None, **args: Any) -> None:
        self.n += 1
        move = Move(n=self.n, op=op, told=told, target=target.key if target else "", view=view or View(), args=args)
        assert self.model.possible(move)
        self.model.learn(move, {"status": "ok", "ids": [f"r{self.n}"]}, NOW)

    def shown(self, said: Statement, path: str = "recall", view: View | None = None, after: timedelta = timedelta(0)) -> str:
        """The promise that is broken when the statement is shown."""
        seen = Sight(said.text.casefold(), said.text.casefold())
        breach = judge_sight(self.model, Look(view=view or View(), path=path, topic=said.topic), seen, NOW + after, KEEPS_APART, frozenset())
        return breach.invariant if isinstance(breach, Breach) else ""

    def needed(self, said: Statement) -> bool:
        return required(self.model, self.model.claims[said.key], Look(view=View(), path="list-all"), NOW)


@pytest.fixture
def story() -> Story:
    return Story()


def test_a_remembered_fact_is_its_owners_everywhere_and_nobody_elses(story: Story) -> None:
    said = story.told()
    story.do("remember", said)
    assert story.needed(said)
    assert {story.shown(said, path) for path in ("recall", "context", "list-all", "export")} == {""}
    assert {story.shown(said, path, View(actor=actor)) for path in ("recall", "export") for actor in ("ben", "shout", "elsewhere")} == {"leak"}


def test_a_correction_makes_the_old_value_stale_and_asks_for_the_new(story: Story) -> None:
    old, new = story.told(), story.told()
    story.do("remember", old)
    story.do("correct", new, old)
    assert (story.shown(old), story.shown(old, "list-all"), story.shown(old, "export"), story.shown(new)) == ("stale", "stale", "", "")
    assert (story.needed(old), story.needed(new)) == (False, True)


def test_forgetting_takes_the_older_revisions_along_and_the_export_too(story: Story) -> None:
    old, new = story.told(), story.told()
    story.do("remember", old)
    story.do("correct", new, old)
    story.do("forget", target=new)
    assert {story.shown(said, path) for said in (old, new) for path in ("recall", "list-all", "export")} == {"forgotten"}


def test_forgetting_an_old_revision_leaves_the_newer_to_the_system(story: Story) -> None:
    old, new = story.told(), story.told()
    story.do("remember", old)
    story.do("correct", new, old)
    story.do("forget", target=old)
    assert (story.shown(old), story.shown(new), story.needed(new)) == ("forgotten", "", False)


def test_a_fact_has_ended_at_the_very_instant(story: Story) -> None:
    said = story.told()
    story.do("remember", said, expires_at=format_instant(NOW + timedelta(days=1)))
    assert story.shown(said, after=timedelta(days=1, seconds=-1)) == ""
    assert story.shown(said, after=timedelta(days=1)) == "expired"


def test_projects_and_private_threads_keep_to_themselves(story: Story) -> None:
    narrow, private = story.told(), story.told()
    story.do("remember", narrow, view=View(thread="atlas"), reach="project")
    story.do("append", private, view=View(thread="hush"), private=True)
    assert [story.shown(narrow, view=View(thread=thread)) for thread in ("atlas", "birch", "main")] == ["", "leak", "leak"]
    assert [story.shown(private, view=View(thread=thread)) for thread in ("hush", "main")] == ["", "leak"]


def test_a_finished_goal_leaves_prompts_and_may_stand_in_lists(story: Story) -> None:
    said = story.words.goal()
    story.do("goal_add", said)
    story.do("goal_update", target=said, status="done")
    assert (story.shown(said, "context"), story.shown(said, "list-goals")) == ("goal", "")
    story.do("goal_update", target=said, status="active")
    assert story.shown(said, "context") == ""


def test_memory_that_is_off_shows_and_takes_nothing(story: Story) -> None:
    said = story.told()
    story.do("remember", said)
    story.do("set_access", enabled=False)
    assert (story.shown(said), story.shown(said, "list-all")) == ("paused", "")
    refused = judge_receipt("remember", False, True, {"status": "refused"})
    taken = judge_receipt("remember", False, True, {"status": "ok"})
    assert refused is None
    assert taken is not None
    story.do("set_access", enabled=True)
    assert story.shown(said) == ""


def test_forget_all_is_one_users_matter(story: Story) -> None:
    mine, theirs = story.told(), story.told()
    story.do("remember", mine)
    story.do("remember", theirs, view=View(actor="ben"))
    story.do("forget_all")
    assert story.shown(mine, "export") == "forgotten"
    assert required(story.model, story.model.claims[theirs.key], Look(view=View(actor="ben"), path="list-all"), NOW)


def test_what_was_not_acknowledged_promises_nothing(story: Story) -> None:
    said = story.told()
    story.model.learn(Move(n=1, op="remember", told=said), {"status": "refused"}, NOW)
    assert said.key not in story.model.claims


def test_every_value_is_its_own_and_no_question_holds_one() -> None:
    words = Words(random.Random(3))
    said = [words.fact() for _ in range(150)]
    texts = [other.text.casefold() for other in said] + [question(other.topic).casefold() for other in said]
    assert all(sum(one.value.casefold() in text for text in texts) == 1 for one in said)
