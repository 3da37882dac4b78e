"""What the checks of a set say: what holds of its ranking and its judges, what does not, and what to do."""

import numpy as np
from nextpair import schemas
from nextpair.words import counted

NOTHING = "–"  # a figure that there is not
NOT_CONVERGED = "The fit did not converge, so there is no ranking."
ONE_CANDIDATE = "Add a second candidate: there is nothing to rank yet."
NOBODY_JUDGED = "No comparisons yet: judge a pair first."

CONNECTED = "Every candidate can be compared with every other, directly or through others."
DISCONNECTED = (
    "Some candidates were never compared with the others, even indirectly: compare scores within a part only."
)

FEW_TRIPLES = "Too few triples of candidates were all compared to look for cycles: judge more pairs."
CYCLES = "Verdicts are more intransitive than random judging: no single order fits them."
CYCLES_AS_RANDOM = "Verdicts cycle about as often as random judging (25%): candidates are alike, or judges guess."
NO_CYCLES = "No more verdicts contradict each other than chance explains."

FEW_ORDERS = "Too few pairs were judged to separate position bias from merit: judge more pairs."
MIXED_ORDERS = "Orders are mixed, so position bias cannot look like merit."
UNMIXED_ORDERS = (
    "Some candidates were mostly shown first, others second, so position bias can look like merit: mix the orders."
)

FEW_RANDOM_PAIRS = (
    "Too few pairs were drawn at random to test the ranking. The API draws some: set selection.random_share to 0.1."
)
PREDICTS = "The ranking predicts verdicts on random pairs better than chance."
PREDICTS_NOTHING = "The ranking predicts verdicts on random pairs no better than chance."

BIASES_NOT_CONVERGED = "The fit of the judges' position biases did not converge."
SET_ESTIMATE = "Set position_bias to estimate, so that the ranking corrects for it."
CORRECTED = "The ranking corrects for it."
NO_BIAS = "No judge shows a clear position bias."

FEW_SHARED_PAIRS = "Too few pairs were judged by two judges to measure agreement: have a second judge judge some."
AGREE = "Judges mostly name the same winner."
DISAGREE = "Judges agree little more than by chance: see on the page of judges who differs."

FEW_VERDICTS = "No judge has given enough verdicts to be checked: judge more pairs."
NO_ODD_JUDGE = "No judge is random where others are not, and none has changed."

PEOPLE_ALONE = "Only people have judged: the ranking is about what they prefer."
FEW_HUMAN_PAIRS = "Have people judge some of the same pairs, and say who is human with PUT /v1/judges/NAME."
AGREE_WITH_PEOPLE = "Judges mostly name the winner that people name."
DISAGREE_WITH_PEOPLE = "Judges agree with people little more than by chance."

FEW_SWAPS = "Too few pairs were shown in both orders to measure consistency: set order to each."
INCONSISTENT = "Judges often change their verdict when the order is swapped."
CONSTANT = "Judges nearly always give the same verdict, whatever they are shown, so consistency means nothing here."
CONSISTENT = "Judges mostly keep their verdict when the order is swapped. Consistent is not yet right."

NOBODY_ASKED = "No judge was asked yet."
ANSWERING = "Judges nearly always give a verdict."


def small_bias(most: float) -> str:
    return f"The bias is small, at most {most} logits."


def bias_unknown(judge: str) -> str:
    reason = "cannot be separated from merit yet: judge more pairs, some in both orders."
    return f"The position bias of {judge} {reason}"


def favours(judge: str, delta: float) -> str:
    return f"{judge} favours the {'first' if delta > 0 else 'second'} position."


def failing(judge: str) -> str:
    return f"{judge} often gives no verdict; the pairs it skips may differ from the rest. See its failures."


def signal_figure(e_value: str, enough: float, verdicts: int, of: int) -> str:
    counting = counted(verdicts, "verdict") if verdicts == of else f"{verdicts:,} of {counted(of, 'verdict')}"
    return f"e-value {e_value} (needs {enough:.0f}), from {counting}"


def cycles_figure(share: float, triples: int, as_many: int, draws: int) -> str:
    return f"{share:.1%} of {counted(triples, 'triple')}; {as_many} of {draws} random logs are as intransitive"


def order_figure(mixed: float) -> str:
    return f"{mixed:.0%} cannot be merit"


def prediction_figure(log_loss: float, comparisons: int) -> str:
    return f"log loss {log_loss:.2f} nats on {comparisons:,}; chance {np.log(2.0):.2f}"


def bias_figure(judge: str, bias: schemas.JudgeBias) -> str:
    return f"{judge} {bias.delta:+z.2f} ± {bias.sd:.2f} logits"


def judges_figure(judge: str, discrimination: float) -> str:
    return f"{judge} {discrimination:.2f}; 1 is as expected, 0 is random"


def consistency_figure(share: float, pairs: int, by_chance: float) -> str:
    return f"the same in {share:.0%} of {counted(pairs, 'pair')}; {by_chance:.0%} by chance"


def share_figure(share: float, pairs: int, interval: tuple[float, float] | None = None) -> str:
    within = "" if interval is None else f" ({interval[0]:.0%} to {interval[1]:.0%})"
    return f"{share:.0%} of {counted(pairs, 'pair')}{within}"


def failure_figure(rate: float) -> str:
    return f"at most {rate:.0%}"
