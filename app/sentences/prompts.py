"""What more prompts would do for a ranking that is about new ones."""

from nextpair.words import counted

from app.inference.targets import PromptsNeeded

TO_NAME_THE_BEST, TO_STOP = "show who is best", "meet the stop rule"


def needed(prompts: PromptsNeeded, aim: str = TO_NAME_THE_BEST) -> str:
    """How many prompts would reach the `aim`."""
    judged, _, in_all, suffice = prompts
    these = counted(judged, "prompt")
    if in_all is None:
        by_comparisons = f"; more comparisons on these {these} may" if suffice else ""
        return f"As scores stand, even 100 times as many prompts would not {aim}{by_comparisons}."
    more = f"As scores stand, about {counted(in_all - judged, 'more prompt')} would {aim}"
    if suffice is None:
        return f"{more}, with as many comparisons on each."
    return f"{more}; more comparisons on these {these} {'may, too' if suffice else 'would not'}."
