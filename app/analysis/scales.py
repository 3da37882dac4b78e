"""Rankings on another scale: Elo = logit * 400 / ln 10, of everything that is a score or a difference of scores."""

from collections.abc import Sequence
from math import log
from typing import TypeVar

from nextpair import schemas

ELO = 400.0 / log(10.0)  # of one logit
M = TypeVar("M", bound=schemas.Response)


def in_elo(ranking: schemas.Ranking) -> schemas.Ranking:
    """The same ranking; position biases, epsilon and the variance of scores stay in logits, win rates as they are."""
    of_pairs = ranking.inference_target.name == "all-pairs"
    slices, scales, judge_effects = ranking.slices, ranking.absolute_scores, ranking.judge_effects
    return ranking.model_copy(
        update={
            "method": ranking.method.model_copy(update={"scale": "elo"}),
            "ranking": _rows(ranking.ranking, of_win_rates=of_pairs),
            "slices": slices and slices.model_copy(update={"slices": [_slice(each) for each in slices.slices]}),
            "absolute_scores": scales and {judge: _times_elo(each, "c0", "c1") for judge, each in scales.items()},
            "judge_effects": judge_effects and {judge: _effects(each) for judge, each in judge_effects.items()},
        }
    )


def _rows(rows: Sequence[schemas.Rank], *, of_win_rates: bool = False) -> list[schemas.Rank]:
    """Args: `of_win_rates` says whether differences from the baseline are."""
    scaled = [_times_elo(row, "score", "sd", "interval") for row in rows]
    if of_win_rates:
        return scaled
    return [
        row.model_copy(update={"against": row.against and _times_elo(row.against, "difference", "interval")})
        for row in scaled
    ]


def _slice(each: schemas.Slice) -> schemas.Slice:
    deviation = _times_elo(each.deviation, "difference")
    return each.model_copy(update={"deviation": deviation, "ranking": _rows(each.ranking)})


def _effects(judge_effects: schemas.JudgeEffects) -> schemas.JudgeEffects:
    largest_deviations = [_times_elo(each, "deviation", "sd") for each in judge_effects.largest_deviations]
    return _times_elo(judge_effects, "sd").model_copy(update={"largest_deviations": largest_deviations})


def _times_elo(model: M, *names: str) -> M:
    """The model with these numbers and ranges on the other scale; null stays null."""
    values = {name: getattr(model, name) for name in names}
    scaled = {
        name: tuple(ELO * end for end in value) if isinstance(value, tuple) else ELO * value
        for name, value in values.items()
        if value is not None
    }
    return model.model_copy(update=scaled)
