"""The size of a run: how much of everything is measured."""

from typing import NamedTuple

from benchmarks.studies.methods import data


class Size(NamedTuple):
    """Amounts of what is measured; None stands for all."""

    seeds: int = 5
    some_seeds: int = 2
    few_seeds: int = 1  # of what is there to compare with
    documents: int | None = None
    few_documents: int | None = 40  # of what is there to compare with
    summeval: tuple[str, ...] = data.SUMMEVAL
    topicalchat: tuple[str, ...] = data.TOPICALCHAT
    judges: tuple[str, ...] = data.VICUNA_JUDGES
    hanna: tuple[str, ...] = data.HANNA
    hanna_seeds: int = 1
    hanna_hard_seeds: int = 2
    batches: tuple[int, ...] = (100, 400)
    stories: int | None = None
    share: float = 0.01  # of N (N - 1), of the batches
    single: int = 2000  # comparisons, one at a time


FULL = Size()
QUICK = Size(
    seeds=1,
    some_seeds=1,
    few_seeds=1,
    documents=3,
    few_documents=3,
    summeval=("coherence",),
    topicalchat=("naturalness",),
    judges=("bard",),
    hanna=("RE",),
    hanna_hard_seeds=1,
    batches=(20,),
    stories=60,
    share=0.05,
    single=40,
)
