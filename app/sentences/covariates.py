"""What the covariates of outputs do to verdicts."""

from app.inference.fitting import Effect

LENGTH = "length"


def effect(of: Effect, low: float, high: float) -> str:
    """The effect of a covariate that can be distinguished from the scores."""
    unit = "ln length" if of.name == LENGTH else of.name
    size = f"one standard deviation of {unit} adds {of.mean:+.2f} logits ({low:.2f} to {high:.2f})"
    if low <= 0.0 <= high:
        return f"No preference for {of.name} is shown: {size}, taken out of the scores."
    is_more = low > 0.0
    if of.name == LENGTH:
        outputs = "Longer outputs" if is_more else "Shorter outputs"
    else:
        outputs = f"Outputs with {'more' if is_more else 'less'} {of.name}"
    return f"{outputs} win more: {size}, taken out of the scores."


def unidentified(name: str) -> str:
    return (
        f"The effect of {name} cannot be separated from the scores, whose intervals include that: "
        "each candidate's outputs are too alike, or too few were compared."
    )
