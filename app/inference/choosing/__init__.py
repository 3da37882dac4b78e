"""Choice of pairs to ask next, in which order to show them, and when to stop: functions of arrays and a random source.

Not here: what a log amounts to (state), who holds which pair (service).
"""

from app.inference.choosing.asking import Plan
from app.inference.choosing.criteria import EQUAL, Batch, Criterion, Policy
from app.inference.choosing.forecasting import Forecast, Left, Stopping
from app.inference.choosing.goals import RANKING, Goal, goal_kinds, goal_pairs
from app.inference.choosing.order import IN_BOTH_ORDERS, Order, present
from app.inference.choosing.overlap import Overlap, drawn
from app.inference.choosing.pair_sets import of_mask
from app.inference.choosing.prompts import prompts_to_settle
from app.inference.choosing.stopping import Stop, can_be_met, reason
