"""Verdicts, comparisons made elsewhere, voids, absolute scores, pooled evidence; and the log itself."""

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
    """Answers the entry of the log, or the failure when that was the verdict."""
    answer: TypeAdapter[Comparison | FailureRecorded] = TypeAdapter(Comparison | FailureRecorded)
    return write("POST", path_of("assignments", assignment_id, "verdict"), answer.validate_json, verdict)


def send_verdicts(verdicts: VerdictsIn) -> Call[VerdictResults]:
    """Each verdict has a result of its own, so a problem of one raises nothing."""
    return write("POST", path_of("verdicts"), VerdictResults.model_validate_json, verdicts)


def add_comparisons(set_id: Id, new: ComparisonsIn) -> Call[ComparisonsAccepted]:
    """All or nothing; comparisons whose `client_id` is known already count as duplicates."""
    return write("POST", path_of("sets", set_id, "comparisons"), ComparisonsAccepted.model_validate_json, new)


def list_comparisons(
    set_id: Id, *, after: int | None = None, limit: int | None = None, judge: str | None = None
) -> Call[ComparisonPage]:
    """One page of the log; pass its `next_after` as `after` for the next. `Client.export` gives all of it."""
    path = path_of("sets", set_id, "comparisons")
    return get(path, ComparisonPage.model_validate_json, after=after, limit=limit, judge=judge)


def all_comparisons(set_id: Id, *, judge: str | None = None, after: int | None = None) -> Listing[Comparison]:
    """Entries of the log, oldest first, from the one behind `after`."""
    page = partial(list_comparisons, set_id, judge=judge, limit=PAGE)
    return Listing(lambda after: page(after=after), lambda page: page.comparisons, after)


def void(set_id: Id, seq: int, *, reason: str) -> Call[Void]:
    """Takes a comparison back; both stay in the log."""
    path = path_of("sets", set_id, "comparisons", seq, "void")
    return write("POST", path, Void.model_validate_json, VoidIn(reason=reason))


def add_absolute_scores(set_id: Id, new: AbsoluteScoresIn) -> Call[AbsoluteScoresAccepted]:
    """All or nothing; of several scores by one judge for one output the last counts."""
    return write("POST", path_of("sets", set_id, "absolute-scores"), AbsoluteScoresAccepted.model_validate_json, new)


def list_absolute_scores(set_id: Id, *, after: int | None = None, limit: int | None = None) -> Call[AbsoluteScorePage]:
    """One page of them; pass its `next_after` as `after` for the next."""
    path = path_of("sets", set_id, "absolute-scores")
    return get(path, AbsoluteScorePage.model_validate_json, after=after, limit=limit)


def all_absolute_scores(set_id: Id, *, after: int | None = None) -> Listing[AbsoluteScore]:
    """Absolute scores, oldest first, from the one behind `after`."""
    return Listing(lambda after: list_absolute_scores(set_id, after=after, limit=PAGE), lambda page: page.scores, after)


def add_pooled_evidence(set_id: Id, new: PooledEvidenceIn) -> Call[PooledEvidence]:
    """Tells the set what is known from elsewhere of its judges and scores."""
    return write("POST", path_of("sets", set_id, "pooled-evidence"), PooledEvidence.model_validate_json, new)


def list_pooled_evidence(set_id: Id, *, after: int | None = None, limit: int | None = None) -> Call[PooledEvidencePage]:
    """One page of it; pass its `next_after` as `after` for the next."""
    path = path_of("sets", set_id, "pooled-evidence")
    return get(path, PooledEvidencePage.model_validate_json, after=after, limit=limit)


def all_pooled_evidence(set_id: Id, *, after: int | None = None) -> Listing[PooledEvidence]:
    """What the set was told by the others of its pool, oldest first, from the entry behind `after`."""
    return Listing(
        lambda after: list_pooled_evidence(set_id, after=after, limit=PAGE), lambda page: page.entries, after
    )
