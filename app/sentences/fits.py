"""How a fit ended."""

from app.inference.types import Outcome

ENDS = {
    Outcome.CONVERGED: "The fit converged.",
    Outcome.UNLEARNT: "The fit converged with one vote for each verdict; with learnt verdict weights it did not.",
    Outcome.MAX_ITERATIONS: "The fit stopped at its iteration limit; the scores are not final.",
    Outcome.NOT_FINITE: "The fit met a value that is not finite; check the comparisons.",
    Outcome.SINGULAR: "The fit is not exact enough: weights, verdicts and priors differ too much in size.",
}
