"""One verdict from several judges' on any items, without a set."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from nextpair.schemas.common import LONGEST_LIST, JudgeName, Key, Probability, Request, Response
from nextpair.words import AggregationName

MOST_CLASSES = 100


def _different(names: Sequence[str]) -> Sequence[str]:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} occurs twice; name each class once")
    return names


def _answer(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, str | int | float | None):
        raise ValueError("an answer is the name of a class, a probability of yes from 0 to 1, or null")
    if isinstance(value, int | float) and not 0.0 <= value <= 1.0:
        raise ValueError(f"{value} is not a probability of yes; send one from 0 to 1, or null")
    return value


ClassName = Annotated[str, Field(min_length=1, max_length=200, examples=["A"])]
ItemAnswer = Annotated[Probability | str | None, BeforeValidator(_answer)]


class ItemAnswers(Request):
    """An item, and what judges and people say of it: the name of a class, or P(yes) without classes."""

    item: Key
    answers: dict[JudgeName, ItemAnswer] = Field(description="By judge; null or a missing judge means no answer.")
    labels: dict[JudgeName, ItemAnswer] = Field(default_factory=dict, description="Labels by person.")
    texts: dict[str, str] | None = Field(
        default=None, description="Texts of the item by field, for methods that read texts."
    )
    group: Key | None = Field(
        default=None,
        description="Items with the same group, such as answers to one question, stay together in training splits.",
    )


class AggregationIn(Request):
    method: AggregationName = Field(default="dawid-skene", description="How judges are weighted.")
    classes: Annotated[list[ClassName], AfterValidator(_different)] | None = Field(
        default=None,
        min_length=2,
        max_length=MOST_CLASSES,
        description="Classes that answers name, including a tie that is a class of its own. By default, answers are "
        "probabilities of yes, 0 and 1 included.",
        examples=[["A", "B", "tie"]],
    )
    tie: ClassName | None = Field(
        default=None, description="A word beside the classes that counts as an equal share of a vote for each."
    )
    items: list[ItemAnswers] = Field(min_length=1, max_length=LONGEST_LIST)
    regulariser: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] | None = Field(
        default=None,
        description="For `skill-aggregation` and `skill-aggregation-x`: limits the weight of overconfident judges. By "
        "default, the value that predicts held-out answers best.",
    )
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = Field(
        default=0, description="Seed of training splits and of draws that break ties."
    )


class ItemVerdict(Response):
    item: str
    verdict: str = Field(
        description="The most probable class, drawn at random among equals. Without classes, yes or no."
    )
    p: dict[str, float] = Field(description="Probability by class.")


class LabelAgreement(Response):
    """Agreement with people on the items that they labelled."""

    items: int
    share: float
    interval: tuple[float, float] = Field(description="95% Wilson interval.")


class ItemAlpha(Response):
    """Krippendorff's alpha, the agreement of all judges: 1 is full agreement, 0 is chance."""

    value: float
    interval: tuple[float, float] = Field(description="95% interval.")
    items: int = Field(description="Items that several judges judged.")


class AggregatedJudge(Response):
    judge: str
    votes: int
    agreement: float | None = Field(description="Share of its votes that agree with the combined verdicts.")
    confusion: dict[str, dict[str, float]] | None = Field(
        description="Probability of each named class (inner) by true class (outer), as the method estimates it. Null "
        "where judges are weighted the same."
    )
    with_people: float | None = Field(description="Share of the labelled items on which it agrees with people.")
    interval: tuple[float, float] | None = Field(description="95% Wilson interval of `with_people`.")
    labelled: int = Field(description="Items that people labelled and it judged.")


class Aggregation(Response):
    method: AggregationName
    converged: bool
    classes: dict[str, int] = Field(description="Number of items with each class as the verdict.")
    people: str = Field(
        description="How accurate judges are by people's labels, and which method weights them best, in words."
    )
    alpha: ItemAlpha | None = Field(description="Null where no two judges share an item, or all answers are the same.")
    warnings: list[str] = Field(description="Problems with judges, as far as the answers show them.")
    label_next: list[str] = Field(
        description="Items that people should label next; these tell the most about the judges."
    )
    ways: dict[str, LabelAgreement] = Field(
        description="Accuracy by method of weighting judges, each on labels that it did not use. Empty without labels."
    )
    judges: list[AggregatedJudge] = Field(description="In the order of their first answers.")
    items: list[ItemVerdict] = Field(description="In the order of the request.")
