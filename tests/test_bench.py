"""LoCoMo: the file is read by a stated rule, the scores are what their names say, and any system can be run through it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memgauge.bench.dataset import evidence_ids, read_locomo
from memgauge.bench.locomo import run_locomo
from memgauge.bench.retrieval import Answer, recall, reciprocal_rank, scores
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
    assert scores([Answer(1, ("a",), ("a",), 3, 1.0)])["mrr/turn"] == 1.0


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
    result = run_locomo(dataset, EchoSystem, tmp_path, len)
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
