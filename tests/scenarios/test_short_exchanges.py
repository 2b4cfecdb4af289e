from __future__ import annotations

import pytest

from memgauge.errors import InputError
from memgauge.scenarios.loader import read
from memgauge.strict_yaml import parse

HEAD = 'id: incident/rent\nask: "What is the rent?"\nexpect: "1,350"\nnever: "1,100"\nsay:\n'


def steps(lines: str) -> list[dict[str, object]]:
    [scenario] = read(parse(HEAD + lines, "rent.yaml"))
    return [step.model_dump(by_alias=True, exclude_unset=True) for step in scenario.spec.steps]


def test_an_exchange_has_its_reply_and_its_time() -> None:
    found = steps(
        '  - {text: "The rent is 1,100.", reply: "Noted.", at: "2025-01-15T10:00:00Z"}\n'
        '  - {text: "No, the rent is 1,350.", at: "2025-01-16T10:00:00Z"}\n'
    )
    assert found[0] == {"say": "The rent is 1,100.", "reply": "Noted.", "tells": ["never_1"]}
    assert found[1]["id"] == "before-1"
    assert found[2:4] == [{"advance": "2025-01-16T10:00:00Z"}, {"say": "No, the rent is 1,350.", "tells": ["expected_1"]}]


def test_the_first_time_is_the_start_of_the_case() -> None:
    [scenario] = read(parse(HEAD + '  - {text: "The rent is 1,100.", at: "2025-01-15T10:00:00Z"}\n  - "Now 1,350."\n', "rent.yaml"))
    assert scenario.spec.start == "2025-01-15T10:00:00Z"


def test_words_of_the_assistant_alone_are_appended() -> None:
    found = steps('  - "The rent is 1,100."\n  - {reply: "The rent is now 1,350, says the letter."}\n')
    assert found[-2] == {"append": {"role": "assistant", "text": "The rent is now 1,350, says the letter."}, "tells": ["expected_1"]}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{at: "2025-01-15T10:00:00Z"}', "needs text, or reply"),
        ("{text: a, when: b}", "unknown key"),
        ("[a]", "must be text"),
        ('{text: "Now 1,350.", at: "tomorrow"}', "tomorrow"),
    ],
)
def test_what_is_no_exchange_is_refused_with_its_place(line: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        steps(f'  - "The rent is 1,100."\n  - {line}\n')
    assert "rent.yaml:" in str(caught.value)
