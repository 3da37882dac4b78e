"""How many comparisons a set will take, and what limits it."""

from nextpair.words import counted

MOST_PROMPTS = 150  # of simulated sets


def estimated(low: int | None, median: int | None, high: int | None, prompts: int) -> str:
    """The comparisons that 8 of 10 sets like it take; where some never get there, what to do."""
    if low is None:
        return f"Few sets like this ever reach this stop. {_remedy(prompts)}"
    least = _rounded(low)
    if median is None:
        return f"At least {least} comparisons, and most sets like this do not reach this stop. {_remedy(prompts)}"
    if high is None:
        return f"From {least} comparisons; half of sets like this take over {_rounded(median)}. {_remedy(prompts)}"
    if least == _rounded(high):
        return f"About {least} {'comparison' if low == 1 else 'comparisons'}."
    return f"About {least} to {_rounded(high)} comparisons, as in 8 of 10 simulated sets like this."


def _remedy(prompts: int) -> str:
    if prompts > MOST_PROMPTS:
        return f"The simulated sets had up to {MOST_PROMPTS} prompts; with more prompts you may know sooner."
    if prompts:
        these = counted(prompts, "prompt")
        return f"The {these} limit what can be known: add prompts, or choose a smaller goal or an earlier stop."
    return "Close candidates are hard to tell apart: choose a smaller goal, an earlier stop, or a budget."


def _rounded(count: int) -> str:
    """Two digits that count."""
    return f"{int(float(f'{count:.1e}')):,}"
