"""The page of statuses and problems, from the words of the contract and the errors of the service."""

from collections.abc import Iterator
from typing import get_args

from nextpair.schemas import Lease
from nextpair.schemas.common import Failure
from nextpair.words import STATUSES, AskStatus, CheckVerdict, SetStatus, StopReason, Winner

from app.service import errors
from docs.api_reference import ProblemKind
from docs.markdown import code, table

INTRODUCTION = """# Statuses and problems

Every surface uses these words: HTTP, the Python client, the pages and the commands.
[Troubleshooting](../how-to/troubleshooting.md) says what to do about each.

## Set

The status of a set says what the next request for a pair finds. `next-pair` and the pages have the same word.
"""
AS_SET = {"open": "The set hands out pairs.", "paused": "You paused the set; it hands out no pairs."}
RULES = {
    "top_k": "The first *k* candidates are identified.",
    "rank_width": "Every rank interval is narrow enough.",
    "entropy_change": "New verdicts hardly change the posterior.",
    "concordance": "Enough pairs are expected in the right order.",
    "goal": "The goal of the set is reached.",
}
LEASES = {"leased": "A judge holds the pair until `expires_at`.", "released": "The judge gave the pair back."}
VERDICTS = {
    "first": "The first is better.",
    "second": "The second is better.",
    "tie": "They are equally good: half a vote for each.",
    "both_bad": "Neither is good. It counts as a tie.",
}
FAILURES = {
    "skipped": "A person skipped the pair.",
    "refused": "The model refused to judge.",
    "parse_error": "The answer of the model has no label.",
    "timeout": "The model did not answer in time.",
}
CHECKS = {
    "holds": "The check passes.",
    "doubt": "The check fails: read what it says.",
    "unknown": "There is too little data to tell.",
}
WORDS = {SetStatus: AS_SET, StopReason: RULES, Winner: VERDICTS, Failure: FAILURES, CheckVerdict: CHECKS}
SECTIONS = {
    "Set, as its owner set it": ("Write it by `PATCH /v1/sets/{id}` or `set.update(status=...)`.", AS_SET),
    "Stop rules": ("A set that is `converged` names the rule that is met.", RULES),
    "Leases": ("A pair is leased to one judge at a time.", LEASES),
    "Verdicts": ("A judge sends one of these words, or the probability that the first is better.", VERDICTS),
    "Failures": ("A judge that cannot say sends a failure. It is stored, and never counts as a vote.", FAILURES),
    "Diagnostics": ("Each check of a ranking has one of these results.", CHECKS),
}
PROBLEMS = """## Problems

An error is a problem of RFC 9457 in `application/problem+json`. Its `type` is `urn:nextpair:problem:` and the name
below. Branch on the `type`, and show people the `detail`. Where there is a time to wait, `Retry-After` has it. The
Python client waits and tries again.
"""


def problems(kind: type[errors.AppError] = errors.AppError) -> Iterator[type[errors.AppError]]:
    """Find the errors that are raised: those that nothing is derived from."""
    for below in kind.__subclasses__():
        yield from problems(below)
    if not kind.__subclasses__():
        yield kind


def problem_kinds() -> list[ProblemKind]:
    """Describe each problem: status, type and title."""
    return [ProblemKind(error.status, error.code, error.title) for error in (kind("") for kind in problems())]


def page() -> str:
    """Write the page."""
    of_sets = [[code(word), STATUSES[word], _where(word)] for word in STATUSES]
    lines = [INTRODUCTION, table(["status", "meaning", "where"], of_sets), ""]
    for title, (says, meanings) in SECTIONS.items():
        rows = [[code(word), meaning] for word, meaning in meanings.items()]
        lines += [f"## {title}\n", f"{says}\n", table(["word", "meaning"], rows), ""]
    waits = {kind("").code: f"{kind.retry_after} s" if kind.retry_after else "" for kind in problems()}
    rows = [[str(each.status), code(each.code), each.title, waits[each.code]] for each in sorted(problem_kinds())]
    return "\n".join([*lines, PROBLEMS, table(["status", "type", "meaning", "wait"], rows), ""])


def _where(word: str) -> str:
    return "every surface" if word in get_args(AskStatus) else "pages; requests for pairs get 503 `preparing`"


def lease_words() -> set[str]:
    """List the statuses of a lease."""
    return set(get_args(Lease.model_fields["status"].annotation))
