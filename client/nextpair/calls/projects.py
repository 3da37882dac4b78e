"""Projects: several sets with the same candidates."""

from collections.abc import Mapping, Sequence

from nextpair.calls.description import Call, Id, get, path_of
from nextpair.schemas import Leaderboard
from nextpair.words import ScaleName


def leaderboard(
    project: str,
    *,
    sets: Sequence[Id] = (),
    weights: Mapping[str, float] | None = None,
    level: float | None = None,
    baseline: str | None = None,
    scale: ScaleName | None = None,
) -> Call[Leaderboard]:
    """Compare the sets of a project, or those of `sets`: each candidate's place in each set's ranking.

    Win rates are averaged only with `weights`, by the sets' names. `baseline` is the key of a candidate that
    `against` of each place compares with.
    """
    weight = [f"{name}={value!r}" for name, value in (weights or {}).items()]
    chosen = {"set": [str(set_id) for set_id in sets] or None, "weight": weight or None}
    how = {"level": level, "baseline": baseline, "scale": scale}
    return get(path_of("projects", project, "leaderboard"), Leaderboard.model_validate_json, **chosen, **how)
