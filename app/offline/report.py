"""The report of a file of comparisons, without a service."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from nextpair import schemas

from app.analysis.report import HashedLog, ReportMaterial, compose
from app.files.comparisons import ComparisonColumns
from app.files.reports import document
from app.files.reports.seal import LineHash, hashed, lines_of
from app.files.tables import InputError
from app.inference.fitting import usual_verdict_weight
from app.offline.ranking import NOBODY, Ranked, RankingMethod, rank_file

NO_CHECKS = "A file has no diagnostics here: import it into a service with nextpair import."
UNKNOWN_JUDGES = "A file says nothing of its judges but their names."


class OfFile(NamedTuple):
    """How a file is ranked, beside the defaults."""

    columns: ComparisonColumns
    reference: tuple[str, ...] = ()  # judges who are people
    repeats: tuple[tuple[str, float], ...] = ()
    positions: bool | None = None


def of_file(path: str, how: OfFile, name: str, question: str) -> bytes:
    """The report as a file. Raises InputError and NotConvergedError."""
    ranked = rank(path, how)
    material = ReportMaterial(
        name=name,
        question=question,
        ranking=ranked.ranking,
        log=HashedLog(hash_of(path), Path(path).name, is_export=False),
        made_at=datetime.now(UTC),
        prompts=ranked.prompts if ranked.prompts > 1 else 0,
        judges=[_card(ranked, judge, how.reference) for judge in ranked.judges if judge != NOBODY],
        judges_summary=UNKNOWN_JUDGES,
        unchecked=NO_CHECKS,
        people=how.reference,
        how=how.columns._asdict() | {"positions": how.positions},
    )
    return document.file(compose(material))


def rank(path: str, how: OfFile) -> Ranked:
    """The ranking of a file as `nextpair rank` has it by default. Raises InputError and NotConvergedError."""
    method = RankingMethod(
        "soft-bt", position_bias="auto", verdict_weight=usual_verdict_weight("soft-bt", "unit"),
        reference=how.reference, is_verdict_weight_usual=True, inference_target="auto", repeats=how.repeats,
        positions=how.positions,
    )  # fmt: skip
    (ranked,) = rank_file(path, how.columns, [], [], method)
    return ranked


def hash_of(path: str) -> LineHash:
    """Hash of the bytes of a file. Raises InputError."""
    try:
        lines = lines_of(Path(path).read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); a report is of one file") from None
    return hashed(lines, len(lines))


def _card(ranked: Ranked, judge: str, people: Sequence[str]) -> schemas.JudgeCard:
    biases = ranked.ranking.position_bias or {}
    return schemas.JudgeCard(
        judge=judge,
        kind="human" if judge in people else None,
        comparisons=ranked.judges[judge],
        failures={},
        position_bias=biases.get(judge),
    )
