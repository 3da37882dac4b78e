"""Targets: the quantities that a ranking can be about, drawn or in closed form from one posterior and one log.

latent       the scores themselves, of which every verdict is a noisy reading       Scores
all-pairs    what these judges would say of all pairs                               WinRates (all_pairs.py)
new-items    the scores on prompts like those that were judged                      Scores (new_items.py)
             and on prompts of one tag, with a test that they differ (slices.py)
people       the scores that people would give, where judges have effects           Scores (fitting/people.py)
"""

from app.inference.targets.all_pairs import WinRates
from app.inference.targets.drawing import DRAWS_SEED
from app.inference.targets.new_items import PromptsNeeded, effects_on_new_items, on_new_items, prompts_needed
from app.inference.targets.quantities import (
    Quantity,
    drawn_values,
    is_drawn,
    publish_for,
    quantity_of,
    ranked_by,
    read_from,
)
from app.inference.targets.slices import TagDeviation, by_tag, deviations
