"""What more prompts would do for a ranking that is about new ones, in words."""

from nextpair.words import counted

from app.inference.targets import PromptsNeeded


def in_words(prompts: PromptsNeeded) -> str:
    """One sentence, of a ranking that is not settled."""
    judged, _, needed, suffice = prompts
    these = f"these {judged:,} prompts"
    if needed is None:
        by_comparisons = f"; more comparisons on {these} may" if suffice else ""
        return f"Even 100 times as many prompts would not settle it as scores stand{by_comparisons}."
    more = f"About {counted(needed - judged, 'more prompt')} would settle it"
    if suffice is None:
        return f"{more}, with as many comparisons on each."
    return f"{more}; more comparisons on {these} {'may, too' if suffice else 'will not'}."
