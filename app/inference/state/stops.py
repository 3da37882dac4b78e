"""Whether a set is to stop, what it lacks before it may, and how far off that is.

What the live posterior nearly says, the published one confirms: of scores by e-values, else in draws
(choosing/stopping.py).

A stop of win rates may hang on whether judges repeat themselves: then a question is asked again (methods 17, decision
97). A judge who votes is asked it in the other order, as long as the position may not move it: an answer alike shows
both. Of those asked least often it is the one whose answer would be likeliest to change if verdicts were new draws.
"""

from collections.abc import Collection, Sequence
from math import ceil
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from app.inference.choosing.asking import IN_BOTH_ORDERS, Order
from app.inference.choosing.criteria import Goal
from app.inference.choosing.forecasting import NOTHING, Forecast, Left, Missing, Stopping, forecast
from app.inference.choosing.stopping import Reason, Stop, claims_of, e_value_of, reason
from app.inference.core.edges import TooMany
from app.inference.experts import is_vote
from app.inference.fitting import posterior as posteriors
from app.inference.fitting.model import Model, build
from app.inference.fitting.published import Published
from app.inference.fitting.repetition import ALIKE, DRAWS_ANEW, REPEATS_ITSELF
from app.inference.gaussian import Scores
from app.inference.reporting.inference_targets import ENOUGH_PROMPTS, judged_prompts, possible_prompts
from app.inference.reporting.signal import signal_of
from app.inference.state.open_pairs import BOTH_ORDERS, NO_END
from app.inference.state.published import Sought, exact, live_quantity, quantity, repetition
from app.inference.state.snapshot import Snapshot, raw
from app.inference.types import Bools, Comparisons, Floats, Ints, take
from app.inference.verdicts import numbered

NEARLY = 0.9  # error level at which the live posterior is asked first
DOUBTS = 2.0  # times the doubt that a concordance leaves, likewise: the live posterior of votes has more of it
HALF = 0.5  # probability that draws of the live posterior ask for first
NO_CLAIMS = ("entropy_change", "concordance")
MOST_REPEATS = 8  # of a judge that always answers alike
MOST_TIMES = 10  # that a judge is asked the same, where more of it is not more evidence
LIKELY_OF_A_TIE = 0.7  # that one who draws answers otherwise
OF_TEXTS = Sought("latent", np.empty((0, 0), np.bool_), ())  # of which nothing can be missing


class Question(NamedTuple):
    """A pair of outputs in an order, for one judge."""

    judge: int  # id
    item: int
    first: int
    second: int


class Checked(NamedTuple):
    """Whether a set is to stop, and what the next pairs are chosen by if not."""

    reason: Reason | None
    published: Published | None = None  # where it refuses the stop of the live one, which sees nothing left to ask
    missing: Missing | None = None  # where the live one nearly says stop, and the set must not for lack of it
    to_repeat: Sequence[Question] = ()  # where the set would stop if these judges repeated themselves


def check(snapshot: Snapshot, stop: Stop, goal: Goal, sought: Sought = OF_TEXTS) -> Checked:
    """Look for a reason to ask no more pairs; of very many candidates none, as it is about all pairs."""
    is_latent = sought.target == "latent"
    if snapshot.model.n < 2 or not (is_latent or snapshot.comparisons.size):
        return Checked(None)
    try:
        ranked = None if is_latent else live_quantity(snapshot, sought)
        of_live = snapshot.posterior.scores, snapshot.plain_model
        if reason(*of_live, _nearly(stop, is_latent=is_latent), goal, ranked) is None:
            return Checked(None)
        if not is_latent and (missing := _missing(snapshot, sought)):
            return Checked(None, missing=missing)
        published = exact(snapshot, target=sought.target)
        met = _met(snapshot, published, stop, goal, sought)
        missing = _missing(snapshot, sought, met, published) if met else None
        if met and not missing:
            return Checked(met)
        if is_latent:
            return Checked(None, missing=missing)
        is_refused = met is None and reason(*of_live, stop, goal, ranked) is not None
        again = _to_repeat(snapshot, published, stop, goal, sought) if sought.target == "all-pairs" else ()
        return Checked(None, published if is_refused else None, missing, again)
    except TooMany:
        return Checked(None)


def _nearly(stop: Stop, *, is_latent: bool) -> Stop:
    """The stop at the levels at which the live posterior is asked."""
    error_level, concordance = NEARLY if is_latent else HALF, stop.concordance
    if concordance is not None:
        concordance = 1.0 - DOUBTS * (1.0 - concordance) if is_latent else min(HALF, concordance)
    goal = None if stop.goal is None else 1.0 - error_level
    return stop._replace(error_level=error_level, goal=goal, concordance=concordance)


def distance(
    snapshot: Snapshot, published: Published, stop: Stop, goal: Goal, left: Left, sought: Sought = OF_TEXTS
) -> Stopping:
    """Distance of a set of at least two candidates to its stop; claims of votes alone are read from one vote each.

    Comparisons are forecast for all-pairs and latent, unless prompts are missing. More of them on the same prompts need
    not decide about new-items (`prompts_to_decide`), nor about people. `published` is exact for the target.
    """
    met = _met(snapshot, published, stop, goal, sought)
    missing = _missing(snapshot, sought, met, published)
    if missing and (met or missing.e_value is None):
        return Stopping(None, NOTHING, left.in_all, missing=missing)
    if met:
        return Stopping(met, Forecast(0, 0, 0), left.in_all)
    needed, e_value = NOTHING, None
    if sought.target == "latent":
        each, tests = _tests(snapshot, published, stop)
        by_scores = each.entropy_change is not None or each.concordance is not None
        needed = forecast(*tests[0 if by_scores else -1], float(raw(snapshot).weight.sum()), each, left, goal)
        if claims := next(claims_of(each, goal, snapshot.model.n), None):
            e_value = max(e_value_of(*test, claims.goal) for test in tests) / len(tests)
    elif sought.target == "all-pairs":
        supposed = quantity(snapshot, published, sought, supposing=True)
        needed = forecast(supposed, published.model, snapshot.comparisons.size, stop, left, goal)
    return Stopping(None, needed, left.in_all, e_value)


def _tests(snapshot: Snapshot, published: Published, stop: Stop) -> tuple[Stop, list[tuple[Scores, Model]]]:
    """The stop as each test of scores takes it, and the posterior and model of each; a claim has to pass one.

    By what is published, and, where all answers are votes, by them as one vote each: where these agree, the normal that
    is fitted to the posterior says too little of a tie, far out in its tail; under the set's own prior variance it says
    more. Each test has half the error level then, and the second one is of claims alone.
    """
    tests, n = [(published.scores, snapshot.plain_model)], snapshot.model.n
    if snapshot.learnt is None or not is_vote(snapshot.comparisons.p).all():
        return stop, tests
    method = snapshot.interpretation.method._replace(verdict_weight="one-vote")
    model = build(method, n, len(snapshot.evidence.judges))
    one_vote = posteriors.fit(published.comparisons, model).scores, model
    goal = None if stop.goal is None else 0.5 + 0.5 * stop.goal
    return stop._replace(error_level=0.5 * stop.error_level, goal=goal), [*tests, one_vote]


def _met(
    snapshot: Snapshot, published: Published, stop: Stop, goal: Goal, sought: Sought, *, supposing: bool = False
) -> Reason | None:
    """The first criterion that is met by what is published; with `supposing`, if who may repeat itself does."""
    if sought.target == "latent":
        each, tests = _tests(snapshot, published, stop)
        claims = each._replace(entropy_change=None, concordance=None)
        met_by_others = (met for test in tests[1:] if (met := reason(*test, claims, goal)))
        return reason(*tests[0], each, goal) or next(met_by_others, None)
    ranked = quantity(snapshot, published, sought, supposing=supposing)
    return reason(published.scores, published.model, stop, goal, ranked)


def _missing(
    snapshot: Snapshot, sought: Sought, met: Reason | None = None, published: Published | None = None
) -> Missing | None:
    """What a set lacks before it may stop: of several prompts, judged ones; then signal.

    No signal is needed of texts where the criterion that is `met` claims nothing, nor of a claim about all pairs by
    judges who are taken to repeat themselves: it is what they say. Neither is known before it is `published`.
    """
    entries, target = snapshot.log.entries, sought.target
    judged, needed = judged_prompts(entries.item), min(ENOUGH_PROMPTS, possible_prompts(sought.has))
    if 1 < needed > judged:
        return Missing(judged, needed)
    if not sought.has.size or (needed < 2 and (published is None or met in NO_CLAIMS)):
        return None
    if target == "all-pairs":
        people = np.isin(snapshot.evidence.judges, list(sought.people))
        if published is None or repetition(snapshot, published, sought).is_taken(people):
            return None
    signal = signal_of(
        raw(snapshot), snapshot.model.n, entries.item, entries.order_chance, new_items=target == "new-items", grew=True
    )
    return None if signal.claimed else Missing(judged, needed, signal.e_value)


def _to_repeat(snapshot: Snapshot, published: Published, stop: Stop, goal: Goal, sought: Sought) -> Sequence[Question]:
    """One question for each judge whom a few repeats may yet decide about; people are asked nothing again."""
    (judges, item, *_), known = snapshot.evidence, repetition(snapshot, published, sought)
    has_answered = np.bincount(published.answers.judge, minlength=len(judges)) > 0
    may = has_answered & ~np.isin(judges, list(sought.people)) & (known.repeats + known.swaps < MOST_REPEATS)
    turned, same = (
        may & (probability > DRAWS_ANEW) & (probability < REPEATS_ITSELF)
        for probability in (known.supposed_consistent, known.supposed)
    )
    again = turned | (same & ~np.isin(known.before, (0.0, 1.0)))  # these were declared
    if not again.any() or not _met(snapshot, published, stop, goal, sought, supposing=True):
        return ()
    return [
        _question(published, item, judge, int(judges[judge]), turned=bool(turned[judge]))
        for judge in np.flatnonzero(again).tolist()
    ]


def _question(published: Published, item: Ints, judge: int, judge_id: int, *, turned: bool) -> Question:
    """Args: `item` (K,) is what each answer was about; with `turned` the other order of what was asked is asked."""
    mine = np.flatnonzero(published.answers.judge == judge)
    answers, item = take(published.comparisons, mine), item[mine]
    to_ask = answers
    if turned:
        to_ask = answers._replace(first=answers.second, second=answers.first, p=1.0 - answers.p)
    both = np.append(answers.first, to_ask.first), np.append(answers.second, to_ask.second)
    answered, question = np.split(numbered(np.tile(item, 2), *both), 2)
    times = np.bincount(answered, minlength=question.max() + 1)[question]
    row = int(np.argmax(np.where(times == times.min(), _otherwise(published, to_ask), -1.0)))
    return Question(judge_id, int(item[row]), int(to_ask.first[row]), int(to_ask.second[row]))


def _otherwise(published: Published, answers: Comparisons) -> Floats:
    """(K,) how likely a new draw names another side than each of these answers does."""
    (mean, sigma, *_), model, (first, second, p, judge, _) = published.scores, published.model, answers
    d = mean[first] - mean[second]
    if model.has_biases:
        d = d + published.posterior.mean[model.n + judge]
    for_first = expit(d / np.sqrt(1.0 + np.pi / 8.0 * sigma.variances(first, second)))
    return np.select([p > 0.5, p < 0.5], [1.0 - for_first, for_first], LIKELY_OF_A_TIE)


def comparisons_left(
    snapshot: Snapshot, has: Bools, order: Order, people: Collection[int], budget: int | None, *, reopen: bool
) -> Left:
    """Comparisons that the judges so far can still make within the budget; with `reopen`, also of pairs used up."""
    outputs, orders = has.sum(axis=1), snapshot.shown.orders
    pairs, ways = int((outputs * (outputs - 1)).sum()) // 2, 2 if order in IN_BOTH_ORDERS else 1
    shown = len(orders) + (ways - 1) * np.count_nonzero(orders == BOTH_ORDERS)
    new = max(ways * pairs - int(shown), 0)
    in_all = _left_to_judges(snapshot, pairs if order is Order.AS_SELECTED else 2 * pairs, people) if reopen else new
    if budget is not None:
        in_budget = max(budget - snapshot.comparisons.size, 0)
        new, in_all = min(new, in_budget), in_budget if in_all is None else min(in_all, in_budget)
    is_learnt = snapshot.interpretation.method.verdict_weight == "learnt"
    return Left(new, in_all, again=not is_learnt or bool(is_vote(snapshot.comparisons.p).any()))


def _left_to_judges(snapshot: Snapshot, questions: int, people: Collection[int]) -> int | None:
    """Every question to each judge so far, and once more as far as that goes; None without an end or a judge."""
    judges, left = snapshot.evidence.judges, 0
    counts = np.bincount(snapshot.comparisons.judge, minlength=len(judges))
    for judge, judged in zip(judges.tolist(), counts.tolist(), strict=True):
        alike = None if judge in people else repeats_alike(snapshot, judge)
        if alike is not None:
            left += max(questions - (judged - alike), 0) + max(MOST_REPEATS - alike, 0)
        elif (most := most_times_of(snapshot, judge)) == NO_END:
            return None
        else:
            left += max(most * questions - judged, 0)
    return left if judges.size else None


def most_times_of(snapshot: Snapshot, judge: int) -> int:
    """Number of times that the judge with this id may be asked the same; NO_END where each time is more evidence.

    Where verdict weights are learnt, repeats of a probability but refine it: MOST_TIMES. Votes that are repeated count
    as at most 1 / rho there, and 1 / rho of them as half of that: so often, if that is more.
    """
    if snapshot.learnt is None:
        return NO_END
    entries = snapshot.log.entries
    if not is_vote(entries.p[entries.judge == judge]).all():
        return MOST_TIMES
    rho = float(snapshot.learnt.repeat_correlation[snapshot.evidence.judges == judge].sum())  # 0 of a new one
    return max(MOST_TIMES, ceil(1.0 / rho)) if rho > 0.0 else NO_END


def repeats_alike(snapshot: Snapshot, judge: int) -> int | None:
    """Number of repeated answers of the judge to what it was asked before; None where it ever answered otherwise.

    Repeats of one that always answers alike teach nothing: until that shows, few of them are out.
    """
    entries = snapshot.log.entries
    mine = entries.judge == judge
    questions, p = numbered(entries.item[mine], entries.first[mine], entries.second[mine]), entries.p[mine]
    low, high = np.full(len(p), np.inf), np.full(len(p), -np.inf)
    np.minimum.at(low, questions, p)
    np.maximum.at(high, questions, p)
    return None if (high - low > ALIKE).any() else len(p) - int(questions.max(initial=-1)) - 1
