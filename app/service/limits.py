"""Limits of this server on texts and sets."""

from collections.abc import Sequence

from nextpair.names import normal_name, unseen

from app.inference.regimes import DENSE
from app.service.errors import DuplicateKey, FieldFault, InvalidRequest, SetTooLarge, TextTooLarge
from app.settings import Settings

AN_OUTPUT = 100  # bytes in memory of one of a set's outputs, with what is known of its candidate


def refuse_large_text(text: str | None, pointer: str, settings: Settings) -> None:
    """Raises TextTooLarge."""
    limit = settings.max_text_chars
    if text is not None and len(text) > limit:
        raise TextTooLarge(
            f"A text has {len(text):,} characters; this server allows {limit:,} (NEXTPAIR_MAX_TEXT_CHARS). "
            "Shorten it, or compare an excerpt.",
            FieldFault(pointer, f"longer than {limit:,} characters"),
        )


def refuse_duplicates(keys: Sequence[str], pointer: str, complaint: str) -> None:
    """Raises DuplicateKey. In `pointer`, to one of them, {n} is its place; in the complaint {key!r} is the key."""
    seen: dict[str, int] = {}
    for n, key in enumerate(keys):
        if key in seen:
            fault = FieldFault(pointer.format(n=n), f"same key as {pointer.rpartition('/')[0].format(n=seen[key])}")
            raise DuplicateKey(complaint.format(key=key), fault)
        seen[key] = n


def refuse_unseen(name: str, noun: str, pointer: str | None = None) -> None:
    """Raises InvalidRequest where nobody sees all of a new name."""
    if what := unseen(normal_name(name)):
        fault = () if pointer is None else (FieldFault(pointer, f"has {what}"),)
        raise InvalidRequest(f"The name {name!r} of a {noun} has {what}, which nobody sees; remove it.", *fault)


def refuse_large_set(candidates: int, items: int, settings: Settings) -> None:
    """Raises SetTooLarge."""
    if candidates > settings.max_candidates:
        raise SetTooLarge(
            f"The set would have {candidates} candidates; this server allows {settings.max_candidates} "
            "(NEXTPAIR_MAX_CANDIDATES). Split the set, or raise the limit."
        )
    matrices = 3 * 8 * min(candidates, DENSE) ** 2  # a covariance, and as much again twice while it is made
    if matrices + items * candidates * AN_OUTPUT > settings.live_bytes // 4:
        raise SetTooLarge(
            f"{items} items of {candidates} candidates need more memory than one set may use (a quarter of "
            "NEXTPAIR_LIVE_BYTES). Split the items over several sets."
        )
