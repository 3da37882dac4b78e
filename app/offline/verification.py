"""Verification of a report: that it is whole, that its log is the one at hand, and that the log gives its figures."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nextpair import schemas

from app.analysis.report import stated
from app.files.comparisons import ComparisonColumns
from app.files.exports import Uncompared, line_of
from app.files.reports.seal import BadReport, ExportedLog, Json, LineHash, hashed, lines_of, unsealed, where_different
from app.files.tables import InputError
from app.inference.fitting import Normal
from app.inference.reporting import Wanted
from app.offline import report as of_files
from app.offline.ranking import NotConvergedError, RankingMethod, SharedPriors, rank_file
from app.sentences import report as sentences

SHOWN = 3  # differences in a message
OF_DRAWS = 0.015  # how far probabilities of draws may differ from one machine to another
TINY = 1e-6


def verify(report: str, log: str, *, recompute: bool = False) -> list[str]:
    """What holds, in sentences. Raises BadReport, which says what does not, and InputError."""
    content = unsealed(_read(report))
    lines = lines_of(_read(log))
    try:
        expected = LineHash(**{name: content["log"][name] for name in LineHash._fields})
        exported = ExportedLog(lines, content["version"])
        kept = list(exported) if content["log"]["is_export"] else lines
        actual = hashed(kept, content["version"] if content["log"]["is_export"] else len(lines))
        if actual != expected:
            raise BadReport(f"{log} is not the log of the report: {where_different(expected, actual)}")
        says = [sentences.verified(expected.lines, exported.later)]
        if recompute:
            says.append(_recomputed(content, kept, exported.others))
    except (KeyError, TypeError) as error:
        raise BadReport(f"the data of the report are not those of this version of nextpair: {error}") from None
    return says


def _read(path: str) -> bytes:
    """Raises InputError."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def _recomputed(content: Json, lines: list[bytes], others: Sequence[Uncompared]) -> str:
    """Raises BadReport where the log gives other figures."""
    if not lines:
        return sentences.NOTHING_TO_RANK
    ranked = {row["key"] for row in content["ranking"]}
    lines = [*lines, *(line_of(each) for each in others if each.first in ranked)]
    suffix = "".join(Path(content["log"]["name"]).suffixes)
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"log{suffix}"
        file.write_bytes(b"".join(lines))
        try:
            ranking = _rank(content, str(file))
        except (InputError, NotConvergedError) as error:
            raise BadReport(f"the log cannot be ranked again: {str(error).replace(folder, '')}") from None
    differences = list(_differences(content["ranking"], stated(ranking)))
    if differences:
        beside = content["beside_the_log"]
        missing = f". The ranking also depends on {', '.join(beside)}, which the log does not hold" if beside else ""
        raise BadReport(f"ranked again from the log, {sentences.differences(differences, SHOWN)}{missing}")
    return sentences.recomputed(sum(len(row) - 1 for row in content["ranking"]))


def _rank(content: Json, file: str) -> schemas.Ranking:
    """Raises InputError, NotConvergedError."""
    definition, method, people = content["set"], content["method"], tuple(content["people"])
    repeats = tuple(content.get("repeats", {}).items())
    if definition is None:
        columns = {name: value for name, value in content["how"].items() if name != "positions"}
        of_file = of_files.OfFile(ComparisonColumns(**columns), people, repeats, content["how"].get("positions"))
        return of_files.rank(file, of_file).ranking
    weight = definition["verdict_weight"]
    how = RankingMethod(
        name=definition["expert"], prior_variance=definition["prior_variance"],
        parameters=tuple(sorted(definition["expert_parameters"].items())), prior=definition["prior"],
        position_bias=definition["position_bias"], wanted=Wanted(method["level"], method["top_k"], method["epsilon"]),
        verdict_weight="learnt" if weight == "learnt" else "one-vote", absolute_scale=definition["absolute_scale"],
        reference=people, is_verdict_weight_usual=True, inference_target=content["inference_target"],
        repeats=repeats, priors=_priors(shared) if (shared := content.get("priors")) else None,
    )  # fmt: skip
    (ranked,) = rank_file(file, ComparisonColumns(), [], [], how)
    return ranked.ranking


def _priors(shared: Json) -> SharedPriors:
    by_judge = (
        {judge: Normal(**each) for judge, each in shared[name].items()} for name in ("log_noise", "log_effects")
    )
    return SharedPriors(Normal(**shared["log_scale"]), *by_judge)


def _differences(expected: list[Json], actual: list[Json]) -> Iterator[str]:
    """Figures that differ by more than the precision in which they are stated."""
    there = {row["key"]: row for row in actual}
    for row in expected:
        other = there.pop(row["key"], None)
        if other is None:
            yield f"{row['key']} has no comparison"
            continue
        for name, value in row.items():
            if not _is_same(name, value, other[name]):
                yield f"{name} of {row['key']} is {_shown(other[name])}, and the report says {_shown(value)}"
    yield from (f"{key} is not in the report" for key in there)


def _is_same(name: str, value: Any, other: Any) -> bool:
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(_is_same(name, a, b) for a, b in zip(value, other, strict=True))
    if isinstance(value, float) and isinstance(other, float | int):
        return abs(value - other) <= (OF_DRAWS if name == "p_best" else 0.01 + TINY)
    return bool(value == other)


def _shown(value: Any) -> str:
    return " to ".join(map(str, value)) if isinstance(value, list) else str(value)
