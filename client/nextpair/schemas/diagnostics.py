"""Diagnostics, the matrix of who beats whom, and the checks: how far a ranking can be relied on."""

from uuid import UUID

from pydantic import Field

from nextpair.schemas.common import Computed, Failure, Response
from nextpair.schemas.judges import Agreement
from nextpair.schemas.rankings import HeldOut, JudgeBias
from nextpair.words import CheckVerdict, MatrixName


class Cycles(Response):
    """Triples of candidates whose three pairs were all judged."""

    triads: int
    cyclic: int = Field(description="a beats b, b beats c, c beats a.")
    share: float | None = Field(description="Coin flips give a quarter.")


class Repeats(Response):
    """One judge on one pair, more than once."""

    same_order: Agreement
    swapped: Agreement = Field(description="In the other order; a judge that names the same text agrees.")
    first_both: float | None = Field(description="Share of the swapped ones where the first position won both times.")
    second_both: float | None


class OrderBalance(Response):
    worst: int = Field(description="How many times more often one candidate was shown in one position than the other.")
    mixed: float | None = Field(
        description="Share of what verdicts say of a liking for a position that could not be merit: 1 where everyone"
        " was shown first as often as second, 0 where positions and merit cannot be told apart."
    )
    first_picked: float | None = Field(description="Mean probability that the first is better, by weight.")


class JudgeDiagnostics(Response):
    comparisons: int
    failures: dict[Failure, int]
    failure_rate: float | None
    first_picked: float | None = Field(
        description="Mean probability of the first, by weight: beta of the gaussian expert."
    )
    delta: float | None = Field(description="Its logit, a quick estimate of the bias; null if infinite.")


class Moment(Response):
    """The ranking as it was."""

    version: int
    comparisons: int
    entropy: float
    concordance: float = Field(description="Expected share of the pairs in the right order, as in the ranking.")
    rank_correlation: float = Field(description="Spearman's, with the ranking now.")


class Diagnostics(Computed):
    comparisons: int
    components: int
    cycles: Cycles
    repeats: Repeats
    agreement: Agreement = Field(description="Of different judges on the same pair of the same item.")
    order_balance: OrderBalance
    position_bias: dict[str, JudgeBias] = Field(
        description="Estimated together with the scores, whatever the set does."
    )
    judges: dict[str, JudgeDiagnostics]
    held_out: HeldOut | None
    history: list[Moment] = Field(
        description="Oldest first, evenly spaced, about the set's inference target of now; the last is the ranking."
    )


class Check(Response):
    name: str
    verdict: CheckVerdict = Field(description="`unknown` where there is too little to tell.")
    says: str = Field(description="In plain words, with the remedy where there is one.")
    figure: str


class Checks(Computed):
    checks: list[Check]


class Matrix(Response):
    set_id: UUID
    version: int
    of: MatrixName
    keys: list[str] = Field(description="The N candidates, best first.")
    cells: str = Field(
        description="N * N bytes in base64, row by row: 200 times the probability that the row's candidate beats the "
        "column's, or 255 where that is unknown: `observed` is the mean verdict, `expected` the probability that the "
        "row is truly better, `win-rate` the expected share of verdicts that the row wins."
    )
