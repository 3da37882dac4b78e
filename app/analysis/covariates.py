"""Covariates of a ranking: taken from the outputs that were compared, and their effects."""

from statistics import NormalDist

from nextpair import schemas
from nextpair.words import JOINT, MethodName

from app.analysis.judged import Impossible, JudgedLog
from app.inference.experts import make
from app.inference.fitting import BASELINES, Covariates, Effect, Method, Published, covariates_of, effects_of
from app.inference.regimes import RANKED_DENSE
from app.inference.reporting import Target
from app.inference.targets import effects_on_new_items
from app.sentences import covariates as sentences

IDENTIFIED = 0.5  # share of verdicts, from which on an effect is distinguished from the systems' own scores


def covariates_for(
    log: JudgedLog, names: tuple[str, ...], name: MethodName, method: Method, target: Target
) -> Covariates | None:
    """None where none is wanted. Raises Impossible where this method, target or log has none."""
    if not names:
        return None
    if name in BASELINES or name in JOINT or not make(method.expert, dict(method.parameters)).as_soft_bt:
        raise Impossible("covariate", f"{name} has no covariates; choose the method soft-bt")
    if target.name not in ("latent", "new-items"):
        there = "new-items" if "new-items" in target.also else "latent"
        raise Impossible("covariate", f"the inference target {target.name} has no covariates; choose {there}")
    if log.times is not None:
        raise Impossible("covariate", "equal rows were combined, which loses their prompts; rank fewer rows")
    if len(log.keys) > RANKED_DENSE:
        raise Impossible(
            "covariate", f"there are {len(log.keys):,} candidates, and covariates take at most {RANKED_DENSE}"
        )
    outputs = {each: log.outputs(each) for each in dict.fromkeys(names)}
    for each, values in outputs.items():
        if values is None:
            raise Impossible("covariate", f"the outputs have no {each!r}; choose length")
    try:
        return covariates_of(
            {each: values for each, values in outputs.items() if values is not None}, log.answers, log.item
        )
    except ValueError as error:
        raise Impossible("covariate", error) from None


def present_effects(
    published: Published, log: JudgedLog, target: Target, level: float
) -> dict[str, schemas.CovariateEffect]:
    """Effects by the covariate's name."""
    effects = effects_on_new_items(published, log.item) if target.name == "new-items" else effects_of(published)
    width = NormalDist().inv_cdf(0.5 + 0.5 * level)
    return {each.name: _present(each, each.mean - width * each.sd, each.mean + width * each.sd) for each in effects}


def _present(effect: Effect, low: float, high: float) -> schemas.CovariateEffect:
    is_identified = effect.share >= IDENTIFIED
    sentence = sentences.effect(effect, low, high) if is_identified else sentences.unidentified(effect.name)
    return schemas.CovariateEffect(
        effect=effect.mean, sd=effect.sd, interval=(low, high), identified=is_identified, sentence=sentence
    )
