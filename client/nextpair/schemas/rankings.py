"""Rankings, and predictions of one pair."""

from uuid import UUID

from pydantic import Field

from nextpair.schemas import deprecated
from nextpair.schemas.common import Computed, Response
from nextpair.schemas.deprecated import OldNames, old_name
from nextpair.schemas.ranks import Rank
from nextpair.schemas.slices import Slices
from nextpair.words import (
    AbsoluteScale,
    ExpertName,
    InferenceTargetName,
    MethodName,
    PositionBias,
    PriorName,
    ScaleName,
    StopReason,
    VerdictWeightName,
)

ABOUT_CONFIDENCE = "Confidence refers to the judges' preference, not to ground truth."


class Method(OldNames):
    """The method that the ranking was computed by; null is what a baseline does not have."""

    name: MethodName
    expert: ExpertName | None
    expert_parameters: dict[str, float] | None
    prior: PriorName | None
    prior_variance: float | None
    position_bias: PositionBias = Field(description="What was done; of a set's `auto`, what it came to.")
    verdict_weight: VerdictWeightName | dict[str, float] | None
    absolute_scale: AbsoluteScale | None
    temperatures: dict[str, float]
    level: float = Field(description="Of the marginal intervals, of all rank intervals together, and of tie groups.")
    top_k: int = Field(description="Of `p_top_k`.")
    epsilon: float = Field(description="Of `tie_group`, in units of the scores; in logits whatever `scale` is.")
    scale: ScaleName | None = Field(
        default=None,
        description="Of scores, their differences, their sds and intervals, of `absolute_scores` and `judge_effects`: "
        "logits, or Elo, which is logits times 400 / ln 10 = 173.7. Both are 0 on average. Position biases, `epsilon` "
        "and `verdict_weight` stay in logits. Null of a method whose scores are no logits.",
    )
    _evidence = old_name("evidence", "verdict_weight", VerdictWeightName | dict[str, float] | None)


class InferenceTarget(Response):
    """The question that the ranking answers: what its ranks, intervals and probabilities are certain about."""

    name: InferenceTargetName
    sentence: str = Field(description="The target in plain words.")
    also: list[InferenceTargetName] = Field(description="Other targets that this log can answer.")


class Convergence(Response):
    converged: bool
    iterations: int
    gradient_norm: float = Field(description="Largest absolute entry of the gradient; of bradley-terry, its last step.")
    message: str


class JudgeBias(Response):
    """A judge's liking for the first position, in logits: d = c (s_first - s_second) + delta."""

    delta: float
    sd: float
    comparisons: int
    discrimination: float | None = Field(
        default=None,
        description="c, by the method judge-aware: 0 of a judge who tosses coins, below 0 of one who is against the "
        "others, 1 of people. 1 by all other methods.",
    )
    discrimination_sd: float | None = Field(default=None, description="Its standard deviation; 0 of people.")
    warning: str | None = Field(
        description="Set where verdicts tell less of it than priors do (orders are little mixed, or verdicts few), and "
        "where the judge is against the others."
    )


class VerdictWeight(Response):
    """Learnt from the comparisons, and from the set's pool."""

    score_variance: float = Field(description="tau2, the variance of the scores in logits.")
    effective_votes: dict[str, float] = Field(description="phi by judge: how many votes one of its answers is worth.")


class JudgeScale(OldNames):
    """score = c0 + c1 * what the judge said."""

    c0: float
    c1: float
    converged: bool = Field(description="Whether the estimate of the scale is final.")
    _settled = old_name("settled", "converged", bool)


class HeldOut(Response):
    """Pairs drawn at random (`random_share`), each predicted before it was judged: selection cannot bend this test."""

    comparisons: int
    agreement: float | None = Field(description="Share of those with a winner where the prediction names it.")
    log_loss: float = Field(description="Mean of -log p of the verdict; always saying 1/2 gives 0.693.")


class Stopping(Response):
    converged: bool
    reason: StopReason | None = Field(description="The criterion that is met.")
    forecast: int | None = Field(
        description="Comparisons of weight 1 that are probably still needed, the median; null where that is more than "
        "can be made, or than 100 times those so far. Of a set about new prompts `prompts` of the ranking says how "
        "many of them are needed; of one about people nothing is forecast."
    )
    forecast_interval: tuple[int, int | None] | None = Field(
        default=None, description="Low and high, of 80%; null is as for the median."
    )
    left: int | None = Field(
        default=None,
        description="Comparisons that the judges so far can still make, within the budget; null is without end.",
    )


class AgreementWithPeople(Response):
    """Pairs that people and other judges judged, and on which both name a winner."""

    pairs: int
    share: float = Field(description="Of them with the same winner; coins give a half.")
    interval: tuple[float, float] = Field(description="Wilson's, at `level`.")


class Temperature(Response):
    """How much surer or less sure than people's verdicts bear out a judge is; not applied unless the set says so."""

    temperature: float = Field(description="As in GET calibration, of what the judge said; above 1 it is too sure.")
    verdicts: int = Field(description="Of the judge on pairs that people judged too.")
    at_bound: bool = Field(description="The best temperature may lie outside [1/20, 20].")


class Validation(Response):
    """What the uncertainties are about, and what people say of the same pairs: judges of kind `human`."""

    about: str
    agreement_with_people: AgreementWithPeople | None = Field(
        description="Null where people and other judges have no pair in common."
    )
    temperature: dict[str, Temperature] | None = Field(
        description="By judge, from 20 verdicts on pairs that people judged too."
    )


class ConfidenceForecast(Response):
    """The confidence to expect with more comparisons of the same kind; it allows for scores that move."""

    comparisons: int = Field(description="Of weight 1 in all: 1.25, 1.5, 2 and 4 times as many as there are.")
    expected_concordance: float


class Confidence(Response):
    """How much of the order is right, as far as its judges can tell (`validation.about`)."""

    expected_concordance: float = Field(description="Expected share of these pairs that are in the right order.")
    pairs: int = Field(description="Those that matter to the set's goal; every two candidates where it is the ranking.")
    interval: tuple[float, float] = Field(description="That share is within it with probability `level`.")
    forecast: list[ConfidenceForecast] = Field(description="Empty before the first comparison.")


class Signal(Response):
    """Evidence that verdicts depend on what is compared: judges who toss coins, or like a position, give none."""

    e_value: float = Field(
        description="How much likelier the verdicts are foretold from those before them than by what each judge likes "
        "to say of any pair. Without signal it ever reaches 20 in at most one of twenty sets, however often one looks."
    )
    claimed: bool = Field(description="Whether `e_value` is 20 or more.")
    verdicts: int = Field(description="How many count: of each judge the first on a pair, unless it is a tie.")


class LargestDeviation(Response):
    key: str
    deviation: float = Field(description="What the judge adds to the common score of this candidate.")
    sd: float


class JudgeEffects(Response):
    """What a judge makes of candidates other than what all judges have in common, by the method consensus."""

    sd: float = Field(
        description="How far the judge departs from the common score, as a standard deviation over candidates. Of a "
        "judge alone it is a guess: half of the scores' own, by the set's `prior_variance`."
    )
    largest_deviations: list[LargestDeviation] = Field(
        description="The candidates on which it departs most, farthest first."
    )


class Prompts(Response):
    """What would settle a ranking that is about new prompts, if the scores stay where they are."""

    judged: int = Field(description="Prompts on which a pair was judged.")
    needed: int | None = Field(
        description="Prompts in all, with as many comparisons on each, that would settle what `stop` asks for; "
        "where it claims nothing of candidates, who is best, at 95%. Null where 100 times as many would not."
    )
    comparisons_suffice: bool | None = Field(
        description="Whether more comparisons on the same prompts can settle it; null where the log does not tell."
    )
    sentence: str = Field(description="The same in words.")


class CovariateEffect(Response):
    """The effect of a covariate, such as the length of outputs, on verdicts: taken out of the scores."""

    effect: float = Field(
        description="Logits for each standard deviation of the covariate over the outputs compared, whatever the "
        "`scale`; above 0: outputs with more of it win more. Of `length`, it is the natural logarithm of 1 + bytes."
    )
    sd: float
    interval: tuple[float, float] = Field(description="Marginal, at `level`.")
    identified: bool = Field(
        description="False where the effect cannot be told from the scores: outputs of each candidate are nearly alike."
    )
    sentence: str = Field(description="The same in words.")


class Ranking(Computed, OldNames):
    method: Method
    inference_target: InferenceTarget
    convergence: Convergence
    comparisons: int
    components: int
    entropy: float | None
    confidence: Confidence | None = Field(description="Null for a baseline, and where there are no two candidates.")
    validation: Validation
    signal: Signal
    first_place: str = Field(
        default="", description="What is claimed of the first place, in one sentence; empty before the first verdict."
    )
    position_bias: dict[str, JudgeBias] | None = Field(description="By judge, where it is estimated.")
    judge_effects: dict[str, JudgeEffects] | None = Field(
        default=None, description="By judge, by the method consensus alone."
    )
    verdict_weight: VerdictWeight | None = Field(
        description="Null where it is not learnt, and before the first comparison."
    )
    absolute_scores: dict[str, JudgeScale] | None = Field(description="By judge: how its scale maps to the scores.")
    held_out: HeldOut | None = Field(description="Null while no random pair was judged, and for a baseline.")
    stopping: Stopping | None = Field(description="By the set's own method; null where the set has no `stop`.")
    prompts: Prompts | None = Field(
        default=None, description="Null where it is settled, and where the ranking is not about new prompts."
    )
    baseline: str | None = Field(
        default=None, description="Key of the candidate that `against` compares with; null if none was named."
    )
    effects: dict[str, CovariateEffect] | None = Field(
        default=None, description="By covariate that was taken out of the scores; null if none was."
    )
    slices: Slices | None = Field(default=None, description="By the tag that was asked for; null if none was.")
    ranking: list[Rank]
    _sureness = old_name("sureness", "confidence", deprecated.Sureness | None, deprecated.sureness)
    _certainty = old_name("certainty", "validation", Validation)
    _tastes = old_name("tastes", "judge_effects", dict[str, deprecated.Tastes] | None, deprecated.tastes_by_judge)
    _evidence = old_name("evidence", "verdict_weight", deprecated.Evidence | None, deprecated.evidence)


class Prediction(Response):
    set_id: UUID
    version: int
    first: str
    second: str
    inference_target: InferenceTarget
    p_first_better: float
    mean_difference: float
    sd_difference: float
