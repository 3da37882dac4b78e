"""Words of the pages that Python gives to templates: tabs, choices, columns and progress. Scripts have lib/texts/."""

from nextpair.schemas import SetOut
from nextpair.words import (
    ORDERS_ASKED,
    STATUSES,
    CriterionName,
    InferenceTargetChoice,
    OrderName,
    PageStatus,
    PositionBiasChoice,
)

TABS = {  # by what follows the set's address
    "": "Results",
    "/compare": "Compare",
    "/items": "Items",
    "/judges": "Judges",
    "/activity": "Activity",
    "/settings": "Settings",
}
TAB_TIPS = {
    "": "Candidates from best to worst, each with its interval.",
    "/compare": "Two candidates, prompts, versions or judges beside each other, and the win matrix.",
    "/items": "Each prompt or pair with its outputs and verdicts.",
    "/judges": "How well judges agree, what biases they have, and the pairs they dispute.",
    "/activity": "Verdicts as they arrive, and who is judging now.",
    "/settings": "The goal, when to stop, judges, export and deletion.",
}
NEXT_STEPS: dict[PageStatus, str] = {  # what the owner of a set can do
    "open": "Judge pairs yourself, or connect a judge.",
    "all_leased": "Wait until those judges finish, or until their leases end.",
    "exhausted": "Add candidates, or set an overlap to have several judges on each pair.",
    "cannot_converge": "Add another judge, raise the budget, or change the stop rule.",
    "budget_reached": "Raise the budget to continue.",
    "converged": "Read the ranking, or change the stop rule to continue.",
    "paused": "Resume it in Settings to continue.",
    "preparing": "This page updates by itself.",
}
WAITING: dict[PageStatus, str] = {  # what an annotator can do, who has no pair to judge
    "open": "The next pair is on its way.",
    "all_leased": "This page asks again by itself.",
    "exhausted": "Thank you. To judge more, ask the owner of the set for an overlap of judges.",
    "cannot_converge": "Thank you. Another judge may still help; ask the owner of the set.",
    "budget_reached": "Thank you. You can close this page.",
    "converged": "Thank you. You can close this page.",
    "paused": "Ask again once its owner resumes the set.",
    "preparing": "This page asks again by itself.",
}
EXAMPLE_FILES = {  # of New set, by what each row holds: the columns, then rows
    "One text": (
        ("key", "text"),
        ("draft-1", "Air scatters blue light."),
        ("draft-2", "The sky mirrors the sea."),
        ("draft-3", "Nobody knows why."),
    ),
    "One output of one system": (
        ("model", "prompt", "output"),
        ("gpt-4o", "What is rain?", "Drops from clouds."),
        ("qwen-72b", "What is rain?", "Wet weather."),
        ("gpt-4o", "What is ice?", "Frozen water."),
    ),
    "A prompt, with a column for each system": (
        ("prompt", "gpt-4o", "qwen-72b"),
        ("What is rain?", "Drops out of a cloud.", "Water on a grey day."),
        ("What is ice?", "Water below 0 degrees.", "Hard and cold water."),
        ("What is fog?", "A cloud on the ground.", "Drops that float low."),
    ),
    "A verdict on two systems": (
        ("model_a", "model_b", "winner", "judge"),
        ("gpt-4o", "qwen-72b", "model_a", "ada"),
        ("qwen-72b", "gpt-4o", "tie", "bob"),
        ("gpt-4o", "qwen-72b", "model_b", "bob"),
    ),
}
CRITERIA: dict[CriterionName, str] = {  # the default first
    "knowledge": "the pair whose verdict tells most about the order",
    "reordering": "the pair whose order is least certain",
    "variance": "the pair whose score difference is least certain",
    "exponent": "a mix of least certain order and least certain difference",
    "determinant": "the pair that reduces the variance of all scores most",
    "random": "a random pair",
    "covering": "a random pair, with each candidate compared once first",
}
ORDERS: dict[OrderName, str] = {
    "balanced": "in two of three, the candidate that has been first less often",
    "both": "each pair is asked in both orders, one after the other",
    "each": "both orders are asked, each when it tells most",
    "as_selected": "the candidate that was added to the set earlier",
}
POSITION_BIASES: dict[PositionBiasChoice, str] = {
    "auto": "estimate it with the scores, where orders are mixed enough",
    "none": "assume that there is none",
    "estimate": "estimate it for each judge, together with the scores",
    "closed-form": "read it from each judge's mean verdict, before any score",
}
INFERENCE_TARGETS: dict[InferenceTargetChoice, str] = {
    "auto": "chosen from what is judged, and by whom",
    "all-pairs": "these judges' verdicts on all pairs",
    "new-items": "other prompts like these",
    "people": "what people would prefer",
    "latent": "latent scores behind noisy verdicts",
}
CONTROLS = {  # of the results, by their labels
    "Checks": "Checks of this ranking, with doubts first and what helps.",
    "Method": "Comparison model that turns verdicts into scores.",
    "Target": "Question that ranks and intervals answer.",
    "Baseline": "Adds a column with each candidate's difference from this one.",
    "Scale": "Unit of the scores: 1 logit is 174 Elo, and both average 0.",
    "By tag": "Adds a ranking for each value of a tag of the prompts.",
    "Without length": "Excludes the length of outputs from the scores.",
    "Version": "Shows the ranking as it was after that many entries of the log.",
}


def described(status: PageStatus) -> str:
    """The word for a status, and what it means."""
    return f"{status.replace('_', ' ').capitalize()}: {STATUSES[status]}"


def goal(row: SetOut) -> int:
    """The budget, or every comparison there can be."""
    if row.budget and row.budget.max_comparisons:
        return row.budget.max_comparisons
    return row.candidates * (row.candidates - 1) // 2 * max(row.items, 1) * ORDERS_ASKED[row.order]


def no_page(path: str) -> str:
    """What to do where an address leads nowhere."""
    return f"There is no page at {path}. Check the address, or start from the list of sets."
