"""Names of candidates and judges: as they are kept, what nobody sees in them, and which look alike."""

import re
import unicodedata
from collections.abc import Iterable

JOINED = re.compile("(?<=[^\x00-\x7f])[\u200c\u200d](?=[^\x00-\x7f])")  # as Persian, Hindi and emoji need it
INVISIBLE = re.compile("[\u115f\u1160\u2800\u3164\uffa0]")  # letters and a symbol without a picture
UNSEEN = ("Cc", "Cf")  # Unicode categories: controls, but for those that are blanks, and formats
BETWEEN_WORDS = re.compile(r"[\s_.\-\u2010-\u2015\u2212]+")
TWINS = str.maketrans(  # Cyrillic and Greek, by Latin letters with the same picture
    "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0456\u0458\u0455"
    "\u03b1\u03b2\u03b5\u03b7\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7",
    "abekmhopctyxijsabehikvoptyx",
)
MOST_PAIRS = 5  # that a warning names


def normal_name(name: str) -> str:
    """The name as it is kept: in Unicode's form NFC, without blanks around it; one of blanks alone as it is."""
    return unicodedata.normalize("NFC", name).strip() or name


def unseen(name: str) -> str:
    """A character of the name that nobody sees, such as U+200B, or "only blanks"; empty where all of it is seen."""
    if not name.strip():
        return "only blanks"
    for character in JOINED.sub("", name):
        if (unicodedata.category(character) in UNSEEN and not character.isspace()) or INVISIBLE.match(character):
            return f"U+{ord(character):04X}"
    return ""


def look_alike(noun: str, names: Iterable[str], known: Iterable[str] = ()) -> list[str]:
    """A warning, or none: names that differ from each other, or from a known one, in what is easily overlooked."""
    first = {_picture(name): name for name in known}
    pairs = [(other, name) for name in names if (other := first.setdefault(_picture(name), name)) != name]
    if not pairs:
        return []
    named = ", ".join(f"{one!r} and {other!r}" for one, other in pairs[:MOST_PAIRS])
    more = f", and {len(pairs) - MOST_PAIRS:,} more" if len(pairs) > MOST_PAIRS else ""
    return [f"{noun}s look alike: {named}{more}; if two are the same {noun}, give them one name"]


def _picture(name: str) -> str:
    """The name without case, hidden characters, and what stands between its words."""
    if not name.isascii():
        name = "".join(each for each in unicodedata.normalize("NFKC", name) if unicodedata.category(each) not in UNSEEN)
    return BETWEEN_WORDS.sub("-", name.casefold().translate(TWINS)).strip("-") or name
