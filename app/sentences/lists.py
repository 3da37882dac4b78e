"""Lists of names in a sentence."""

from collections.abc import Sequence

NAMED = 3  # names that a sentence holds


def quoted(name: str) -> str:
    """The name, in quotes where it is a number: without them, 0 leads reads like a count."""
    return f'"{name}"' if name.isdecimal() else name


def named(names: Sequence[str]) -> str:
    """Up to three names, and how many more there are: a, b, c and 2 more."""
    more = len(names) - NAMED
    shown = [*map(quoted, names[:NAMED]), *([f"{more:,} more"] if more > 0 else [])]
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)
