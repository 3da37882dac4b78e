"""Lists of winners: files in which the same side always wins, so that positions mean nothing."""

from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from app.files.comparisons import ComparisonColumns
from app.inference.reporting.signal import signal_of
from app.inference.types import Comparisons, by_one_judge
from app.inference.verdicts import turned_alike
from app.offline.groups import Group
from app.offline.ranking import Ranked, RankingMethod, rank, rank_file

S = np.array([0.8, 0.3, 0.0, -0.3, -0.8])
USUAL = RankingMethod(
    "soft-bt", verdict_weight="learnt", position_bias="auto", inference_target="auto", is_verdict_weight_usual=True
)


def games(seed: int, games_of_each: int = 40) -> Comparisons:
    """The winner of each game first, of every two of 5 candidates."""
    rng, (i, j) = np.random.default_rng(seed), np.repeat(np.array(np.triu_indices(5, 1)), games_of_each, axis=1)
    i_won = rng.random(len(i)) < expit(S[i] - S[j])
    return by_one_judge(np.where(i_won, i, j), np.where(i_won, j, i), np.ones(len(i)))


def ranked(log: Comparisons, *, grew: bool = False) -> Ranked:
    return rank(Group((), list("abcde"), log, grew=grew), USUAL)


@pytest.mark.parametrize("is_winner_first", [True, False])
def test_a_list_of_winners_is_ranked_by_who_won(is_winner_first: bool) -> None:
    log = games(3)
    if not is_winner_first:
        log = log._replace(first=log.second, second=log.first, p=1.0 - log.p)
    ranking = ranked(log).ranking
    assert [row.key for row in ranking.ranking] == list("abcde")
    shares = {
        row.key: np.mean([expit(S[n] - s) for m, s in enumerate(S) if m != n]) for n, row in enumerate(ranking.ranking)
    }
    for row in ranking.ranking:
        assert row.win_rate_interval is not None
        assert row.win_rate_interval[0] < shares[row.key] < row.win_rate_interval[1]
    assert ranking.method.position_bias == "none"
    assert ranking.signal.case == "one-side-always-wins"
    assert ranking.first_place.startswith("The same side always wins: these are lists of winners, or judges")
    assert {row.rank_interval for row in ranking.ranking} == {(1, 5)}


@pytest.mark.parametrize("header", ["winner,loser", "Chosen,NotChosen", "chosen,rejected"])
def test_columns_of_winners_and_losers_declare_a_list_and_so_does_a_word(tmp_path: Path, header: str) -> None:
    """Then games are evidence, each a coin if nothing depends on the candidates. Shown in this order, they are none."""
    path, plain, log = tmp_path / "list.csv", tmp_path / "plain.csv", games(3)
    rows = [f"{'abcde'[i]},{'abcde'[j]}" for i, j in zip(log.first.tolist(), log.second.tolist(), strict=True)]
    path.write_text("\n".join([header, *rows]))
    plain.write_text("\n".join(["first,second,winner", *(f"{row},first" for row in rows)]))
    (declared,) = rank_file(str(path), ComparisonColumns(), [], [], USUAL)
    (by_word,) = rank_file(str(plain), ComparisonColumns(), [], [], USUAL._replace(positions=False))
    (shown,) = rank_file(str(plain), ComparisonColumns(), [], [], USUAL._replace(positions=True))
    for ranking in (declared.ranking, by_word.ranking):
        assert [row.key for row in ranking.ranking] == list("abcde")
        assert (ranking.signal.case, ranking.signal.order_e_value) == ("claimed", 1.0)
    assert declared.ranking.signal.e_value == pytest.approx(by_word.ranking.signal.e_value)
    assert shown.ranking.signal.e_value < 20.0
    assert [row.win_rate for row in shown.ranking.ranking] == pytest.approx([0.5] * 5, abs=0.05)


def test_winners_by_coins_hardly_ever_give_signal() -> None:
    """200 lists of 60 games, seeds 0 to 199: at most 5% of them."""
    claimed = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        i, j = np.array([rng.permutation(5)[:2] for _ in range(60)]).T
        log = turned_alike(by_one_judge(i, j, np.ones(60)))
        nobody, item = np.ones(1, np.bool_), np.zeros(60, np.int64)
        claimed += signal_of(log, 5, item, unnamed=nobody, positions=False).claimed
    assert claimed <= 10


def test_weights_are_so_many_rows() -> None:
    log = games(1)
    pairs, times = np.unique([log.first, log.second], axis=1, return_counts=True)
    by_weight = by_one_judge(pairs[0], pairs[1], np.ones(len(times)))._replace(weight=times.astype(np.float64))
    rows, weighed = ([row.score for row in ranked(each).ranking.ranking] for each in (log, by_weight))
    assert rows == pytest.approx(weighed, abs=1e-6)


def test_the_order_of_a_log_of_the_service_is_known() -> None:
    ranking = ranked(games(0), grew=True).ranking
    assert [row.win_rate for row in ranking.ranking] == pytest.approx([0.5] * 5, abs=0.05)


def test_a_judge_who_always_names_the_first_of_random_orders_ranks_nobody() -> None:
    rng, log = np.random.default_rng(2), games(2)
    turned = rng.random(log.size) < 0.5
    always = log._replace(first=np.where(turned, log.second, log.first), second=np.where(turned, log.first, log.second))
    for row in ranked(always).ranking.ranking:
        assert row.win_rate_interval is not None
        assert row.win_rate_interval[0] < 0.5 < row.win_rate_interval[1]


def test_an_export_has_the_chances_of_its_orders(tmp_path: Path) -> None:
    """Orders that were certain are no evidence; the same without their chances are taken for unknown ones."""
    path, e_values = tmp_path / "log.csv", list[float]()
    for chance in ("1.0", "0.5", ""):
        rows = [f"{n},{n},ab,ba,1.0,first,ann{n},,{chance}" for n in range(1, 20)]
        header = "seq,set_id,first,second,p_first,winner,judge,voided_by,order_chance"
        path.write_text("\n".join([header, *rows]))
        (whole,) = rank_file(str(path), ComparisonColumns(), [], [], USUAL)
        e_values.append(whole.ranking.signal.e_value)
    certain, fair, unknown = e_values
    assert certain == pytest.approx(1.0)
    assert fair > 20.0 > unknown
