"""Number of prompts that would decide a claim about new ones."""

from app.inference.choosing.goals import RANKING, Goal
from app.inference.choosing.quantity_stopping import probability
from app.inference.choosing.stopping import Claims, Stop, claims_of
from app.inference.fitting.published import Published
from app.inference.gaussian import Scores
from app.inference.targets import PromptsNeeded, drawn_values, prompts_needed
from app.inference.types import Ints

NEVER = Stop()
FEW_DRAWS = 200
WHO_IS_BEST = Claims("top_k", Goal(top_k=1), 0.05)


def prompts_to_decide(
    published: Published, item: Ints, stop: Stop = NEVER, goal: Goal = RANKING
) -> PromptsNeeded | None:
    """Number of prompts that decides the stop's first claim, or, without one, who is best; None where it is decided.

    Read from few draws. Args: `item` (K,) is what each comparison was about. Raises ValueError where there is no
    telling of new items.
    """
    wanted = next(claims_of(stop, goal, published.model.n), WHO_IS_BEST)

    def figure(scores: Scores) -> float:
        return probability(drawn_values(scores, FEW_DRAWS), scores.mean, wanted.goal)

    prompts = prompts_needed(published, item, figure, 1.0 - wanted.error_level)
    return None if prompts.needed == prompts.prompts else prompts
