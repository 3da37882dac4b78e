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
            raise ValueError(f"{name!r} is there twice; name each class once")
    return names


def _answer(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, str | int | float | None):
        raise ValueError("write the name of a class, a probability of yes from 0 to 1, or null")
    if isinstance(value, int | float) and not 0.0 <= value <= 1.0:
        raise ValueError(f"{value} is no probability of yes; write one from 0 to 1, or null")
    return value


ClassName = Annotated[str, Field(min_length=1, max_length=200, examples=["A"])]
ItemAnswer = Annotated[Probability | str | None, BeforeValidator(_answer)]


class ItemAnswers(Request):
    """An item, and what judges and people say of it: the name of a class, or where none are named P(yes)."""

    item: Key
    answers: dict[JudgeName, ItemAnswer] = Field(description="By judge; null, or none at all, says nothing.")
    labels: dict[JudgeName, ItemAnswer] = Field(default_factory=dict, description="By person.")
    texts: dict[str, str] | None = Field(
        default=None, description="What the item says, by field, for methods that read it."
    )
    group: Key | None = Field(
        default=None, description="Items that belong together, as answers to one question, are never split in training."
    )


class AggregationIn(Request):
    method: AggregationName = Field(default="dawid-skene", description="How judges are weighed.")
    classes: Annotated[list[ClassName], AfterValidator(_different)] | None = Field(
        default=None,
        min_length=2,
        max_length=MOST_CLASSES,
        description="What answers name; a tie that is a class of its own is one of them. By default answers are "
        "probabilities of yes, 0 and 1 included.",
        examples=[["A", "B", "tie"]],
    )
    tie: ClassName | None = Field(
        default=None, description="A word beside the classes that is a like share of a vote for each of them."
    )
    items: list[ItemAnswers] = Field(min_length=1, max_length=LONGEST_LIST)
    regulariser: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] | None = Field(
        default=None,
        description="Of skill-aggregation and skill-aggregation-x: keeps sure judges from being believed too much. By "
        "default it is chosen by how well answers held out are foretold.",
    )
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = Field(
        default=0, description="Of splits and of draws that break ties."
    )


class ItemVerdict(Response):
    item: str
    verdict: str = Field(description="The likeliest class, drawn where several are; yes or no where none are named.")
    p: dict[str, float] = Field(description="Of each class.")


class LabelAgreement(Response):
    """Agreement with people on the items that they labelled."""

    items: int
    share: float
    interval: tuple[float, float] = Field(description="Of 95%, by Wilson.")


class ItemAlpha(Response):
    """Krippendorff's alpha: how far all judges agree, 1 always, 0 as by chance."""

    value: float
    interval: tuple[float, float] = Field(description="Of 95%.")
    items: int = Field(description="That several judged.")


class AggregatedJudge(Response):
    judge: str
    votes: int
    agreement: float | None = Field(description="Share of its votes that the verdicts bear out.")
    confusion: dict[str, dict[str, float]] | None = Field(
        description="By the method: how probably it names each class (inner) where the truth is one (outer). Null "
        "where judges are taken alike."
    )
    with_people: float | None = Field(description="Share of the labelled items on which it agrees with people.")
    interval: tuple[float, float] | None = Field(description="Of that share, of 95%, by Wilson.")
    labelled: int = Field(description="Items that people labelled, and it judged.")


class Aggregation(Response):
    method: AggregationName
    converged: bool
    classes: dict[str, int] = Field(description="How many items each is the verdict of.")
    people: str = Field(description="How right judges are by people's labels, and how to weigh them, in words.")
    alpha: ItemAlpha | None = Field(
        description="Null where no two judges have judged the same item, or all say the same."
    )
    warnings: list[str] = Field(description="What is wrong with judges, as far as it can be known.")
    label_next: list[str] = Field(description="Items that people should label, so that this is known soonest.")
    ways: dict[str, LabelAgreement] = Field(
        description="Ways to weigh judges, each on labels that it has not seen; none without labels."
    )
    judges: list[AggregatedJudge] = Field(description="In the order in which they first answer.")
    items: list[ItemVerdict] = Field(description="In the order of the request.")
