"""The words of the contract that the command line offers too, without anything heavy to import."""

from collections.abc import Mapping
from math import floor
from typing import Any, Literal, get_args

CriterionName = Literal["variance", "determinant", "reordering", "exponent", "knowledge", "random", "covering"]
ExpertName = Literal[
    "soft-bt",
    "gaussian",
    "logit-gaussian",
    "sigma-beta",
    "phi-beta",
    "sigma-gaussian",
    "phi-gaussian",
    "laplace",
    "hard-bt",
]
BaselineName = Literal["win-ratio", "average-probability", "bradley-terry", "poe-g-hard"]
JointName = Literal["judge-aware", "consensus"]
MethodName = Literal[ExpertName, JointName, BaselineName]
ContextMethod = Literal["skill-aggregation", "skill-aggregation-x", "crowdlayer", "train-on-majority"]
AggregationName = Literal["average", "majority", "dawid-skene", ContextMethod]
TiesName = Literal["half", "class"]
JudgeKind = Literal["human", "llm"]
CovarianceName = Literal["sandwich", "published"]
SimultaneousName = Literal["contrasts", "ellipsoid"]
PairSort = Literal["recent", "disagreement", "surprise"]
MatrixName = Literal["observed", "expected", "win-rate"]
DiscriminationName = Literal["random", "inverted", "changed"]
JudgeStatus = Literal["fine", "random", "inverted", "changed"]
CheckVerdict = Literal["holds", "doubt", "unknown"]
SignalCase = Literal["claimed", "as-judged", "not-yet", "few-units", "order-follows-candidates", "one-side-always-wins"]
PriorName = Literal["unit", "anchor"]
VerdictWeightName = Literal["learnt", "one-vote"]
AbsoluteScale = Literal["estimate", "given"]
AbsoluteVariance = Literal["floored", "given"]
ScaleName = Literal["logit", "elo"]
CovariateName = Literal["length"]
InferenceTargetName = Literal["all-pairs", "new-items", "people", "latent"]
InferenceTargetChoice = Literal[InferenceTargetName, "auto"]
PositionBias = Literal["none", "estimate", "closed-form"]
PositionBiasChoice = Literal[PositionBias, "auto"]
BatchName = Literal["greedy", "top"]
StopReason = Literal["top_k", "rank_width", "entropy_change", "concordance", "goal"]
SetStatus = Literal["open", "paused"]  # as its owner set it
AskStatus = Literal["open", "all_leased", "exhausted", "cannot_converge", "budget_reached", "converged", "paused"]
PageStatus = Literal[AskStatus, "preparing"]
ObjectiveName = Literal["log-loss", "ece"]
PoolBy = Literal["project", "question", "none"]
OrderName = Literal["balanced", "both", "each", "as_selected"]
TableKind = Literal["texts", "systems", "battles"]
EstimatedGoal = Literal["ranking", "top_k", "against", "pair"]
TableLayout = Literal["long", "wide"]
ExportFormat = Literal["jsonl", "csv", "parquet"]
FigureWidth = Literal["single", "double"]
Winner = Literal["first", "second", "tie", "both_bad"]

STATUSES: dict[PageStatus, str] = {
    "open": "pairs wait for judges",
    "all_leased": "judges hold all remaining pairs",
    "exhausted": "no pair is left to judge",
    "cannot_converge": "no further verdict can meet the stop rule",
    "budget_reached": "the budget is used up",
    "converged": "the stop rule is met",
    "paused": "no pairs are handed out",
    "preparing": "the service compiles at its first start, up to a minute",
}
ORDERS_ASKED: dict[OrderName, int] = {"balanced": 1, "both": 2, "each": 2, "as_selected": 1}  # of each pair
LOCAL = "http://127.0.0.1:8000"  # the service by default
INSTALL = "In a checkout of nextpair, run `pip install ./client '.[all]'`, or install the wheels of `make wheels`."
JOINT: tuple[JointName, ...] = get_args(JointName)  # methods that estimate judges and scores together
GRACE_DAYS = 30  # from the deletion of a set until it can no longer be restored
MIN_WEIGHT, MAX_WEIGHT = 1e-6, 1_000_000  # verdicts that one comparison may stand for
FARTHEST_LOG, NARROWEST_LOG, WIDEST_LOG = 7.0, 0.01, 8.0  # means, and sds, of logarithms in shared priors
P_OF_WINNER: dict[Winner, float] = {"first": 1.0, "second": 0.0, "tie": 0.5, "both_bad": 0.5}


def counted(n: int, noun: str) -> str:
    """The number and its noun, which takes an s unless there is one: 1 pair, 1,200 pairs."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def in_words(error: Mapping[str, Any]) -> str:
    """What is wrong, by an error of pydantic's `errors()`."""
    if error["type"] == "uuid_parsing":
        return "not an id; copy it from the address of its page"
    message = str(error["msg"]).removeprefix("Value error, ")
    return message[:1].lower() + message[1:]


def percent(probability: float) -> str:
    """Whole per cent, halves up as on the pages. Only 0 and 1 look impossible and certain."""
    if probability in (0.0, 1.0):
        return f"{probability:.0%}"
    if probability >= 0.995:
        return ">99%"
    return "<1%" if probability < 0.005 else f"{floor(100.0 * probability + 0.5)}%"
