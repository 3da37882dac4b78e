"""Whatever was judged, all surfaces say the same about a ranking, in the same words, and none contradicts another."""

import re
from collections.abc import Iterator

import pytest
from nextpair.ranked import RankedOutputs
from nextpair.words import InferenceTargetChoice

from app.inference.reporting import SignalTest
from app.offline.groups import Group
from app.offline.printing.ranking import show
from app.offline.ranking import Ranked, RankingMethod, rank
from app.sentences.confidence import evidence
from app.sentences.lists import NAMED
from tests.sentences.test_one_voice import N, random_log
from tests.sentences.test_style import assert_plain

KEYS = [f"key{number}" for number in range(N)]
TARGETS: tuple[InferenceTargetChoice, ...] = ("auto", "all-pairs", "new-items", "latent")


@pytest.fixture(scope="module", params=[(seed, target) for seed in range(5) for target in TARGETS], ids=str)
def ranked(request: pytest.FixtureRequest) -> Ranked:
    seed, target = request.param
    answers, item = random_log(seed)
    group = Group((), KEYS, answers, ["gpt", "ann"], items=["p", "q", "r"], item=item)
    return rank(group, RankingMethod("soft-bt", verdict_weight="learnt", inference_target=target, reference=("ann",)))


def surfaces(ranked: Ranked, capsys: pytest.CaptureFixture[str]) -> Iterator[str]:
    """What `nextpair rank` prints, and what the client's ranking prints."""
    show([ranked], [], "table")
    yield capsys.readouterr().out
    yield str(RankedOutputs(ranked.ranking, dict.fromkeys(KEYS), dict.fromkeys(KEYS, "x"), ""))


def test_all_surfaces_say_the_same(
    ranked: Ranked, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    ranking = ranked.ranking
    signal, leader = ranking.signal, ranking.ranking[0]
    assert (leader.p_best is not None) is signal.claimed
    for sentence in ranking.summary:
        assert_plain(sentence)
    for text in surfaces(ranked, capsys):
        assert all(sentence in " ".join(text.split()) for sentence in ranking.summary)
        assert text.count("e-value") <= 1
        assert evidence(SignalTest(signal.e_value, signal.case, signal.verdicts)) in " ".join(text.split())
        assert ("P(best)" in text) is signal.claimed
        assert ("pairs expected in the right order" in text) is signal.claimed
        assert ("is the best" in text or "Shared first" in text) is ((leader.p_best or 0.0) >= 0.95)
        assert not re.search("converged|identified|probability of", text)
    named = [row.key for row in ranking.ranking if row.rank == 1 or (row.p_best or 0.0) >= 0.95][:NAMED]
    assert [key for key in KEYS if re.search(rf"\b{key}\b", ranking.first_place)] == sorted(named)


def test_tie_groups_agree_where_ranks_are_told_apart(ranked: Ranked) -> None:
    rows = ranked.ranking.ranking
    for one, other in ((one, other) for one in rows for other in rows):
        assert one.rank_interval
        assert other.rank_interval
        assert one.tie_group is not None
        assert other.tie_group is not None
        if one.rank_interval[1] < other.rank_interval[0]:
            assert one.tie_group < other.tie_group
    if ranked.ranking.signal.claimed:
        assert sum(row.p_best or 0.0 for row in rows) >= 1.0 - 1e-9
    else:
        assert {(row.p_best, row.rank_interval, row.tie_group) for row in rows} == {(None, (1, N), 1)}
