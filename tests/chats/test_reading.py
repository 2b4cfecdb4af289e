from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memgauge.chats import Turn, read_chats
from memgauge.errors import InputError

DATA = Path(__file__).parent / "data"


def one(tmp_path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """The first conversation of the export, damaged."""
    [chat, *_] = json.loads((DATA / "chatgpt.json").read_text("utf-8"))
    change(chat)
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([chat]), "utf-8")
    return path


def test_what_a_person_saw_of_a_chatgpt_export() -> None:
    chats, left = read_chats(DATA / "chatgpt.json")
    expected = json.loads((DATA / "chatgpt-visible.json").read_text("utf-8"))
    assert [(c.id, c.title) for c in chats] == [(e["conversation_id"], e["title"] or "") for e in expected]
    assert [[(t.role, t.text) for t in c.turns] for c in chats] == [[(t["role"], t["text"]) for t in e["turns"]] for e in expected]
    assert chats[0].turns[0].at == "2025-01-15T10:00:40Z"
    assert left["hidden message"] == 1
    assert left["picture or sound"] == 2


def test_an_export_in_parts_in_a_folder_or_a_zip_is_the_same(tmp_path: Path) -> None:
    whole = json.loads((DATA / "chatgpt.json").read_text("utf-8"))
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for n, part in enumerate((whole[:3], whole[3:])):
            (tmp_path / f"conversations-00{n}.json").write_text(json.dumps(part), "utf-8")
            archive.writestr(f"conversations-00{n}.json", json.dumps(part))
        archive.writestr("user.json", "{}")
    (tmp_path / "user.json").write_text("{}", "utf-8")
    expected = read_chats(DATA / "chatgpt.json")[0]
    assert read_chats(tmp_path)[0] == expected
    assert read_chats(tmp_path / "export.zip")[0] == expected


def test_the_other_formats() -> None:
    claude, left = read_chats(DATA / "claude.json")
    assert [len(chat.turns) for chat in claude] == [4, 2]
    assert left["attachment"] == 1
    assert claude[0].title == "Garden shed permits"
    assert claude[0].turns[0].at == "2025-06-03T09:12:45Z"
    sharegpt, _ = read_chats(DATA / "sharegpt.json")
    assert sharegpt[2].turns[0].role == "assistant"
    rows, left = read_chats(DATA / "openai-chat.jsonl")
    assert [len(chat.turns) for chat in rows] == [2, 2, 2, 4]
    assert rows[1].turns[0] == Turn("user", "What is on this picture?")
    assert left["damaged line"] == 1


def _without_node(chat: dict[str, Any]) -> None:
    del chat["mapping"][chat["mapping"][chat["current_node"]]["parent"]]


def _ring(chat: dict[str, Any]) -> None:
    first = next(key for key, node in chat["mapping"].items() if node["parent"] is None)
    chat["mapping"][first]["parent"] = chat["current_node"]


@pytest.mark.parametrize(
    ("change", "turns", "said"),
    [
        (lambda chat: chat.update(current_node=None), 6, "conversation without a usable end: its newest branch was taken"),
        (lambda chat: chat.update(current_node="gone"), 6, "conversation without a usable end: its newest branch was taken"),
        (_without_node, 1, "conversation whose beginning cannot be reached"),
        (_ring, 6, "conversation whose beginning cannot be reached"),
        (lambda chat: chat.update(title=None, create_time=None), 6, "system message"),
    ],
)
def test_a_damaged_tree_keeps_what_can_be_reached(tmp_path: Path, change: Callable[[dict[str, Any]], object], turns: int, said: str) -> None:
    [chat], left = read_chats(one(tmp_path, change))
    assert len(chat.turns) == turns
    assert left[said] == 1


@pytest.mark.parametrize("time", ["yesterday", -5, 1e30, True, {}, float("nan")])
def test_a_time_that_cannot_be_is_none_and_counted(tmp_path: Path, time: object) -> None:
    def change(chat: dict[str, Any]) -> None:
        chat["mapping"][chat["current_node"]]["message"]["create_time"] = time

    [chat], left = read_chats(one(tmp_path, change))
    assert chat.turns[-1].at is None
    assert left["time that cannot be"] == 1


def test_of_a_file_cut_off_the_whole_conversations_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_bytes(b"\xef\xbb\xbf" + (DATA / "chatgpt.json").read_bytes()[:-9000])
    chats, left = read_chats(path)
    assert 0 < len(chats) < 6
    assert left["file that ends in damage; what stands before it was read"] == 1


def test_the_longer_of_two_copies_counts(tmp_path: Path) -> None:
    long = {"uuid": "a", "chat_messages": [{"sender": "human", "text": text} for text in ("one", "two")]}
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([long, {**long, "chat_messages": long["chat_messages"][:1]}]), "utf-8")
    [chat], left = read_chats(path)
    assert len(chat.turns) == 2
    assert left["conversation that is there twice"] == 1


def test_half_a_pair_of_surrogates_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text('[{"conversations": [{"from": "human", "value": "a\\ud83d b"}]}]', "utf-8")
    assert read_chats(path)[0][0].turns[0].text == "a\ufffd b"


@pytest.mark.parametrize("raw", [b"", b"[]", b"{}", b"[1, null]", b"\x00\x01", b"[" * 100_000, b'[{"mapping": {}}]'])
def test_nothing_to_read_is_one_clear_line(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "conversations.json"
    path.write_bytes(raw)
    with pytest.raises(InputError, match="no conversation found") as caught:
        read_chats(path)
    assert "ChatGPT" in caught.value.hint


def test_what_cannot_be_opened_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_chats(tmp_path / "gone.zip")
    broken = tmp_path / "broken.zip"
    with zipfile.ZipFile(broken, "w") as archive:
        archive.writestr("conversations.json", "[" + " " * 4000 + "]")
    raw = broken.read_bytes()
    broken.write_bytes(raw[:45] + b"\xff" * 8 + raw[53:])
    with pytest.raises(InputError, match="cannot be unpacked"):
        read_chats(broken)
