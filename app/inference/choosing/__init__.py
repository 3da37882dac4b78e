"""Choice of pairs to ask next, in which order to show them, and when to stop: functions of arrays and a random source.

    asking.py      next_pairs: fantasises the pairs that are out, selects, decides who is shown first
    criteria.py    which pairs matter to a goal, and what a pair is worth by each acquisition function
    picking.py     select: the best open pair, as often as wanted, of many candidates from a shortlist that it makes
    knowledge.py   the knowledge gradient
    stopping.py    reasons to stop; forecasting.py: how far that is
    second_opinions.py    pairs for several judges, and for people who check one

Not here: what a log amounts to (state), who holds which pair (service).
"""

from app.inference.choosing.asking import IN_BOTH_ORDERS, Order, Plan, present
from app.inference.choosing.criteria import RANKING, Batch, Criterion, Goal, Policy, goal_kinds, goal_pairs
from app.inference.choosing.forecasting import Forecast, Left, Missing, Stopping, prompts_to_decide
from app.inference.choosing.second_opinions import Overlap, drawn
from app.inference.choosing.stopping import Stop, can_be_met, has_claims, reason
