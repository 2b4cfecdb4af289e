"""LoCoMo: the file is read by a stated rule, the scores are what their names say, and any system can be run through it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memgauge.bench.locomo import evidence_ids, read_locomo
from memgauge.bench.longmemeval import read_longmemeval
from memgauge.bench.retrieval import Answer, recall, reciprocal_rank, scores
from memgauge.bench.running import run_bench
from memgauge.errors import InputError
from memgauge.protocol import Receipt, Request

DATA = Path(os.environ.get("MEMGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))


def test_evidence_is_repaired_by_one_rule() -> None:
    """Joined ids are split, odd spellings mended, unknown and repeated ids dropped."""
    known = {"D1:1", "D11:26", "D30:5", "D8:6", "D9:17"}
    assert evidence_ids(["D8:6; D9:17", "D:11:26", "D30:05", "D", "D10:19", "D8:6"], known) == ("D8:6", "D9:17", "D11:26", "D30:5")


@pytest.mark.parametrize(("rule", "want"), [("any", 1.0), ("fraction", 0.5), ("all", 0.0)])
def test_recall_rules_differ(rule: str, want: float) -> None:
    """One of two found is 1, a half or 0, and the name says which."""
    assert recall(("a", "b"), ("x", "a", "y"), 5, rule) == want
    assert recall(("a", "b"), ("x", "a", "y"), 1, rule) == 0.0


def test_recall_of_nothing_is_an_error_not_a_score() -> None:
    with pytest.raises(ValueError, match="undefined"):
        recall((), ("a",), 5, "any")
    assert scores([]) == {}


def test_reciprocal_rank() -> None:
    assert reciprocal_rank(("b",), ("a", "b")) == 0.5
    assert reciprocal_rank(("z",), ("a", "b")) == 0.0
    assert scores([Answer("1 multi-hop", ("a",), ("a",), 3, 1.0)])["mrr/turn"] == 1.0


def _file(path: Path) -> Path:
    sample = {
        "sample_id": "c1",
        "conversation": {
            "speaker_a": "Ana", "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [{"speaker": "Ana", "dia_id": "D1:1", "text": "I adopted a heron."}, {"speaker": "Ben", "dia_id": "D1:2", "text": "Nice!"}],
            "session_2_date_time": "1:56 pm on 9 May, 2023",
        },
        "qa": [
            {"question": "What did Ana adopt?", "answer": "a heron", "category": 4, "evidence": ["D1:1"]},
            {"question": "Nothing?", "answer": "", "category": 3, "evidence": []},
        ],
    }  # fmt: skip
    path.write_text(json.dumps([sample]))
    return path


class EchoSystem:
    """Returns every turn it was given, newest first."""

    def __init__(self, root: Path) -> None:
        self.turns: list[tuple[str, str]] = []

    def call(self, request: Request) -> Receipt:
        if request.op == "append_many":
            self.turns += [(m["message_id"], m["text"]) for m in request.args["messages"]]
        items = [{"id": f"r{n}", "kind": "message", "text": t, "source_ids": [i]} for n, (i, t) in enumerate(reversed(self.turns))]
        return Receipt(status="ok", data={"items": items} if request.op == "recall" else {})


def test_any_system_can_be_benched(tmp_path: Path) -> None:
    """The one scored question finds its turn at rank two of two; the one without evidence is counted as unscored."""
    dataset = read_locomo(_file(tmp_path / "l.json"))
    result = run_bench(dataset, EchoSystem, tmp_path, len)
    assert (dataset.questions, result.unscored) == (1, 1)
    assert result.groups["all"]["recall_fraction@5/turn"] == 1.0
    assert result.groups["all"]["mrr/turn"] == 0.5
    assert result.groups["5 adversarial"] == {}


@pytest.mark.parametrize("text", ["[", "[]", '{"a": 1}', "\xff", '[{"sample_id": 1}]'])
def test_a_file_that_is_not_locomo_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError) as caught:
        read_locomo(path)
    assert len(caught.value.lines()) == 1
    assert str(path) in str(caught.value)


def test_the_published_file_has_its_published_counts() -> None:
    """10 conversations, 1,982 scored questions of 1,986, by the stated repair."""
    path = DATA / "locomo" / "locomo10.json"
    if not path.exists():
        pytest.skip("LoCoMo is not beside the project (MEMGAUGE_DATA)")
    dataset = read_locomo(path)
    assert (len(dataset.conversations), dataset.questions, dataset.unscored) == (10, 1982, 4)


def _longmemeval(path: Path, **changes: object) -> Path:
    def row(n: int, kind: str, right: str, *, abstains: bool = False) -> dict[str, object]:
        return {
            "question_id": f"q{n}" + ("_abs" if abstains else ""), "question_type": kind, "question": f"What about {right}?", "answer": right,
            "question_date": "2023/05/26 (Fri) 15:21", "answer_session_ids": [f"s{n}b"], "haystack_session_ids": [f"s{n}a", f"s{n}b"],
            "haystack_dates": ["2023/05/21 (Sun) 11:54", "2023/05/20 (Sat) 09:00"],
            "haystack_sessions": [
                [{"role": "user", "content": "It rains."}],
                [{"role": "user", "content": f"I bought {right}.", "has_answer": True}, {"role": "assistant", "content": f"Good {n}."}],
            ],
        } | changes  # fmt: skip

    path.write_text(json.dumps([row(1, "single", "a kite"), row(2, "multi", "a drum"), row(3, "multi", "a boat", abstains=True)]))
    return path


def test_longmemeval_evidence_is_the_marked_turns_in_the_order_of_the_dates(tmp_path: Path) -> None:
    dataset = read_longmemeval(_longmemeval(tmp_path / "l.json"))
    assert [c.questions[0].evidence for c in dataset.conversations] == [("q1-1-0",), ("q2-1-0",)]
    assert [s.start for s in dataset.conversations[0].sessions] == ["2023-05-20T09:00:00+00:00", "2023-05-21T11:54:00+00:00"]
    assert dataset.conversations[0].questions[0].asked_at == "2023-05-26T15:21:00+00:00"
    assert dataset.unscored == 1
    assert set(dataset.groups) == {"all", "single", "multi"}


def test_longmemeval_without_marks_takes_the_turns_of_the_answering_sessions(tmp_path: Path) -> None:
    sessions = [[{"role": "user", "content": "It rains."}], [{"role": "user", "content": "A kite."}, {"role": "assistant", "content": "Good."}]]
    dataset = read_longmemeval(_longmemeval(tmp_path / "l.json", haystack_sessions=sessions, answer_session_ids=["s1b"]))
    assert dataset.conversations[0].questions[0].evidence == ("q1-1-0", "q1-1-1")
    bare = read_longmemeval(_longmemeval(tmp_path / "m.json", haystack_sessions=sessions, haystack_session_ids=None))
    assert len(bare.conversations[0].questions[0].evidence) == 3


def test_pooled_puts_every_session_into_one_store_and_says_so(tmp_path: Path) -> None:
    dataset = read_longmemeval(_longmemeval(tmp_path / "l.json"), pooled=True)
    [pool] = dataset.conversations
    assert (len(pool.sessions), len(pool.questions)) == (6, 2)
    assert "no figure here is comparable" in dataset.notes[0]
    result = run_bench(dataset, EchoSystem, tmp_path / "run", len)
    assert result.groups["single"]["recall_all@10/turn"] == 1.0
    assert result.counts == {"all": 2, "multi": 1, "single": 1}


@pytest.mark.parametrize("changes", [{"haystack_dates": []}, {"question_date": "soon"}, {"haystack_sessions": [[1], [2]]}, {"haystack_sessions": 3}])
def test_a_file_that_is_not_longmemeval_is_refused_in_one_line(tmp_path: Path, changes: dict[str, object]) -> None:
    with pytest.raises(InputError, match="not shaped like LongMemEval") as caught:
        read_longmemeval(_longmemeval(tmp_path / "l.json", **changes))
    assert len(caught.value.lines()) == 1


def test_the_development_cut_is_read_whole() -> None:
    path = DATA / "longmemeval-dev" / "longmemeval_evidence_dev.json"
    if not path.exists():
        pytest.skip("LongMemEval is not beside the project (MEMGAUGE_DATA)")
    dataset = read_longmemeval(path, pooled=True)
    assert dataset.questions + dataset.unscored == 91
