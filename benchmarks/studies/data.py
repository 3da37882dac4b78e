"""The data sets: judges whose answers are all known, and what people say, as `nextpair simulate` reads them."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from app.files.columns import where
from app.files.comparisons import ComparisonColumns, read_grouped
from app.files.reading import read
from app.files.values import read_means
from app.inference.types import Comparisons, Floats, by_one_judge
from app.offline.cases import Case, ScoreColumns, TruthFile, from_pairs, load
from app.offline.groups import split
from app.offline.ranking import RankingMethod, rank_file

HANNA_JUDGE, GPT35 = "ChatGPT", "gpt-3.5-turbo-0301"
SUMMEVAL_JUDGES = (GPT35, "gpt-4-0314", "llama-2-7b-chat-hf", "llama-2-13b-chat-hf", "llama-2-70b-chat-hf")
SUMMEVAL_SCORES, PEOPLE = "summeval/llm_absolute_12sys.csv.gz", "human.csv.gz"
VICUNA_PEOPLE = (
    "nextpair rank human.csv.gz --group-by question_id --method average-probability --format csv > people.csv"
)


class DataSet(NamedTuple):
    """Sets whose truth is known, in parts: dimensions, or judges."""

    title: str
    folder: str
    parts: tuple[str, ...]
    load: Callable[[Path, str], list[Case]]
    command: str  # the options of `nextpair simulate` for a part

    def cases(self, folder: Path, part: str, count: int | None) -> list[Case]:
        """Documents, at most so many, whose truth is not constant."""
        return [case for case in self.load(folder, part) if np.ptp(case.truth) > 0.0][:count]


def missing(folder: Path, name: str) -> str | None:
    """Say why a data set is not used; None where it is here."""
    return None if (folder / name).is_dir() else f"skipped {name}: it is not in the data folder"


def summeval(folder: Path, dimension: str, judge: str = GPT35) -> list[Case]:
    """Cases of a document each, 12 systems; comparisons from the mean score of the judge's prompts."""
    truth = TruthFile(str(folder / "summeval" / PEOPLE), "system", dimension)
    conditions = [("judge", judge), ("dim", dimension)]
    return load([str(folder / SUMMEVAL_SCORES)], ScoreColumns("system", "score"), truth, ["doc"], conditions).cases


def summeval_verdicts(folder: Path, dimension: str) -> list[Case]:
    """Cases of a document each; hard verdicts on the 11 pairs of a chain through 12 systems, in both orders."""
    truth = TruthFile(str(folder / "summeval" / PEOPLE), "system", dimension)
    path = str(folder / "summeval/h2h_chatgpt.csv.gz")
    return load([path], ComparisonColumns(), truth, ["doc"], [("dim", dimension)]).cases


def summeval_scores(folder: Path, dimension: str) -> Mapping[tuple[str, str], Mapping[str, float]]:
    """Scores of gpt-3.5 for each prompt, by (document, system)."""
    (table,) = where([read(str(folder / SUMMEVAL_SCORES))], [("judge", GPT35), ("dim", dimension)])
    scores: dict[tuple[str, str], dict[str, float]] = {}
    for (doc, system, prompt), score in read_means(table, ["doc", "system", "prompt"], "score").items():
        if not np.isnan(score):
            scores.setdefault((doc, system), {})[prompt] = score
    return scores


def topicalchat(folder: Path, dimension: str) -> list[Case]:
    """Cases of a context each, 6 responses; p from 20 sampled scores a side, the mean of seven prompts."""
    truth = TruthFile(str(folder / "topicalchat" / PEOPLE), "item", dimension)
    columns = ComparisonColumns(first="item_i", second="item_j", p_first="p_i")
    path = str(folder / "topicalchat/derived_pairwise.csv.gz")
    return load([path], columns, truth, ["context"], [("dim", dimension)]).cases


def hanna(folder: Path, dimension: str, group_by: Sequence[str] = ("prompt_id",)) -> list[Case]:
    """Cases of a prompt each, 11 stories; comparisons from ChatGPT's mean score. Without groups one case of 1,056."""
    truth = TruthFile(str(folder / "hanna" / PEOPLE), "story_id", f"{dimension}_mean")
    judged_by = ScoreColumns("story_id", dimension)
    path = str(folder / "hanna/llm_absolute.csv.gz")
    return load([path], judged_by, truth, group_by, [("judge", HANNA_JUDGE)]).cases


def all_stories(folder: Path, dimension: str) -> list[Case]:
    return hanna(folder, dimension, ())


def vicuna(folder: Path, judge: str) -> list[Case]:
    """Cases of a question each, 5 systems; hard verdicts on every pair in both orders."""
    tables = where([read(str(folder / "prd_vicuna80/llm.csv.gz"))], [("reviewer", judge)])
    truths = _vicuna_people(folder)
    groups = split(read_grouped(tables, ComparisonColumns(), ["question_id"]))
    return [from_pairs(group, truths[group.labels]) for group in groups]


@cache
def _vicuna_people(folder: Path) -> Mapping[tuple[str, ...], Mapping[str, float]]:
    """Shares of people who prefer a system, by question: what VICUNA_PEOPLE writes."""
    path, method = str(folder / "prd_vicuna80" / PEOPLE), RankingMethod("average-probability")
    return {
        ranked.labels: {row.key: row.score for row in ranked.ranking.ranking}
        for ranked in rank_file(path, ComparisonColumns(), ["question_id"], [], method)
    }


def biased(case: Case, delta: float) -> Case:
    """Return the case with the same judge and `delta` added to its logits, in favour of what is shown first."""
    return case._replace(offered=expit(logit(case.offered) + delta))


def by_judge(judge: str) -> DataSet:
    """SummEval with this judge."""
    return SUMMEVAL._replace(title=f"SummEval, {judge}", load=partial(summeval, judge=judge))


def everything(case: Case) -> Comparisons:
    """All that the judge was asked."""
    first, second = np.nonzero(~np.isnan(case.offered))
    return by_one_judge(first, second, case.offered[first, second])


def people_prefer(case: Case) -> Floats:
    """(N, N) how much higher people score i than j."""
    return case.truth[:, None] - case.truth


SUMMEVAL = DataSet(
    "SummEval", "summeval", ("coherence", "consistency", "fluency", "relevance"), summeval,
    f"llm_absolute_12sys.csv.gz --score-column score --score-key system --where judge={GPT35} --where dim={{part}} "
    "--group-by doc --truth human.csv.gz --truth-key system --truth-column {part}",
)  # fmt: skip
TOPICALCHAT = DataSet(
    "TopicalChat", "topicalchat", ("coherence", "engagingness", "groundedness", "naturalness"), topicalchat,
    "derived_pairwise.csv.gz --first item_i --second item_j --p-first p_i --where dim={part} --group-by context "
    "--truth human.csv.gz --truth-key item --truth-column {part}",
)  # fmt: skip
_OF_STORIES = (
    "llm_absolute.csv.gz --score-column {part} --score-key story_id --where judge=ChatGPT "
    "--truth human.csv.gz --truth-key story_id --truth-column {part}_mean"
)
HANNA = DataSet(
    "HANNA by prompt", "hanna", ("RE", "CH", "EM", "SU", "EG", "CX"), hanna, f"{_OF_STORIES} --group-by prompt_id"
)
STORIES = HANNA._replace(title="HANNA as one set", load=all_stories, command=f"{_OF_STORIES} --batch 100")
VICUNA = DataSet(
    "Vicuna", "prd_vicuna80", ("bard", "claude", "gpt35", "gpt4", "vicuna-13b"), vicuna,
    "llm.csv.gz --where reviewer={part} --group-by question_id --truth people.csv --truth-column score",
)  # fmt: skip
