"""Words that readers do not know, or that say something private, and what to write instead."""

import re
from collections.abc import Iterator
from typing import NamedTuple

BANNED = {
    r"hang(s|ing)? on|hung on": "depend on",
    r"afresh|anew": "again",
    r"of them all": "leave it out",
    r"so it is with": "the same holds for",
    r"but for": "except for",
    r"heed(s|ed|ing)?": "respect",
    r"whom nobody|who nobody": "say it in the active voice",
    r"what is left of": "the rest of",
    r"there already": "existing",
    r"(?<!ease )(?<!terms )(?<!conditions )of use": "useful",
    r"foretell(s|ing)?|foretold|foresight": "forecast, prediction",
    r"coins|toss(es|ed|ing)? (a )?coins?": "random judging, chance",
    r"surely": "with its level: at 95% confidence",
    r"heard": "up-weighted, counted",
    r"fooled": "have correlated errors",
    r"believed": "trusted",
    r"told": "sent, shared, distinguished",
    r"held against": "validated against",
    r"taken at (its|their) word": "trusted",
    r"turned round": "inverted",
    r"by its own rule": "when its stop rule is met",
    r"in the way": "busy",
    r"looked at after": "continuously monitored",
    r"counts? twice": "is idempotent",
    r"for ever": "always",
    r"liking (for|of)": "position bias, preference",
    r"sureness": "confidence, expected concordance",
    r"certainty": "confidence",
    r"accord": "relative discrimination, agreement",
    r"tastes?": "judge effects",
    r"departures?": "deviations",
    r"pooled evidence": "shared priors",
    r"go(es)? round|circles": "cycles, intransitive",
    r"judge?ments?": "verdict (sent by a judge), comparison (in the log)",
    r"settle[sd]?|settling": "decide, converge",
    r"echo(es)?": "repeat correlation",
    r"likelier": "more likely",
    r"landscape": "moments",
}
IN_CODE = {r"rooms?": "layer, package, buffer, space"}
RULES = [(re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), instead) for pattern, instead in BANNED.items()]
RULES_OF_CODE = [(re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), instead) for pattern, instead in IN_CODE.items()]


class Offence(NamedTuple):
    line: int
    word: str
    instead: str


def offences(text: str, line: int = 1, of_code: bool = False) -> Iterator[Offence]:
    """Find banned words in a text that begins at a line."""
    for pattern, instead in RULES + (RULES_OF_CODE if of_code else []):
        for found in pattern.finditer(text):
            yield Offence(line + text.count("\n", 0, found.start()), " ".join(found[0].split()), instead)
