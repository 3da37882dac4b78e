"""Errors and refusals of servers, which say them in many ways: in the body of a success, in codes of their own."""

import re
from collections.abc import Iterator
from typing import Any

import httpx

REFUSED = re.compile(
    r"content.?(filter|policy|management)|policy.?violation|responsible.?ai|safety|prohibited|refusal|blocklist|recitation",
    re.IGNORECASE,
)
TOO_LARGE = re.compile(r"request too large|maximum context|context.?length|too many tokens", re.IGNORECASE)
MEANT = {
    429: r"rate.?limit|too many requests|quota|throttl",
    402: r"billing|credit|payment|balance",
    401: r"api.?key|authenticat|unauthori[sz]ed",
    403: r"permission|forbidden|access.?denied",
    404: r"not.?found|does not exist",
    503: r"overload|unavailable|capacity|busy|loading",
    504: r"time.?out|timed out|deadline",
    400: r"invalid|bad.?request|unsupported|not supported",
}  # a status, and how an error that has none says it; any other error is the server's own
SERVERS_OWN = 500
CUT = ("length", "max_tokens", "MAX_TOKENS")  # reasons why an answer ends in the middle


def meant_status(answer: httpx.Response) -> int:
    """The status of an answer: of an error in a success, the one that it stands for."""
    error = _error(answer)
    if error is None:
        return answer.status_code
    words = _words(error)
    if answer.status_code == 429 and TOO_LARGE.search(words):
        return 413  # of this prompt, however long one waits
    if not answer.is_success:
        return answer.status_code
    if _is_refused(error):
        return 400
    codes = [int(code) for code in _codes(error) if re.fullmatch(r"[45]\d\d", code)]
    meant = (status for status, pattern in MEANT.items() if re.search(pattern, words, re.IGNORECASE))
    return codes[0] if codes else next(meant, SERVERS_OWN)


def refusal(answer: httpx.Response) -> str | None:
    """Why the model or a filter before it does not answer this prompt, if it says so. Takes the meant status."""
    error = _error(answer)
    if error is not None:
        own = 400 <= answer.status_code < 429
        return f"The server refuses: {_words(error)}"[:1000] if own and _is_refused(error) else None
    choice = _choice(_json(answer))
    message = choice.get("message")
    if isinstance(message, dict) and isinstance(message.get("refusal"), str) and message["refusal"]:
        return f"The model refuses: {message['refusal']}"[:1000]
    reason = str(choice.get("finish_reason") or "")
    return f"The server stopped the answer: {reason}." if REFUSED.search(reason) else None


def is_cut_off(body: Any) -> bool:
    """Whether a chat's answer ends in the middle."""
    return body["choices"][0].get("finish_reason") in CUT


def _error(answer: httpx.Response) -> Any:
    """Message of an error in a response, in the places where servers put it; None where it says none."""
    body = _json(answer)
    if body.get("object") == "error" or (body.get("type") == "error" and "error" not in body):
        return body
    return body.get("error") or _choice(body).get("error") or None


def _is_refused(error: Any) -> bool:
    return any(REFUSED.search(code) for code in _codes(error))


def _codes(error: Any) -> Iterator[str]:
    """Codes and kinds of an error, the outermost first."""
    if isinstance(error, dict):
        yield from (str(error[name]) for name in ("code", "status", "type") if error.get(name) is not None)
        for name in ("innererror", "inner_error", "metadata", "error"):
            yield from _codes(error.get(name))


def _words(error: Any) -> str:
    if not isinstance(error, dict):
        return str(error)
    return " ".join([*_codes(error), str(error.get("message") or "")]).strip()


def _choice(body: dict[str, Any]) -> dict[str, Any]:
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}


def _json(answer: httpx.Response) -> dict[str, Any]:
    try:
        body = answer.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
