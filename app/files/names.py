"""Usual names of columns: readers look for these where nobody names a column, and the reference of files lists them."""

from typing import NamedTuple

PAIRS = (("first", "second"), ("model_a", "model_b"))
LISTS = (("winner", "loser"), ("chosen", "rejected"), ("chosen", "not_chosen"))  # of winners, without positions
OUTCOMES = ("winner", "p_first")
PREFERENCE = "preference"  # of AlpacaEval: 1 where the first is better, 2 where the second is, or between
JUDGE, WEIGHT, ORDER_CHANCE = "judge", "weight", "order_chance"
ITEMS = ("item", "prompt_id", "question_id", "instance_id", "prompt", "question")

ANNOTATIONS = ("generator_1", "generator_2", None, PREFERENCE, "annotator", None, "instruction")  # of AlpacaEval

KEYS = ("key", "id", "name")  # of candidates, the more telling first
TEXTS = ("text", "output", "answer", "response", "content", "body", "joke")

SYSTEMS = ("model", "model_name", "model_id", "generator", "provider", "system")
PROMPT_IDS = ("prompt_id", "question_id", "instance_id", "task_id")
PROMPT_KEYS = (*PROMPT_IDS, "item", "item_id", "sample_id", "doc_id")
OWN_KEYS = ("id", "key")  # of prompts too, where each has its own
PROMPT_TEXTS = (
    *("prompt", "question", "instruction", "input", "query", "inputs", "problem", "messages", "user_input"),
    *("user_prompt", "chat_history", "conversation", "arguments"),
)
CONVERSATIONS = ("messages", "conversation", "chat_history")
OUTPUTS = (*TEXTS, "completion", "generation", "prediction")

SCORED, SCORES, VARIANCE = ("candidate", "key"), ("score", "mean"), "variance"

TEXT_PAIRS = (("first_text", "second_text"), ("response_a", "response_b"))
SHOWN = ("question", "context", "prompt")  # beside the texts of a pair


class Recognised(NamedTuple):
    """Content of a column, its usual names with the first choice first, and the option that names another."""

    holds: str
    names: tuple[str, ...]
    option: str = ""


_JUDGE = Recognised("Who judged; without it, one unnamed judge", (JUDGE,), "--judge")
_ITEM = Recognised("What was judged, such as the prompt; without it, one item for all rows", ITEMS, "--item")
RECOGNISED: dict[str, tuple[Recognised, ...]] = {
    "Comparisons": (
        Recognised("The candidate shown first", tuple(first for first, _ in PAIRS), "--first"),
        Recognised("The candidate shown second", tuple(second for _, second in PAIRS), "--second"),
        Recognised("Who won: a word of the list below, or the key of the winner", OUTCOMES[:1], "--winner"),
        Recognised("Instead of `winner`: the probability that the first is better", OUTCOMES[1:], "--p-first"),
        Recognised("Instead of these, in a list of winners: who won", tuple(won for won, _ in LISTS)),
        Recognised("In a list of winners: who lost", tuple(lost for _, lost in LISTS)),
        _JUDGE,
        Recognised("How many votes the row stands for; without it, 1", (WEIGHT,), "--weight"),
        _ITEM,
    ),
    "Comparisons of AlpacaEval, on the page New set": (
        Recognised("The systems compared", ANNOTATIONS[:2]),
        Recognised("Who won: 1 the first, 2 the second, or a number between", (PREFERENCE,)),
        Recognised(_JUDGE.holds, ("annotator",)),
        Recognised("The prompt", ("instruction",)),
    ),
    "Candidates": (
        Recognised("The key; without it, the number of the row", KEYS, "--key"),
        Recognised("The text; without it, the column of the longest texts", TEXTS, "--text"),
    ),
    "Outputs of several systems": (
        Recognised("The system that wrote the output", SYSTEMS, "--system"),
        Recognised("The key of the prompt", (*PROMPT_KEYS, *OWN_KEYS), "--prompt"),
        Recognised("The text of the prompt, or a conversation", PROMPT_TEXTS, "--prompt"),
        Recognised("The output; without it, the end of the conversation", OUTPUTS, "--output"),
    ),
    "Absolute scores": (
        Recognised("The candidate", SCORED),
        Recognised("The score", SCORES),
        Recognised("Its variance; without it, that of rounding to whole numbers", (VARIANCE,)),
        Recognised(_JUDGE.holds, _JUDGE.names),
        Recognised("What was scored; without it, one item for all rows", ("item",)),
    ),
    "Pairs to judge": (
        Recognised("The key of the text shown first", tuple(first for first, _ in PAIRS), "--first"),
        Recognised("The key of the text shown second", tuple(second for _, second in PAIRS), "--second"),
        Recognised("The text shown first", tuple(first for first, _ in TEXT_PAIRS), "--first-text"),
        Recognised("The text shown second", tuple(second for _, second in TEXT_PAIRS), "--second-text"),
        Recognised("What is asked", SHOWN[:1], "--question"),
        Recognised("Shown to the judge too, where the column exists", SHOWN[1:]),
    ),
}
