"""Judges: the bias, the effects and the agreement of each, by the names of judges and candidates."""

from collections.abc import Sequence

import numpy as np
from nextpair import schemas

from app.inference.judges import Agreements, krippendorff
from app.inference.reporting import AgreedShare, Bias, JudgeEffects
from app.inference.types import Floats
from app.sentences.judges import warning_of

DEVIATIONS_OF_MANY = 3  # of each judge, where many are shown


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
    deviations = [
        schemas.LargestDeviation(key=keys[candidate], deviation=deviation, sd=sd)
        for candidate, deviation, sd in effects.largest_deviations[:most]
    ]
    return schemas.JudgeEffects(sd=effects.sd, largest_deviations=deviations)


def present_alpha(direction: Floats, *, drawn: bool = False) -> schemas.Alpha | None:
    """Krippendorff's alpha of (M, J) votes; `drawn` says whether the M pairs are those drawn for an overlap."""
    alpha = krippendorff(direction)
    return alpha and schemas.Alpha(value=alpha.value, interval=alpha.interval, pairs=alpha.units, drawn=drawn)


def present_agreements(agreements: Agreements, judges: Sequence[str]) -> list[schemas.PairAgreement]:
    """Each two judges that voted on the same pairs."""
    pairs, agreeing, kappa, interval = agreements
    is_known = ~np.isnan(kappa)
    return [
        schemas.PairAgreement(
            judges=(judges[i], judges[j]),
            pairs=int(pairs[i, j]),
            share=float(agreeing[i, j] / pairs[i, j]),
            kappa=float(kappa[i, j]) if is_known[i, j] else None,
            kappa_interval=tuple(interval[:, i, j].tolist()) if is_known[i, j] else None,
        )
        for i, j in np.argwhere(np.triu(pairs, 1)).tolist()
    ]
