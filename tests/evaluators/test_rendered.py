"""Rendered messages taken apart: what counts as a turn, an item, a line; and that no fence hides anything."""

from __future__ import annotations

import html
import json

import pytest

from memgauge.evaluators.page import undo_fence
from memgauge.evaluators.rendered import Listed, split_prompt
from memgauge.evaluators.thread import Thread

ITEM = 'The safe says "<open> & wait".'
MAIN = Thread([("user", "I live in Ghent."), ("assistant", "Noted."), ("user", "The code is 7788 and the gate is green.")])


def split(*contents: str, texts=(), role="user", current="Where to?", application=(), thread=MAIN):
    messages = [*({"role": role, "content": content} for content in contents), {"role": "user", "content": current}]
    return split_prompt(messages=messages, items=[Listed(text) for text in texts], current=current, application=application, thread=thread)


def sorts(pieces):
    return sorted((piece.sort, piece.text) for piece in pieces)


@pytest.mark.parametrize(
    "rendered",
    [
        ITEM,
        f"- [fact] {ITEM} (2026)",
        html.escape(ITEM),
        html.escape(ITEM, quote=False),
        json.dumps({"label": "fact", "text": ITEM}),
        json.dumps({"label": "fact", "text": ITEM}).replace("<", "\\u003c").replace("&", "\\u0026"),
        json.dumps(ITEM),
        json.dumps([{"text": "other"}, {"text": ITEM}]),
        "<m>" + ITEM.replace(" says ", "\n   says ") + "</m>",
    ],
)
def test_a_listed_item_is_found_in_whatever_dress(rendered: str):
    assert ("item", ITEM) in sorts(split("Known:\n" + rendered, texts=[ITEM]))


@pytest.mark.parametrize("rendered", ["", ITEM[:-6], "The safe says nothing."])
def test_an_item_that_is_not_rendered_whole_is_not_found(rendered: str):
    assert not [piece for piece in split("Known:\n" + rendered, texts=[ITEM]) if piece.sort == "item"]


def test_what_no_list_mentions_is_judged_line_by_line_with_the_fence_undone():
    content = "\n".join(["<<<memory>>>", json.dumps({"label": "fact", "text": "tea <hot>"}).replace("<", "\\u003c"), "a &lt;b&gt;", "<<<end>>>"])
    assert sorts(split(content)) == [
        ("label", "fact"),
        ("line", "<<<end>>>"),
        ("line", "<<<memory>>>"),
        ("line", "a <b>"),
        ("line", "tea <hot>"),
    ]


def test_an_unlisted_item_beside_a_listed_one_on_the_same_line_is_seen():
    content = json.dumps([{"label": "x", "text": "one"}, {"label": "y", "text": "two"}])
    assert sorts(split(content, texts=["one"])) == [("item", "one"), ("label", "x"), ("label", "y"), ("line", "two")]


def test_words_behind_a_listed_item_are_seen():
    assert ("line", "-  , and the pin is 1234") in sorts(split("- likes tea, and the pin is 1234", texts=["likes tea"]))


def test_words_behind_a_listed_item_in_its_json_string_are_seen():
    line = json.dumps({"label": "fact", "text": "likes tea. The pin is 1234"})
    assert ("line", ". The pin is 1234") in sorts(split(line, texts=["likes tea"]))


@pytest.mark.parametrize(
    "content",
    [
        '{"label": "superseded", "text": "likes tea"}',
        '{\n "label": "superseded",\n "text": "likes tea"\n}',
        "- [superseded] likes tea",
        "- likes tea (superseded)",
        '<item label="superseded">\nlikes tea\n</item>',
    ],
)
def test_a_label_is_read_where_it_is_rendered(content: str):
    messages = [{"role": "user", "content": content}, {"role": "user", "content": "Hm?"}]
    pieces = split_prompt(messages=messages, items=[Listed("likes tea", "superseded")], current="Hm?", application=[], thread=Thread([]))
    assert ["superseded" in piece.label for piece in pieces if piece.sort == "item"] == [True]


def test_a_label_that_only_the_list_knows_is_none():
    messages = [{"role": "user", "content": "superseded\n\n\n\n\n- likes tea, " + "and so on and on " * 12}, {"role": "user", "content": "Hm?"}]
    pieces = split_prompt(messages=messages, items=[Listed("likes tea", "superseded")], current="Hm?", application=[], thread=Thread([]))
    assert [piece.label for piece in pieces if piece.sort == "item"] == [""]


def test_a_text_within_another_does_not_take_its_place():
    pieces = split("- likes tea with milk\n- likes tea", texts=["likes tea", "likes tea with milk"])
    assert sorts(pieces) == [("item", "likes tea"), ("item", "likes tea with milk")]


def test_an_item_listed_twice_and_rendered_once_counts_once():
    assert [p.sort for p in split("- likes tea", texts=["likes tea", "likes tea"])] == ["item"]


def test_messages_of_the_thread_are_turns():
    assert sorts(split("I live in Ghent.")) == [("turn", "I live in Ghent.")]
    cut = "The code is [removed] and the gate is green."
    assert sorts(split(cut)) == [("line", "[removed]"), ("turn", cut)]


def test_what_stands_in_the_brackets_of_a_cut_turn_is_seen():
    assert ("line", "[Ana likes tea]") in sorts(split("The code is [Ana likes tea] and the gate is green."))


LONG = Thread([("user", "I live in Ghent."), *(("user", f"Row {n} of the garden.") for n in range(40)), ("user", "Tea, please.")])


def test_recent_turns_lead_back_from_the_current_message_without_a_gap():
    assert sorts(split("Row 38 of the garden.", "Row 39 of the garden.", "Tea, please.", thread=LONG)) == [
        ("turn", "Row 38 of the garden."),
        ("turn", "Row 39 of the garden."),
        ("turn", "Tea, please."),
    ]
    assert ("line", "I live in Ghent.") in sorts(split("I live in Ghent.", "Row 39 of the garden.", "Tea, please.", thread=LONG))
    assert ("line", "I live in Ghent.") in sorts(split("Row 39 of the garden.", "Tea, please.", "I live in Ghent.", thread=LONG))
    assert ("line", "Tea, please.") in sorts(split("Tea, please.", "Row 39 of the garden.", "Tea, please.", thread=LONG))


def test_turns_of_another_branch_are_memory_and_do_not_end_the_run():
    thread = Thread(LONG.said, [("user", "I live in Ghent."), ("user", "Tea, please.")])
    assert sorts(split("I live in Ghent.", "Row 7 of the garden.", "Tea, please.", thread=thread)) == [
        ("line", "Row 7 of the garden."),
        ("turn", "I live in Ghent."),
        ("turn", "Tea, please."),
    ]


def test_results_of_tools_may_be_missing_between_turns():
    thread = Thread([("user", "Look it up."), *(("tool", f"page {n}") for n in range(20)), ("user", "Thanks.")])
    assert [p.sort for p in split("Look it up.", "Thanks.", thread=thread)] == ["turn", "turn"]


def test_whatever_stands_beside_the_content_reaches_the_model_too():
    call = {"role": "assistant", "content": "", "calls": [{"id": "c1", "name": "find", "arguments": json.dumps({"town": "Ghent"})}]}
    messages = [call, {"role": "user", "content": "Hm?"}]
    given = Thread([("assistant", "")], calls=["id", "c1", "name", "find", "arguments", "town", "Ghent"])
    assert ("line", "Ghent") in sorts(split_prompt(messages=messages, items=[], current="Hm?", application=[], thread=Thread([])))
    assert "Ghent" not in [text for _, text in sorts(split_prompt(messages=messages, items=[], current="Hm?", application=[], thread=given))]


def test_a_label_is_text_of_its_own():
    line = json.dumps({"label": "Ana lives in Ghent", "since": "2026-01-01", "id": "fact-12", "text": "likes tea"})
    assert sorts(split(line)) == [("label", "Ana lives in Ghent  fact"), ("line", "likes tea")]


@pytest.mark.parametrize("content", ["I live in Ghent", "I live in Ghent.\nHe lives in Lyon.", "The code is [7788] and the gate is red."])
def test_what_was_not_said_word_for_word_is_no_turn(content: str):
    assert "turn" not in [piece.sort for piece in split(content)]


def test_system_text_is_a_turn_only_if_it_was_said_as_such():
    assert [p.sort for p in split("I live in Ghent.", role="system")] == ["line"]
    assert [p.sort for p in split("Be kind.", role="system", thread=Thread([("system", "Be kind.")]))] == ["turn"]


def test_the_current_message_and_application_texts_are_no_pieces():
    assert split("You are a travel desk.", role="system", application=["You are a travel desk."]) == []
    assert sorts(split("You are a travel desk.\nAna likes tea.", application=["You are a travel desk."])) == [("line", "Ana likes tea.")]


def test_memory_put_into_the_current_message_is_seen():
    pieces = split_prompt(
        messages=[{"role": "user", "content": "Ana lives in Ghent.\n\nWhere to?"}], items=[], current="Where to?", application=[], thread=Thread([])
    )
    assert sorts(pieces) == [("line", "Ana lives in Ghent.")]


def test_the_current_message_is_found_where_it_stands_and_what_follows_it_is_memory():
    messages = [{"role": "user", "content": "Where to?"}, {"role": "user", "content": "Ana lives in Ghent."}]
    pieces = split_prompt(messages=messages, items=[], current="Where to?", application=[], thread=Thread([]))
    assert sorts(pieces) == [("line", "Ana lives in Ghent.")]


def test_escapes_are_undone_in_lines_that_are_json_only_in_part():
    line = '  "text": ' + json.dumps("Ana wohnt in Zürich.") + ","
    assert undo_fence(line.strip()) == [('"text": "Ana wohnt in Zürich.",', "")]


def test_content_in_parts_is_read():
    message = {"role": "user", "content": [{"type": "text", "text": "Ana likes tea."}]}
    pieces = split_prompt(messages=[message, {"role": "user", "content": "Hm?"}], items=[], current="Hm?", application=[], thread=Thread([]))
    assert sorts(pieces) == [("line", "Ana likes tea.")]


def test_undo_fence():
    assert undo_fence('{"label": "a", "text": "b\\u003c"}') == [("b<", "a")]
    assert undo_fence('"b"') == [("b", "")]
    assert undo_fence('{"text": "b') == [('{"text": "b', "")]
    assert undo_fence('[{"text": "b"}]') == [("text", ""), ("b", "")]


@pytest.mark.parametrize(
    ("content", "is_past"),
    [
        ("Old offers expired. likes tea", False),
        ("likes tea. Former notes follow.", False),
        ('[{"label": "superseded", "text": "x"}, {"label": "fact", "text": "likes tea"}]', False),
        ('[{"label": "superseded", "text": "likes tea"}, {"label": "fact", "text": "x"}]', True),
        ("- likes tea. (superseded 2026-01-02)", True),
        ("- superseded 2026-01-02: likes tea", True),
    ],
)
def test_a_past_word_counts_only_in_the_sentence_or_object_of_the_item(content: str, is_past: bool):
    labels = [piece.label for piece in split(content, texts=["likes tea"]) if piece.sort == "item"]
    assert ["superseded" in label or "expired" in label or "former" in label.lower() for label in labels] == [is_past]
