"""Choice of pairs to ask next, in which order to show them, and when to stop: functions of arrays and a random source.

    asking.py       next_pairs: fantasises the pairs that are out, selects, decides who is shown first
    criteria.py     the acquisition functions: their notation, and a case for each
    selection.py    select: the best open pair, as often as wanted, in rounds where Sigma is no matrix
    picking.py      one pick: by the criterion, by knowledge, or drawn; shortlist.py: the pairs that are scored of many
    goals.py        which pairs matter
    stopping.py, quantity_stopping.py     reasons to stop, of scores and of draws; forecasting.py: how far that is

Not here: what a log amounts to (state), who holds which pair (service).
"""

from app.inference.choosing.asking import Plan
from app.inference.choosing.criteria import Batch, Criterion, Policy
from app.inference.choosing.forecasting import Forecast, Left, Missing, Stopping
from app.inference.choosing.goals import RANKING, Goal, goal_kinds, goal_pairs
from app.inference.choosing.order import IN_BOTH_ORDERS, Order, present
from app.inference.choosing.overlap import Overlap, drawn
from app.inference.choosing.pair_sets import of_mask
from app.inference.choosing.prompts import prompts_to_decide
from app.inference.choosing.stopping import Stop, can_be_met, has_claims, reason
