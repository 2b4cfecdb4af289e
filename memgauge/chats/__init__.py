"""Conversations from the exports of assistants: one shape whatever they came from, and an account of what was left out."""

from memgauge.chats.chat import Chat, Left, Turn
from memgauge.chats.reading import FORMATS, read_chats

__all__ = ["FORMATS", "Chat", "Left", "Turn", "read_chats"]
