"""What more prompts would do for a ranking that is about new ones."""

from nextpair.words import counted

from app.inference.targets import PromptsNeeded


def needed(prompts: PromptsNeeded, *, by_rule: bool = False) -> str:
    """How many prompts would show who is best or, of a set with a stop rule, meet that rule."""
    judged, _, in_all, suffice = prompts
    these, settle = counted(judged, "prompt"), "meet the stop rule" if by_rule else "show who is best"
    if in_all is None:
        by_comparisons = f"; more comparisons on these {these} may" if suffice else ""
        return f"As scores stand, even 100 times as many prompts would not {settle}{by_comparisons}."
    more = f"As scores stand, about {counted(in_all - judged, 'more prompt')} would {settle}"
    if suffice is None:
        return f"{more}, with as many comparisons on each."
    return f"{more}; more comparisons on these {these} {'may, too' if suffice else 'would not'}."
