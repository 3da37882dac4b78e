"""Rankings, one after the other where there are groups."""

import sys
from collections.abc import Sequence

import numpy as np
from nextpair.schemas import ABOUT_CERTAINTY
from nextpair.words import JOINT, counted, percent
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from app.files.columns import Labels
from app.inference.experts import parameters
from app.inference.fitting import BASELINES, Hyperparameters
from app.inference.judges import DisputedPair, Krippendorff
from app.inference.reporting import (
    BesidePeople,
    Bias,
    Concordance,
    ForecastPoint,
    JudgeEffects,
    PairsAgreed,
    Standing,
    Uncertainty,
    Wanted,
    first_place,
    prompts_in_words,
    warning_of,
)
from app.inference.targets import PromptsNeeded
from app.inference.types import Convergence
from app.offline.agreement import JudgeAgreement
from app.offline.printing import Format
from app.offline.printing.tables import NARROWEST, WIDEST, Row, grid, write_json, write_rows
from app.offline.ranking import Group, JudgeScale, Ranked, RankingMethod, definition_of

MOST_SHOWN = 1000  # rows of a table
GIVING_WAY = ("interval", "± sd", "tie")  # columns of a table, where names are too long: others tell much the same


def show(rankings: Sequence[Ranked], group_by: Sequence[str], form: Format) -> None:
    """Every row of every ranking; the names of groups stand in front in CSV, above in a table."""
    if form == "json":
        write_json([_ranking_json(ranked, group_by) for ranked in rankings])
    elif form == "csv":
        write_rows(
            (_named(r.group.labels, group_by) | _row(s, r) for r in rankings for s in r.standings.rows), sys.stdout
        )
    else:
        console = Console(highlight=False)
        for ranked in rankings:
            _print_ranking(console, ranked, group_by)


def _ranking_json(ranked: Ranked, group_by: Sequence[str]) -> Row:
    standings, of_rows = ranked.standings, ranked.of_rows
    return {
        "group": _named(ranked.group.labels, group_by),
        "method": _method(ranked.method),
        "comparisons": ranked.group.rows,
        "components": standings.components,
        "convergence": _convergence(standings.convergence),
        "entropy": standings.entropy,
        "inference_target": ranked.target._asdict(),
        "certainty": {"about": ABOUT_CERTAINTY} | (_certainty(of_rows.certainty, ranked.group) if of_rows else {}),
        "sureness": standings.sureness and _sureness(standings.sureness, standings.forecast),
        "signal": of_rows and of_rows.signal._asdict(),
        "first_place": _first_place(ranked),
        "prompts": ranked.prompts and _prompts(ranked.prompts),
        "position_bias": {ranked.group.judges[b.judge]: _bias(b) for b in standings.biases},
        "tastes": {ranked.group.judges[t.judge]: _tastes(t, ranked.group.keys) for t in standings.tastes},
        "evidence": ranked.learnt and _evidence(ranked.learnt, ranked.group),
        "absolute_scores": [scale._asdict() for scale in ranked.scales],
        "agreement": of_rows and of_rows.agreement and _agreement(of_rows.agreement, ranked.group),
        "left_out": ranked.left_out,
        "ranking": [_row(standing, ranked) for standing in standings.rows],
    }


def _first_place(ranked: Ranked) -> str:
    """Nothing where rows were put together, which loses the signal."""
    if ranked.of_rows is None:
        return ""
    keys, standings = ranked.group.keys, ranked.standings
    rows = [(keys[row.candidate], row.rank, row.uncertainty and row.uncertainty.p_best) for row in standings.rows]
    return first_place(rows, ranked.group.rows, ranked.of_rows.signal, ranked.target.name).sentence


def _prompts(prompts: PromptsNeeded) -> Row:
    """As the service has it."""
    return {
        "judged": prompts.prompts,
        "needed": prompts.needed,
        "comparisons_suffice": prompts.comparisons_suffice,
        "sentence": prompts_in_words(prompts),
    }


def _sureness(sureness: Concordance, forecast: Sequence[ForecastPoint]) -> Row:
    return sureness._asdict() | {"forecast": [foretold._asdict() for foretold in forecast]}


def _method(method: RankingMethod) -> Row:
    """As the service has it; null is what a baseline does not have."""
    definition: Row = definition_of(method)._asdict()
    chosen = dict(definition.pop("parameters"))
    if method.name in BASELINES:
        definition = dict.fromkeys([*definition, "expert_parameters"]) | {"position_bias": "none"}
    else:
        definition["expert_parameters"] = parameters(definition["expert"]) | chosen
    if method.name in JOINT:
        definition["position_bias"] = "estimate"
    return {"name": method.name} | definition | {"reference": method.reference} | method.wanted._asdict()


def _convergence(convergence: Convergence) -> Row:
    outcome = convergence.outcome
    ends = {"converged": convergence.converged, "message": outcome.value, "outcome": outcome.name.lower()}
    return convergence._asdict() | ends


def _certainty(certainty: BesidePeople, group: Group) -> Row:
    agreed, temperatures = certainty
    of_judges = {
        group.judges[judge]: {"temperature": fit.temperature, "verdicts": fit.verdicts, "at_bound": fit.at_bound}
        for judge, fit in temperatures.items()
    }
    return {"agreement_with_people": agreed and agreed._asdict(), "temperature": of_judges or None}


def _evidence(learnt: Hyperparameters, group: Group) -> Row:
    votes = {group.judges[j]: float(learnt.votes[j]) for j in np.unique(group.comparisons.judge).tolist()}
    return {"scale": learnt.scale, "votes": votes}


def _bias(bias: Bias) -> Row:
    return {
        "delta": bias.delta,
        "sd": bias.sd,
        "comparisons": bias.comparisons,
        "identified": bias.identified,
        "discrimination": bias.discrimination,
        "discrimination_sd": bias.sd_of_discrimination,
        "against": bias.is_against,
        "warning": warning_of(bias),
    }


def _tastes(tastes: JudgeEffects, keys: Sequence[str]) -> Row:
    departures = [{"key": keys[d.candidate], "departure": d.departure, "sd": d.sd} for d in tastes.departures]
    return {"sd": tastes.sd, "departures": departures}


def _agreement(agreement: JudgeAgreement, group: Group) -> Row:
    """Of each two judges who met, and of all of them; disputes in the order of their last verdict."""
    pairs, agreeing, kappa, interval = agreement.by_pair
    met, alpha = np.argwhere(np.triu(pairs, 1)), agreement.alpha
    return {
        "alpha": alpha and {"value": alpha.value, "interval": alpha.interval, "pairs": alpha.units},
        "judges": [
            {
                "judges": [group.judges[i], group.judges[j]],
                "pairs": int(pairs[i, j]),
                "share": float(agreeing[i, j] / pairs[i, j]),
                "kappa": None if np.isnan(kappa[i, j]) else float(kappa[i, j]),
                "kappa_interval": None if np.isnan(kappa[i, j]) else interval[:, i, j].tolist(),
            }
            for i, j in met.tolist()
        ],
        "disputes": [_dispute(dispute, group) for dispute in agreement.disputes],
    }


def _dispute(dispute: DisputedPair, group: Group) -> Row:
    return {
        "item": group.items[dispute.item] or None,
        "first": group.keys[dispute.low],
        "second": group.keys[dispute.high],
        "p_first": {group.judges[judge]: p for judge, p in dispute.p_low.items()},
    }


def _named(labels: Labels, group_by: Sequence[str]) -> Row:
    return dict(zip(group_by, labels, strict=True))


def _row(standing: Standing, ranked: Ranked) -> Row:
    u = standing.uncertainty
    low, high = u.interval if u else (None, None)
    best, worst = u.rank_interval if u else (None, None)
    return {
        "rank": standing.rank,
        "key": ranked.group.keys[standing.candidate],
        "score": standing.score,
        "sd": u and u.sd,
        "low": low,
        "high": high,
        "best_rank": best,
        "worst_rank": worst,
        "p_best": u and u.p_best,
        "p_top_k": u and u.p_top_k,
        "tie_group": u and u.tie_group,
        "comparisons": standing.comparisons,
        "component": standing.component,
        "win_rate": u and u.win_rate,
        "win_rate_low": u and u.win_rate_interval[0],
        "win_rate_high": u and u.win_rate_interval[1],
    }


def _print_ranking(console: Console, ranked: Ranked, group_by: Sequence[str]) -> None:
    if group_by:
        name = ", ".join(f"{column} = {label}" for column, label in _named(ranked.group.labels, group_by).items())
        console.print(f"[bold]{escape(name)}[/]")
    console.print(_headline(ranked))
    in_words = [ranked.target.sentence, *([prompts_in_words(ranked.prompts)] if ranked.prompts else [])]
    console.print(escape(" ".join(in_words)))
    if sentence := _first_place(ranked):
        console.print(escape(sentence))
    if ranked.standings.sureness and (ranked.of_rows is None or ranked.of_rows.signal.claimed):
        console.print(sureness_line(ranked.standings.sureness, ranked.standings.forecast))
        console.print(ABOUT_CERTAINTY)
    if ranked.left_out:
        console.print(f"not said of so much: {'; '.join(ranked.left_out)}.")
    of_rows = ranked.of_rows
    if ranked.standings.components > 1:
        console.print(
            f"{ranked.standings.components} components that never met: compare scores within a component only."
        )
    for bias in ranked.standings.biases:
        console.print(_bias_line(bias, ranked.group.judges[bias.judge]))
    for tastes in ranked.standings.tastes:
        console.print(_tastes_line(tastes, ranked.group))
    for scale in ranked.scales:
        console.print(_scale_line(scale))
    if of_rows and of_rows.certainty.agreement_with_people:
        console.print(_people_line(of_rows.certainty.agreement_with_people))
    if of_rows and of_rows.agreement and of_rows.agreement.alpha:
        console.print(_agreement_line(of_rows.agreement.alpha, len(of_rows.agreement.disputes)))
    console.print(_ranking_table(ranked, console))
    if (rest := len(ranked.standings.rows) - MOST_SHOWN) > 0:
        console.print(f"and {rest:,} more: --format csv and json have them all.")


def _people_line(agreed: PairsAgreed) -> str:
    low, high = agreed.interval
    return f"agreement with people: {agreed.share:.0%} of {counted(agreed.pairs, 'pair')} ({low:.0%} to {high:.0%})"


def _agreement_line(alpha: Krippendorff, disputes: int) -> str:
    low, high = alpha.interval
    on = f"on {counted(alpha.units, 'pair')} that several judged, of which they dispute {disputes:,}"
    return f"agreement of judges, Krippendorff's alpha: {alpha.value:.2f} ({low:.2f} to {high:.2f}) {on}"


def _bias_line(bias: Bias, judge: str) -> str:
    guess = "the closed form may be wrong" if bias.is_closed_form else "this is mostly the prior's guess"
    doubt = "" if bias.identified else f"; its verdicts do not tell it from merit, so {guess}"
    c = (
        ""
        if bias.discrimination is None
        else f", discrimination {bias.discrimination:.2f} ± {bias.sd_of_discrimination:.2f}"
    )
    against = (
        "; it is against the others, and turned round: only people can tell who is right" if bias.is_against else ""
    )
    likes = f"liking for the first position{judge and f' of {judge}'}: {bias.delta:+z.2f} ± {bias.sd:.2f}"
    how = ", in closed form" if bias.is_closed_form else ""
    return escape(likes + how + c + against + doubt)


def _tastes_line(tastes: JudgeEffects, group: Group) -> str:
    judge = group.judges[tastes.judge]
    departures = ", ".join(f"{group.keys[d.candidate]} {d.departure:+z.2f} ± {d.sd:.2f}" for d in tastes.departures)
    whose = f"tastes{judge and f' of {judge}'}: {tastes.sd:.2f} around the common score"
    return escape(f"{whose}, farthest from it on {departures}")


def _scale_line(scale: JudgeScale) -> str:
    """Scores as they are shown, from what the judge said."""
    whose = f"{counted(scale.scores, 'absolute score')}{scale.judge and f' of {scale.judge}'}"
    doubt = "" if scale.settled else ", not settled yet"
    return escape(f"{whose}: {scale.c0:+z.2f} {scale.c1:+z.2f} x what is said{doubt}")


def sureness_line(sureness: Concordance, forecast: Sequence[ForecastPoint]) -> str:
    low, high = (percent(share).removesuffix("%") for share in sureness.interval)
    within = "" if low == "100" else f" ({low} to {high}%)"
    now = f"about {percent(sureness.concordance)} of the pairs are in the right order{within}"
    if sureness.concordance == 1.0:
        now = "all of the pairs are in this order"
    later = (f"{percent(each.concordance)} after {counted(each.comparisons, 'comparison')}" for each in forecast[-2:])
    return "; ".join([now, *later])


def _headline(ranked: Ranked) -> str:
    standings, comparisons = ranked.standings, counted(ranked.group.rows, "comparison")
    entropy = "" if standings.entropy is None else f" · entropy {standings.entropy:.2f} nats"
    candidates = counted(len(standings.rows), "candidate")
    return f"{comparisons} · {candidates} · {ranked.method.name}, converged{entropy}"


def _ranking_table(ranked: Ranked, console: Console) -> Table:
    """The ranking, with a picture of the intervals where there is room for it, and less where names have none."""
    columns, rows = _columns(ranked), [_cells(standing, ranked) for standing in ranked.standings.rows[:MOST_SHOWN]]
    plain, unbounded = grid(columns, rows), console.options.update(max_width=sys.maxsize)
    for column in GIVING_WAY:
        if column in columns and console.measure(plain, options=unbounded).maximum > console.width:
            place = columns.index(column)
            columns, *rows = ([*row[:place], *row[place + 1 :]] for row in (columns, *rows))
            plain = grid(columns, rows)
    room = min(console.width - console.measure(plain).maximum - 3, WIDEST)
    if room < NARROWEST:
        return plain
    return grid([*columns, ""], [[*row, pic] for row, pic in zip(rows, pictures(ranked, room), strict=True)])


def _columns(ranked: Ranked) -> list[str]:
    wanted = ranked.method.wanted
    top = [f"P(top {wanted.top_k})"] if wanted.top_k > 1 else []
    uncertain = ["± sd", f"{100 * wanted.level:g}% interval", "ranks", "wins", "interval", "tie", "P(best)", *top]
    known = uncertain if ranked.standings.rows[0].uncertainty else []
    part = ["part"] if ranked.standings.components > 1 else []
    return ["#", "candidate", "score", *known, "n", *part]


def _cells(standing: Standing, ranked: Ranked) -> list[str]:
    u = standing.uncertainty
    known = _known(u, ranked.method.wanted) if u else []
    part = [str(standing.component)] if ranked.standings.components > 1 else []
    score = f"{standing.score:+z.2f}" if u else f"{standing.score:z.3f}"
    return [str(standing.rank), ranked.group.keys[standing.candidate], score, *known, str(standing.comparisons), *part]


def _known(u: Uncertainty, wanted: Wanted) -> list[str]:
    (low, high), (best, worst) = u.interval, u.rank_interval
    least, most = (round(100.0 * rate) for rate in u.win_rate_interval)
    chances = [percent(p) for p in (u.p_best, u.p_top_k)[: 1 + (wanted.top_k > 1)]]
    wins = [f"{u.win_rate:.0%}", f"{_range(least, most)}%"]
    return [f"{u.sd:.2f}", f"{low:+z.2f} … {high:+z.2f}", _range(best, worst), *wins, str(u.tie_group), *chances]


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def pictures(ranked: Ranked, width: int) -> list[str]:
    """One interval per row, drawn `width` columns wide on a common axis."""
    shown = ranked.standings.rows[:MOST_SHOWN]
    spans = [(s.score, *(s.uncertainty.interval if s.uncertainty else (s.score,) * 2)) for s in shown]
    axis = np.array(spans)
    low, length = axis.min(), max(float(np.ptp(axis)), 1e-12)
    places = np.rint((axis - low) / length * (width - 1)).astype(int)
    return [_whisker(*map(int, row)) for row in places]


def _whisker(middle: int, left: int, right: int) -> str:
    line = [" "] * left + ["├"] + ["─"] * (right - left - 1) + ["┤"] * (right > left)
    line[middle] = "●"
    return "".join(line)
