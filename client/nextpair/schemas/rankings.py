"""Rankings and their rows, slices of them by a tag, and predictions of one pair."""

from uuid import UUID

from pydantic import Field

from nextpair import words
from nextpair.schemas.common import Computed, Response
from nextpair.schemas.confidence import Confidence, Repetition, Signal, Validation


class AgainstBaseline(Response):
    """A candidate compared with the baseline system that you named."""

    difference: float = Field(
        description="Difference of the scores. For the inference target `all-pairs`, of the win rates, as shares."
    )
    interval: tuple[float, float] = Field(description="Marginal interval of `difference` at `level`.")
    p_better: float | None = Field(
        description="Probability that the candidate is better than the baseline system; null without signal."
    )
    win_rate: float | None = Field(
        description="Expected share of wins against the baseline system. Null for `all-pairs`, which is about wins "
        "against all."
    )
    win_rate_interval: tuple[float, float] | None = Field(description="Marginal interval at `level`.")


class Rank(Response):
    """One row of a ranking. A baseline has null for uncertainties.

    Where `signal` is not claimed, no candidates are distinguished. Every rank interval is then 1 to N and every tie
    group 1; `p_best`, `p_top_k` and `against.p_better` are null.
    """

    key: str
    rank: int
    score: float
    sd: float | None = None
    interval: tuple[float, float] | None = Field(default=None, description="Marginal interval of the score at `level`.")
    rank_interval: tuple[int, int] | None = Field(
        default=None, description="Best and worst rank. All candidates' rank intervals hold together at `level`."
    )
    p_best: float | None = Field(
        default=None,
        description="P(best): probability that the candidate is the best, alone or tied. A tie counts for each, so the "
        "sum may exceed 1, above all for `all-pairs`. From 2,000 to 10,000 draws, accurate to about 0.01.",
    )
    p_top_k: float | None = Field(default=None, description="Probability of being among the first `top_k`.")
    tie_group: int | None = Field(
        default=None,
        description="1 is the best group. Candidates of a lower group are worse than the first of the group above by "
        "more than `epsilon`. All such claims hold together at `level`.",
    )
    win_rate: float | None = Field(
        default=None, description="Expected share of wins against all others, each counted once; null if unknown."
    )
    win_rate_interval: tuple[float, float] | None = Field(default=None, description="Marginal interval at `level`.")
    against: AgainstBaseline | None = Field(
        default=None, description="Null for the baseline system itself, and if you named none."
    )
    comparisons: int
    component: int = Field(description="Candidates of different components were never compared, not even indirectly.")


class SliceDeviation(Response):
    """The pair of candidates whose difference in this slice deviates most from the other slices."""

    p_value: float = Field(
        description="From permuting the tag over prompts. It covers all pairs and all values of the tag together."
    )
    claimed: bool = Field(
        description="Whether `p_value` is at most (1 - `level`) / the number of tags in the set. Without real "
        "differences, at most 1 - `level` of sets have a claim on any tag."
    )
    first: str = Field(description="Key of the candidate that does better in this slice, compared with `second`.")
    second: str
    difference: float = Field(description="How much better, in units of the scores; not shrunk.")
    reversal: bool = Field(description="Whether `first` is ahead of `second` in this slice and behind it elsewhere.")
    sentence: str = Field(description="The same in one sentence.")


class Slice(Response):
    """The prompts with one value of the tag."""

    value: str
    prompts: int = Field(description="Prompts with at least one comparison.")
    comparisons: int
    deviation: SliceDeviation
    ranking: list[Rank] = Field(
        description="Best first, about new prompts with this value. Scores shrink towards those of all prompts, more "
        "so with fewer prompts. Rank intervals hold together within a slice, not across slices."
    )


class Slices(Response):
    """A ranking for each value of a tag, always about new prompts. It uses the present tags."""

    tag: str
    slices: list[Slice] = Field(description="Most prompts first.")
    untagged: int = Field(
        description="Prompts with comparisons but without the tag; they count in the whole ranking only."
    )
    shared: float | None = Field(
        description="Share of the variance between prompts that the tag does not explain; null if unknown."
    )
    sentence: str


class Method(Response):
    """How the ranking was computed. A baseline has null for what it lacks."""

    name: words.MethodName
    expert: words.ExpertName | None
    expert_parameters: dict[str, float] | None
    prior: words.PriorName | None
    prior_variance: float | None
    position_bias: words.PositionBias = Field(
        description="What was done about position bias. For a set with `auto`, what `auto` chose."
    )
    verdict_weight: words.VerdictWeightName | dict[str, float] | None = Field(
        description="How verdicts were weighted: `learnt`, `one-vote`, or votes by judge."
    )
    absolute_scale: words.AbsoluteScale | None
    temperatures: dict[str, float]
    level: float = Field(description="Level of the intervals, of all rank intervals together, and of tie groups.")
    top_k: int = Field(description="The k of `p_top_k`.")
    epsilon: float = Field(
        description="Smallest difference of scores that separates tie groups, in logits whatever `scale` is."
    )
    scale: words.ScaleName | None = Field(
        default=None,
        description="Unit of scores, differences, sds, intervals, `absolute_scores` and `judge_effects`. Elo is logits "
        "times 400 / ln 10 = 173.7; both average 0. Position biases, `epsilon` and `verdict_weight` stay in logits. "
        "Null for scores that are not logits.",
    )


class InferenceTarget(Response):
    """The question that the ranking answers: what its ranks, intervals and probabilities refer to."""

    name: words.InferenceTargetName
    sentence: str = Field(description="The inference target in one sentence.")
    also: list[words.InferenceTargetName] = Field(description="Other inference targets that this log can answer.")


class Convergence(Response):
    converged: bool
    iterations: int
    gradient_norm: float = Field(
        description="Largest absolute entry of the gradient before the last step. For `bradley-terry`, that step."
    )
    message: str


class JudgeBias(Response):
    """A judge's position bias delta, in logits: d = c (s_first - s_second) + delta."""

    delta: float
    sd: float
    comparisons: int
    discrimination: float | None = Field(
        default=None,
        description="c, estimated by the method `judge-aware`. 0 is random judging, below 0 is against the other "
        "judges; people have 1. All other methods use 1.",
    )
    discrimination_sd: float | None = Field(
        default=None, description="Standard deviation of `discrimination`; 0 for people."
    )
    warning: str | None = Field(
        description="Set where the estimate depends more on the prior than on verdicts, or where the judge disagrees "
        "with the others. Mix the orders of pairs, or collect more verdicts."
    )


class VerdictWeight(Response):
    """Weights learnt from the set's comparisons and from the sets that share priors with it."""

    score_variance: float = Field(description="tau2, the variance of the scores, in squared logits.")
    effective_votes: dict[str, float] = Field(description="phi by judge: how many votes one verdict counts as.")


class JudgeScale(Response):
    """Maps a judge's absolute scores to the scores of the ranking: score = c0 + c1 * absolute score."""

    c0: float
    c1: float
    converged: bool = Field(description="Whether the estimate of the scale converged.")


class HeldOut(Response):
    """A test of predictions on pairs drawn at random (`random_share`).

    Each was predicted before it was judged, so selection cannot bias it.
    """

    comparisons: int
    agreement: float | None = Field(description="Share of the decided comparisons whose winner was predicted.")
    log_loss: float = Field(description="Mean of -log p of the verdict, in nats. Always predicting 1/2 gives 0.693.")


class Stopping(Response):
    converged: bool
    reason: words.StopReason | None = Field(description="The stop criterion that is met.")
    forecast: int | None = Field(
        description="Median forecast of the comparisons of weight 1 still needed. Null beyond what can be collected or "
        "100 times the comparisons so far. About new prompts, see `prompts`; about people, nothing is forecast."
    )
    forecast_interval: tuple[int, int | None] | None = Field(
        default=None, description="80% interval of `forecast`: low and high. Null as for the median."
    )
    left: int | None = Field(
        default=None,
        description="Comparisons that the present judges can still add within the budget; null if unlimited.",
    )
    missing: str = Field(
        default="",
        description="What a set with prompts lacks before any stop, in words: verdicts on min(8, prompts) of its "
        "prompts, or evidence of signal. Empty where that is no obstacle.",
    )
    sentence: str = Field(default="", description="The same in words.")


class LargestDeviation(Response):
    key: str
    deviation: float = Field(
        description="What the judge adds to the common score of this candidate, in units of the scores."
    )
    sd: float


class JudgeEffects(Response):
    """A judge's own effects on candidates, beyond the score that all judges share. By the method `consensus`."""

    sd: float = Field(
        description="Standard deviation of the effects over candidates. For a single judge it is the guess of the "
        "prior, from `prior_variance`."
    )
    largest_deviations: list[LargestDeviation] = Field(
        description="The candidates with the largest deviations, largest first."
    )


class Prompts(Response):
    """What a ranking about new prompts still needs, if the scores stay as they are."""

    judged: int = Field(description="Prompts with at least one comparison.")
    needed: int | None = Field(
        description="Prompts in total, with as many comparisons on each, that meet `stop`. Without a claim in `stop`, "
        "those that identify the best at 95%. Null above 100 times `judged`."
    )
    comparisons_suffice: bool | None = Field(
        description="Whether more comparisons on the same prompts can be enough; null if unknown."
    )
    sentence: str = Field(description="The same in one sentence.")


class CovariateEffect(Response):
    """Effect of a covariate, such as the length of outputs, on verdicts. The scores exclude it."""

    effect: float = Field(
        description="Logits per standard deviation of the covariate over the outputs compared, whatever `scale` is. "
        "Above 0, outputs with more of it win more. `length` is ln(1 + bytes)."
    )
    sd: float
    interval: tuple[float, float] = Field(description="Marginal interval at `level`, in logits.")
    identified: bool = Field(
        description="False where effect and scores cannot be separated, because each candidate's outputs are nearly "
        "alike in it."
    )
    sentence: str = Field(description="The same in one sentence.")


class Ranking(Computed):
    method: Method
    inference_target: InferenceTarget
    convergence: Convergence
    comparisons: int
    components: int
    entropy: float | None
    confidence: Confidence | None = Field(description="Null for a baseline, and with fewer than two candidates.")
    validation: Validation
    signal: Signal
    first_place: str = Field(
        default="", description="The claim about first place, in words. Empty before the first verdict."
    )
    summary: list[str] = Field(
        default=[],
        description="The ranking in sentences: what it is about, its expected concordance, P(best), signal, next step.",
    )
    position_bias: dict[str, JudgeBias] | None = Field(description="By judge; null where it is not estimated.")
    repetition: dict[str, Repetition] | None = Field(
        default=None,
        description="Whether judges repeat themselves, by name, where the ranking is about all pairs. Null elsewhere.",
    )
    judge_effects: dict[str, JudgeEffects] | None = Field(
        default=None, description="By judge. Null for every method except `consensus`."
    )
    verdict_weight: VerdictWeight | None = Field(
        description="Null where weights are not learnt, and before the first comparison."
    )
    absolute_scores: dict[str, JudgeScale] | None = Field(description="By judge: how its scale maps to the scores.")
    held_out: HeldOut | None = Field(description="Null before a random pair was judged, and for a baseline.")
    stopping: Stopping | None = Field(description="By the set's own method. Null if the set has no `stop`.")
    prompts: Prompts | None = Field(
        default=None, description="Null if the set's `stop` is met, or the ranking is not about new prompts."
    )
    baseline: str | None = Field(
        default=None, description="Key of the candidate that `against` compares with; null if you named none."
    )
    effects: dict[str, CovariateEffect] | None = Field(
        default=None, description="By covariate that the scores exclude; null if you named none."
    )
    slices: Slices | None = Field(default=None, description="By the tag that you named; null if you named none.")
    ranking: list[Rank]


class Prediction(Response):
    set_id: UUID
    version: int
    first: str
    second: str
    inference_target: InferenceTarget
    p_first_better: float
    mean_difference: float
    sd_difference: float
