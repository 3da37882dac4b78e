"""Confidence in a ranking, its validation against people, and the evidence of signal."""

from pydantic import Field

from nextpair.schemas.common import Response
from nextpair.words import SignalCase

ABOUT_CONFIDENCE = "Confidence refers to the judges' preference, not to ground truth; it is meant to be read once."


class AgreementWithPeople(Response):
    """Agreement on pairs that both people and other judges judged, where both name a winner."""

    pairs: int
    share: float = Field(description="Share of these pairs with the same winner; random judging gives 0.5.")
    interval: tuple[float, float] = Field(description="Wilson interval of `share` at `level`.")


class Temperature(Response):
    """How overconfident or underconfident a judge is, validated against people's verdicts.

    Applied only if the set's `temperatures` say so.
    """

    temperature: float = Field(description="Fitted as in `GET calibration`. Above 1 the judge is overconfident.")
    verdicts: int = Field(description="The judge's verdicts on pairs that people also judged.")
    at_bound: bool = Field(description="Whether the best temperature may lie outside [1/20, 20].")


class Validation(Response):
    """What confidence refers to, and how verdicts agree with people: judges of kind `human`."""

    about: str = Field(description="What confidence refers to, in one sentence.")
    agreement_with_people: AgreementWithPeople | None = Field(
        description="Null where people and other judges share no pair."
    )
    temperature: dict[str, Temperature] | None = Field(
        description="By judge, from 20 verdicts on pairs that people also judged."
    )


class ConfidenceForecast(Response):
    """Expected concordance with more comparisons of the same kind. It allows for scores that change."""

    comparisons: int = Field(
        description="Comparisons of weight 1 in total: 1.25, 1.5, 2 and 4 times the present number."
    )
    expected_concordance: float


class Confidence(Response):
    """How sure the order is, as far as its judges can tell (see `validation.about`)."""

    expected_concordance: float = Field(description="Expected share of these pairs in the right order.")
    pairs: int = Field(
        description="Pairs that matter to the set's goal. If the goal is the ranking, every two candidates."
    )
    interval: tuple[float, float] = Field(description="Interval of that share at `level`.")
    forecast: list[ConfidenceForecast] = Field(description="Empty before the first comparison.")


class Repetition(Response):
    """Whether a judge repeats itself: it gives the same answer to the same question again."""

    known: float | None = Field(
        description="Probability before it was asked again: 1 or 0 as declared, or its record in other sets. Null: "
        "nothing is known."
    )
    repeats: int = Field(description="Answers to a question that it had answered before, in the same order.")
    alike: int = Field(description="How many of them are the same again.")
    swaps: int = Field(0, description="Votes on a pair that it had seen in the other order.")
    swaps_alike: int = Field(0, description="How many of them are for the same candidate again.")
    probability: float = Field(
        description="Probability that it repeats itself. 0 where nothing is known: then its verdicts count as draws."
    )


class Signal(Response):
    """Evidence that verdicts depend on the candidates. Random judging and habits of position give none."""

    e_value: float = Field(
        description="How much more probable the winners are under scores than by chance. Without signal, it "
        "reaches 20 in at most 5% of sets, under continuous monitoring."
    )
    claimed: bool = Field(
        description="Whether chances are stated: `e_value` is 20 or more, or the case is `as-judged`."
    )
    verdicts: int = Field(
        description="Verdicts that count: one for each judge, prompt and pair, without ties; for new prompts, prompts."
    )
    order_e_value: float = Field(
        default=1.0,
        description="The same evidence that the order shown follows the candidates. `e_value` is divided by it. 1 "
        "where it makes no difference.",
    )
    case: SignalCase = Field(
        default="not-yet",
        description="Why chances are stated or not. That signal is not claimed is no evidence of chance. `as-judged`: "
        "the ranking is about all pairs, and its judges are known to repeat themselves. So it is what they say, more "
        "than chance or not.",
    )
