"""Drawings of a ranking, as SVG text."""

import re
from html import escape
from itertools import chain

from app.schemas import Rank, Ranking

ROW, LEFT, WIDTH, RIGHT, TOP = 22, 190, 460, 110, 34  # pixels
INK, FAINT, ACCENT = "#1f2933", "#616e7c", "#2b6cb0"

NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # not even escaped


def forest(ranking: Ranking, title: str) -> str:
    """A forest plot: one row per candidate, best first, with its score, interval and rank interval."""
    low, high = _range(ranking.ranking)
    height = TOP + ROW * len(ranking.ranking) + 30

    def x(score: float) -> float:
        return round(LEFT + WIDTH * (score - low) / (high - low), 2)

    part = ranking.components > 1
    rows = chain.from_iterable(
        _row(r, TOP + ROW * n + ROW // 2, x(r.score), r.interval and tuple(map(x, r.interval)), part)
        for n, r in enumerate(ranking.ranking)
    )
    body = "".join(chain(_axis(x(0.0) if low < 0 < high else None, height), rows))
    caption = f"{ranking.comparisons} comparisons, {ranking.method.name}, {ranking.method.level:.0%} intervals"
    if part:
        caption += f" · {ranking.components} parts that were never compared: compare scores within a part only"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + RIGHT} {height}" '
        f'font-family="system-ui, sans-serif" font-size="12" fill="{INK}" role="img">'
        f"<title>{_escape(title)}</title>"
        f'<text x="8" y="18" font-size="14" font-weight="600">{_escape(title)}</text>{body}'
        f'<text x="8" y="{height - 8}" fill="{FAINT}">{_escape(caption)}</text></svg>'
    )


def _range(ranks: list[Rank]) -> tuple[float, float]:
    ends = list(chain.from_iterable(r.interval or (r.score,) for r in ranks)) or [0.0]
    low, high = min(ends), max(ends)
    margin = 0.05 * (high - low) or 1.0
    return low - margin, high + margin


def _axis(zero: float | None, height: int) -> list[str]:
    if zero is None:
        return []
    ends = f'x1="{zero}" x2="{zero}" y1="{TOP - 6}" y2="{height - 26}"'
    return [f'<line {ends} stroke="{FAINT}" stroke-dasharray="2 4"/>']


def _row(rank: Rank, y: int, x: float, interval: tuple[float, ...] | None, part: bool) -> list[str]:
    name = rank.key if len(rank.key) <= 22 else rank.key[:21] + "…"
    parts = [
        f'<text x="8" y="{y + 4}" fill="{FAINT}">{rank.rank}</text><text x="36" y="{y + 4}">{_escape(name)}</text>'
    ]
    if interval:
        low, high = interval
        parts.append(f'<line x1="{low}" x2="{high}" y1="{y}" y2="{y}" stroke="{ACCENT}" stroke-width="2"/>')
    parts.append(f'<circle cx="{x}" cy="{y}" r="4" fill="{ACCENT}"/>')
    if rank.rank_interval:
        best, worst = rank.rank_interval
        label = f"rank {best}" if best == worst else f"rank {best}–{worst}"
        label += f", part {rank.component + 1}" if part else ""
        parts.append(f'<text x="{LEFT + WIDTH + 12}" y="{y + 4}" fill="{FAINT}">{label}</text>')
    return parts


def _escape(text: str) -> str:
    return escape(NO_XML.sub("\ufffd", text))
