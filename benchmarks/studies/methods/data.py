"""The data sets as cases: a judge whose answers are all known, and what people say."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from app.files.columns import Labels, where
from app.files.comparisons import ComparisonColumns, read_grouped
from app.files.reading import read
from app.files.values import read_means, read_values
from app.inference.fitting.baselines import average_probability
from app.inference.types import Floats, by_one_judge, take
from app.offline.cases import Case, ScoreColumns, TruthFile, from_pairs, load
from app.offline.ranking import Group, split

SUMMEVAL = ("coherence", "consistency", "fluency", "relevance")
SUMMEVAL_JUDGES = (
    "gpt-3.5-turbo-0301",
    "gpt-4-0314",
    "llama-2-7b-chat-hf",
    "llama-2-13b-chat-hf",
    "llama-2-70b-chat-hf",
)
GPT35 = SUMMEVAL_JUDGES[0]
TOPICALCHAT = ("coherence", "engagingness", "groundedness", "naturalness")
VICUNA_JUDGES = ("bard", "claude", "gpt35", "gpt4", "vicuna-13b")
HANNA = ("RE", "CH", "EM", "SU", "EG", "CX")
HANNA_JUDGE = "ChatGPT"
PARSED = 1.0  # a HANNA score below it is a parse failure


class Stories(NamedTuple):
    """Every story of HANNA, by the judge's score and by people's."""

    keys: list[str]
    judged: Floats  # (N,)
    truth: Floats  # (N,)


def missing(folder: Path, name: str) -> str | None:
    """Say why a data set is not used; None where it is here."""
    return None if (folder / name).is_dir() else f"skipped {name}: it is not in the data folder"


def summeval(folder: Path, dimension: str, judge: str = GPT35, temperature: float = 1.0) -> list[Case]:
    """Cases of a document each, 12 systems; comparisons from the mean score of the judge's prompts."""
    path, truth = str(folder / "summeval/llm_absolute_12sys.csv.gz"), str(folder / "summeval/human.csv.gz")
    judged_by = ScoreColumns("system", "score")
    conditions = [("judge", judge), ("dim", dimension)]
    return load([path], judged_by, TruthFile(truth, "system", dimension), ["doc"], conditions, temperature).cases


def summeval_verdicts(folder: Path, dimension: str) -> list[Case]:
    """Cases of a document each; hard verdicts on the 11 pairs of a chain through 12 systems, in both orders."""
    path, truth = str(folder / "summeval/h2h_chatgpt.csv.gz"), str(folder / "summeval/human.csv.gz")
    truth_file = TruthFile(truth, "system", dimension)
    return load([path], ComparisonColumns(), truth_file, ["doc"], [("dim", dimension)]).cases


def summeval_scores(folder: Path, dimension: str) -> Mapping[tuple[str, str], Mapping[str, float]]:
    """Scores of gpt-3.5 for each prompt, by (document, system)."""
    path = str(folder / "summeval/llm_absolute_12sys.csv.gz")
    table = where(read(path), [("judge", GPT35), ("dim", dimension)])
    scores: dict[tuple[str, str], dict[str, float]] = {}
    for (doc, system, prompt), score in read_means(table, ["doc", "system", "prompt"], "score").items():
        if not np.isnan(score):
            scores.setdefault((doc, system), {})[prompt] = score
    return scores


def topicalchat(folder: Path, dimension: str) -> list[Case]:
    """Cases of a context each, 6 responses; p from 20 sampled scores a side, the mean of seven prompts."""
    path, truth = str(folder / "topicalchat/derived_pairwise.csv.gz"), str(folder / "topicalchat/human.csv.gz")
    columns = ComparisonColumns(first="item_i", second="item_j", p_first="p_i")
    return load([path], columns, TruthFile(truth, "item", dimension), ["context"], [("dim", dimension)]).cases


def vicuna(folder: Path, judge: str) -> list[Case]:
    """Cases of a question each, 5 systems; hard verdicts on every pair in both orders."""
    table = where(read(str(folder / "prd_vicuna80/llm.csv.gz")), [("reviewer", judge)])
    truths = _vicuna_truths(folder)
    return [
        from_pairs(group, truths[group.labels])
        for group in split(read_grouped([table], ComparisonColumns(), ["question_id"]))
    ]


def hanna(folder: Path, dimension: str) -> Stories:
    table = where(read(str(folder / "hanna/llm_absolute.csv.gz")), [("judge", HANNA_JUDGE)])
    scores: dict[str, list[float]] = {}
    for (story, _), score in read_values(table, ["story_id", "prompt"], dimension).items():
        if score >= PARSED:
            scores.setdefault(story, []).append(score)
    truth = read_values(read(str(folder / "hanna/human.csv.gz")), ["story_id"], f"{dimension}_mean")
    judged = np.array([np.mean(of_prompts) for of_prompts in scores.values()])
    return Stories(list(scores), judged, np.array([truth[story,] for story in scores]))


def biased(case: Case, delta: float) -> Case:
    """Return the case with the same judge and `delta` added to its logits, in favour of what is shown first."""
    return case._replace(offered=expit(logit(case.offered) + delta))


def _vicuna_truths(folder: Path) -> Mapping[Labels, Mapping[str, float]]:
    """Return for each question how often people prefer each of the five systems, every opponent counting alike."""
    table = read(str(folder / "prd_vicuna80/human.csv.gz"))
    log = read_grouped([table], ComparisonColumns(), ["question_id"])
    return {group.labels: _win_shares(group) for group in split(log)}


def _win_shares(group: Group) -> dict[str, float]:
    among = [key in ("bard", "claude", "gpt35", "gpt4", "vicuna-13b") for key in group.keys]
    first, second, p, _, _ = take(
        group.comparisons, np.array(among)[group.comparisons.first] & np.array(among)[group.comparisons.second]
    )
    n = len(group.keys)
    low, high = np.minimum(first, second), np.maximum(first, second)
    pairs, which, counts = np.unique(low * n + high, return_inverse=True, return_counts=True)
    mean = np.bincount(which, np.where(first == low, p, 1.0 - p)) / counts
    shares = average_probability(by_one_judge(pairs // n, pairs % n, mean), n).score
    return {key: float(share) for key, share, kept in zip(group.keys, shares, among, strict=True) if kept}
