"""Conversations in cells: a JSON list of messages, each of which has a role and a content.

    [{"role": "user", "content": "Why is the sky blue?"}, {"role": "assistant", "content": "Air scatters blue light."}]

The last message is the output where the assistant wrote it; what comes before is the prompt.
"""

import json
from typing import Any, NamedTuple

FORM = 'write a JSON list of {"role": ..., "content": ...}'


class Conversation(NamedTuple):
    prompt: str
    output: str  # empty where the assistant has not answered


class NoConversationError(ValueError):
    """A cell that holds no conversation with a user: what is wrong, and the remedy."""


def is_conversation(cell: str) -> bool:
    """True for a list of messages, whatever they hold."""
    try:
        return bool(_messages(cell))
    except NoConversationError:
        return False


def parse(cell: str) -> Conversation:
    """The prompt is the text of a lone user message, else each message as `role: text`, with blank lines between.

    Raises NoConversationError.
    """
    messages = [(message["role"], _text(message["content"])) for message in _messages(cell)]
    output = messages.pop()[1] if messages and messages[-1][0] == "assistant" else ""
    if "user" not in [role for role, _ in messages]:
        raise NoConversationError("no message of the role 'user' before the output", "add what the systems were asked")
    if len(messages) == 1:
        return Conversation(messages[0][1], output)
    return Conversation("\n\n".join(f"{role}: {text}" for role, text in messages), output)


def _messages(cell: str) -> list[dict[str, Any]]:
    try:
        messages = json.loads(cell) if cell.startswith("[") else None
    except (ValueError, RecursionError):
        messages = None
    if not isinstance(messages, list) or not all(_is_message(each) for each in messages):
        raise NoConversationError("no list of messages", FORM)
    return messages


def _is_message(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("role"), str) and "content" in entry


def _text(content: Any) -> str:
    """Raises NoConversationError for pictures and calls of tools."""
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    texts = [part["text"] for part in parts if _is_text(part)]
    if len(texts) < len(parts):
        raise NoConversationError("a message that is not text", "leave the row out, or write what it says as text")
    return "\n".join(texts).strip()


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)
