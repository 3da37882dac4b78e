"""Two figures of one run: fits beside peers, votes beside their limit, as ratios over the number of candidates."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl

from benchmarks.speed import fits, votes
from benchmarks.speed.measuring import Row
from benchmarks.studies.figures import COLOURS, DASHES, STYLE, grid, save

MARKERS = "osD^v<>PX*d"


def draw(folder: Path, sections: Mapping[str, Sequence[Row]]) -> None:
    by_peer: dict[str, list[tuple[int, float]]] = {}
    for row in sections["fits"]:
        if row.ratio and row.what == fits.WHAT:
            by_peer.setdefault(row.beside, []).append((row.n, 1.0 / row.ratio))
    _ratios(folder, "speed-fits", by_peer, "time of a fit / ours")
    by_part: dict[str, list[tuple[int, float]]] = {votes.LIMIT: [], votes.WHAT: [], votes.NUMPY: []}
    limits = {row.n: row.theirs for row in sections["votes"] if row.beside == votes.LIMIT}
    for row in sections["votes"]:
        limit = limits.get(row.n)
        if row.what == votes.WHAT and row.beside == votes.LIMIT and row.ratio:
            by_part[votes.WHAT].append((row.n, row.ratio))
            by_part[votes.LIMIT].append((row.n, 1.0))
        elif row.beside == votes.NUMPY and row.theirs and limit:
            by_part[votes.NUMPY].append((row.n, row.theirs / limit))
    _ratios(folder, "speed-votes", by_part, f"time / {votes.LIMIT}")


def _ratios(folder: Path, name: str, lines: Mapping[str, Sequence[tuple[int, float]]], label: str) -> None:
    with mpl.rc_context(STYLE):
        figure, (ax,) = grid(1, 1, width=6.5)
        for k, (line, points) in enumerate(lines.items()):
            x, y = zip(*points, strict=True)
            colour, dashes = COLOURS[k % len(COLOURS)], DASHES[(k + k // len(COLOURS)) % len(DASHES)]
            ax.plot(x, y, MARKERS[k], label=line, color=colour, linestyle=dashes, linewidth=1.2, markersize=4)
        ax.axhline(1.0, color="#7f7f7f", linewidth=0.8)
        ax.set(xscale="log", yscale="log", xlabel="candidates", ylabel=label)
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
        save(figure, folder, name)
