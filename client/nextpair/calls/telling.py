"""Verdicts, comparisons made elsewhere, voids, absolute scores and shared priors; and the log itself."""

from functools import partial

from pydantic import TypeAdapter

from nextpair.calls.description import PAGE, Call, Id, Listing, get, path_of, write
from nextpair.schemas import (
    AbsoluteScore,
    AbsoluteScorePage,
    AbsoluteScoresAccepted,
    AbsoluteScoresIn,
    Comparison,
    ComparisonPage,
    ComparisonsAccepted,
    ComparisonsIn,
    FailureRecorded,
    PooledEvidence,
    PooledEvidenceIn,
    PooledEvidencePage,
    VerdictIn,
    VerdictResults,
    VerdictsIn,
    Void,
    VoidIn,
)


def send_verdict(assignment_id: Id, verdict: VerdictIn) -> Call[Comparison | FailureRecorded]:
    """Send a verdict. Returns its entry of the log, or the failure if that was the verdict."""
    answer: TypeAdapter[Comparison | FailureRecorded] = TypeAdapter(Comparison | FailureRecorded)
    return write("POST", path_of("assignments", assignment_id, "verdict"), answer.validate_json, verdict)


def send_verdicts(verdicts: VerdictsIn) -> Call[VerdictResults]:
    """Send many verdicts. Each has its own result, so a problem with one raises nothing."""
    return write("POST", path_of("verdicts"), VerdictResults.model_validate_json, verdicts)


def add_comparisons(set_id: Id, new: ComparisonsIn) -> Call[ComparisonsAccepted]:
    """Add comparisons, all or none. Those with a known `client_id` count as duplicates."""
    return write("POST", path_of("sets", set_id, "comparisons"), ComparisonsAccepted.model_validate_json, new)


def list_comparisons(
    set_id: Id, *, after: int | None = None, limit: int | None = None, judge: str | None = None
) -> Call[ComparisonPage]:
    """Read one page of the log; pass its `next_after` as `after` for the next. `Client.export` gives all of it."""
    path = path_of("sets", set_id, "comparisons")
    return get(path, ComparisonPage.model_validate_json, after=after, limit=limit, judge=judge)


def all_comparisons(set_id: Id, *, judge: str | None = None, after: int | None = None) -> Listing[Comparison]:
    """List the comparisons of the log, oldest first, from the one after `after`."""
    page = partial(list_comparisons, set_id, judge=judge, limit=PAGE)
    return Listing(lambda after: page(after=after), lambda page: page.comparisons, after)


def void(set_id: Id, seq: int, *, reason: str) -> Call[Void]:
    """Void a comparison. Both entries stay in the log."""
    path = path_of("sets", set_id, "comparisons", seq, "void")
    return write("POST", path, Void.model_validate_json, VoidIn(reason=reason))


def restore_comparison(set_id: Id, seq: int) -> Call[Comparison]:
    """Undo a void. Returns the new entry of the log, a copy of the voided one."""
    return write("POST", path_of("sets", set_id, "comparisons", seq, "restore"), Comparison.model_validate_json)


def add_absolute_scores(set_id: Id, new: AbsoluteScoresIn) -> Call[AbsoluteScoresAccepted]:
    """Add scores, all or none. If a judge scored one output several times, the last counts."""
    return write("POST", path_of("sets", set_id, "absolute-scores"), AbsoluteScoresAccepted.model_validate_json, new)


def list_absolute_scores(set_id: Id, *, after: int | None = None, limit: int | None = None) -> Call[AbsoluteScorePage]:
    """Read one page of absolute scores; pass its `next_after` as `after` for the next."""
    path = path_of("sets", set_id, "absolute-scores")
    return get(path, AbsoluteScorePage.model_validate_json, after=after, limit=limit)


def all_absolute_scores(set_id: Id, *, after: int | None = None) -> Listing[AbsoluteScore]:
    """List absolute scores, oldest first, from the one after `after`."""
    return Listing(lambda after: list_absolute_scores(set_id, after=after, limit=PAGE), lambda page: page.scores, after)


def add_pooled_evidence(set_id: Id, new: PooledEvidenceIn) -> Call[PooledEvidence]:
    """Add priors from elsewhere about the set's judges and scores."""
    return write("POST", path_of("sets", set_id, "pooled-evidence"), PooledEvidence.model_validate_json, new)


def list_pooled_evidence(set_id: Id, *, after: int | None = None, limit: int | None = None) -> Call[PooledEvidencePage]:
    """Read one page of shared priors; pass its `next_after` as `after` for the next."""
    path = path_of("sets", set_id, "pooled-evidence")
    return get(path, PooledEvidencePage.model_validate_json, after=after, limit=limit)


def all_pooled_evidence(set_id: Id, *, after: int | None = None) -> Listing[PooledEvidence]:
    """List the shared priors of the set, oldest first, from the entry after `after`."""
    return Listing(
        lambda after: list_pooled_evidence(set_id, after=after, limit=PAGE), lambda page: page.entries, after
    )
