"""Names of before 0.2, which still answer in 0.2 and are removed in 0.3, with this module and the lines that use it.

Responses carry an old field beside the new one, requests and methods accept either, and Python warns of each.
"""

import warnings
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

from pydantic import ConfigDict, ValidationInfo, computed_field, model_validator

from nextpair.schemas.common import Request, Response

P = ParamSpec("P")
R = TypeVar("R")
GONE = "removed in 0.3"


def warn(old: str, new: str) -> None:
    warnings.warn(f"{old} is the old name of {new} and {GONE}; use {new}.", DeprecationWarning, stacklevel=3)


# Responses


class OldNames(Response):
    """A response some of whose fields are sent, and can be read, by their old names too."""

    model_config = ConfigDict(serialize_by_alias=True)

    if not TYPE_CHECKING:  # else type checkers would take any name

        def __getattr__(self, name: str) -> object:
            if (quiet := f"_{name}") in type(self).model_computed_fields:
                warn(name, getattr(type(self), quiet).fget.new)
                return getattr(self, quiet)
            return super().__getattr__(name)


def old_name(old: str, new: str, shape: Any, convert: Callable[[Any], object] = lambda value: value) -> Any:
    """The field `new` by its old name and in its old shape; assign it to the old name behind an underscore."""

    def read(self: Response) -> object:
        value = getattr(self, new)
        return None if value is None else convert(value)

    vars(read)["new"] = new
    about = f"Old name of `{new}`; {GONE}."
    field = computed_field(alias=old, return_type=shape, description=about, json_schema_extra={"deprecated": True})
    return field(property(read))


class Foretold(Response):
    comparisons: int
    concordance: float


class Sureness(Response):
    concordance: float
    pairs: int
    interval: tuple[float, float]
    forecast: list[Foretold]


class Departure(Response):
    key: str
    departure: float
    sd: float


class Tastes(Response):
    sd: float
    departures: list[Departure]


class Evidence(Response):
    scale: float
    votes: dict[str, float]


class Accord(Response):
    overall: float
    since: int
    before: float | None
    after: float
    named: Literal["coins", "against", "changed"] | None


def sureness(confidence: Any) -> Sureness:
    return Sureness(
        concordance=confidence.expected_concordance,
        pairs=confidence.pairs,
        interval=confidence.interval,
        forecast=[
            Foretold(comparisons=each.comparisons, concordance=each.expected_concordance)
            for each in confidence.forecast
        ],
    )


def tastes(effects: Any) -> Tastes:
    deviations = effects.largest_deviations
    return Tastes(
        sd=effects.sd,
        departures=[Departure(key=each.key, departure=each.deviation, sd=each.sd) for each in deviations],
    )


def tastes_by_judge(effects: Mapping[str, Any]) -> dict[str, Tastes]:
    return {judge: tastes(each) for judge, each in effects.items()}


def evidence(weight: Any) -> Evidence:
    return Evidence(scale=weight.score_variance, votes=weight.effective_votes)


def accord(discrimination: Any) -> Accord:
    named = {"random": "coins", "inverted": "against"}
    return Accord(
        overall=discrimination.overall,
        since=discrimination.since,
        before=discrimination.before,
        after=discrimination.after,
        named=named.get(discrimination.named, discrimination.named),
    )


# Requests


def _with_evidence(schema: dict[str, Any]) -> None:
    properties = schema["properties"]
    old = deepcopy(properties["verdict_weight"]) | {"title": "Evidence", "deprecated": True}
    properties["evidence"] = old | {"description": f"Old name of `verdict_weight`; {GONE}."}


class AcceptsEvidence(Request):
    """A request that takes `evidence` for `verdict_weight`."""

    model_config = ConfigDict(json_schema_extra=_with_evidence)

    @model_validator(mode="before")
    @classmethod
    def _renamed(cls, value: Any, info: ValidationInfo) -> Any:
        if not isinstance(value, dict) or "evidence" not in value:
            return value
        if "verdict_weight" in value:
            raise ValueError("send verdict_weight or evidence, its old name, not both")
        if info.context is None:  # of a request, the service counts the faults in it
            warn("evidence", "verdict_weight")
        sent = dict(value)
        sent["verdict_weight"] = sent.pop("evidence")
        return sent


# The client


def old_arguments(**new_of_old: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function take these keyword arguments by their old names."""

    def accept(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def renamed(*args: P.args, **kwargs: P.kwargs) -> R:
            for old, new in new_of_old.items():
                if old in kwargs:
                    if new in kwargs:
                        raise TypeError(f"{function.__name__} takes {new} or {old}, its old name, not both")
                    warn(old, new)
                    kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return renamed

    return accept


def renamed_function(old: str, new: Callable[P, R]) -> Callable[P, R]:
    """The function by its old name."""

    @wraps(new)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        warn(old, new.__name__)
        return new(*args, **kwargs)

    called.__name__ = old
    called.__doc__ = f"Old name of `{new.__name__}`; {GONE}."
    return called


RENAMED = {
    "ABOUT_CERTAINTY": "ABOUT_CONFIDENCE",
    "Accord": "RelativeDiscrimination",
    "Certainty": "Validation",
    "Departure": "LargestDeviation",
    "Evidence": "VerdictWeight",
    "Foretold": "ConfidenceForecast",
    "SliceDeparture": "SliceDeviation",
    "Sureness": "Confidence",
    "Tastes": "JudgeEffects",
    "Trust": "Checks",
}


def schema_of_old(name: str, schemas: Mapping[str, object]) -> object:
    """What an old name of `nextpair.schemas` stands for. Raises AttributeError for any other name."""
    if name not in RENAMED:
        raise AttributeError(f"module 'nextpair.schemas' has no attribute {name!r}")
    warn(name, RENAMED[name])
    return globals().get(name) or schemas[RENAMED[name]]
