"""Judges: the bias, the effects and the agreement of each, by the names of judges and candidates."""

from collections.abc import Sequence
from math import isnan

import numpy as np
from nextpair import schemas

from app.inference.fitting import JudgeEffects
from app.inference.judges import PairVotes, agreements, krippendorff
from app.inference.reporting import AgreedShare, Bias
from app.sentences.judges import warning_of

DEVIATIONS_OF_MANY = 3  # of each judge, where many are shown
MOST_LISTED = 100_000  # pairs, of judges or of outputs, in one answer


def biases_by_name(biases: Sequence[Bias], judges: Sequence[str]) -> dict[str, schemas.JudgeBias]:
    return {judges[bias.judge]: present_bias(bias) for bias in biases}


def present_agreement(agreed: AgreedShare) -> schemas.Agreement:
    return schemas.Agreement(pairs=agreed.pairs, share=agreed.share)


def present_bias(bias: Bias) -> schemas.JudgeBias:
    return schemas.JudgeBias(
        delta=bias.delta,
        sd=bias.sd,
        comparisons=bias.comparisons,
        discrimination=bias.discrimination,
        discrimination_sd=bias.sd_of_discrimination,
        warning=warning_of(bias),
    )


def present_judge_effects(
    effects: JudgeEffects, keys: Sequence[str], most: int = DEVIATIONS_OF_MANY
) -> schemas.JudgeEffects:
    """Args: `most` is the number of deviations that are shown."""
    _, _, deviations, sds = effects
    farthest = np.argsort(-np.abs(deviations), kind="stable")[:most].tolist()
    largest = [
        schemas.LargestDeviation(key=keys[i], deviation=float(deviations[i]), sd=float(sds[i])) for i in farthest
    ]
    return schemas.JudgeEffects(sd=effects.sd, largest_deviations=largest)


def present_alpha(votes: PairVotes, *, drawn: bool = False) -> schemas.Alpha | None:
    """Krippendorff's alpha; `drawn` says whether the pairs are those drawn for an overlap."""
    alpha = krippendorff(votes)
    return alpha and schemas.Alpha(value=alpha.value, interval=alpha.interval, pairs=alpha.units, drawn=drawn)


def present_agreements(votes: PairVotes, judges: Sequence[str]) -> list[schemas.PairAgreement] | None:
    """Each two judges that voted on the same pairs; None of more than can be listed."""
    if votes.most_twos > MOST_LISTED:
        return None
    first, second, pairs, agreeing, kappa, interval = agreements(votes)
    return [
        schemas.PairAgreement(
            judges=(judges[i], judges[j]),
            pairs=met,
            share=agreed / met,
            kappa=None if isnan(beyond) else beyond,
            kappa_interval=None if isnan(beyond) else (low, high),
        )
        for i, j, met, agreed, beyond, low, high in zip(
            *(each.tolist() for each in (first, second, pairs, agreeing, kappa, *interval)), strict=True
        )
    ]
