"""People's labels: Dawid-Skene held to them, judges who err together, and what to label next."""

import numpy as np
import pytest

from app.inference.judges.aggregation import (
    Latent,
    as_of_all,
    binary,
    dawid_skene,
    dawid_skene_anchored,
    dependence,
    estimated,
    votes,
)
from app.inference.judges.group_verdicts import GroupVerdicts, examine, labels_by, next_to_label
from app.inference.types import Floats, Ints
from app.sentences.judges import about_labels, warnings

GOOD = {0, 1}
NAMES = ["good", "too good", "misled a", "misled b", "misled c", "misled d"]


def misled(items: int, seed: int) -> tuple[Ints, Floats]:
    """True classes, and the votes of two judges who are right in 80% of items and of four who are misled in 40%."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=items)
    follows = np.where(rng.random(items) < 0.4, 1 - truth, truth)[:, None]
    good = np.where(rng.random((items, 2)) < 0.8, truth[:, None], 1 - truth[:, None])
    return truth, np.column_stack([good, np.where(rng.random((items, 4)) < 0.95, follows, 1 - follows)]).astype(float)


def examined(seed: int, labels: int, method: str = "dawid-skene") -> tuple[Ints, Floats, GroupVerdicts]:
    truth, y = misled(319, seed)
    people = np.full((319, 1), np.nan)
    people[:labels, 0] = truth[:labels]
    return truth, y, examine(binary(y), method, np.random.default_rng(seed), votes(binary(people)))  # type: ignore[arg-type]


def most_disputed(truth: Ints, y: Floats, count: int) -> Floats:
    """(N, 2) labels of the items on which judges differ most."""
    labels, chosen = np.zeros((len(y), 2)), np.argsort(np.abs(y.mean(axis=1) - 0.5), kind="stable")[:count]
    labels[chosen] = np.eye(2)[truth[chosen]]
    return labels


def test_forty_labels_help_more_than_a_majority_with_correlated_errors() -> None:
    """Within 2 points of the best judge on items without a label, in the mean of 15 seeds; its standard error is .7."""
    lags = []
    for seed in range(15):
        truth, y, group = examined(seed, 40)
        right = group.aggregate.probability[40:].argmax(axis=1) == truth[40:]
        lags.append((y == truth[:, None])[40:].mean(axis=0).max() - right.mean())
        assert {int(k) for members in group.dependence.groups() for k in members}.isdisjoint(GOOD)
        assert {doubt.judge for doubt in group.doubts}.isdisjoint(GOOD)
    assert np.mean(lags) < 0.02


def test_labels_find_correlated_errors_and_the_sentence_says_whom_to_trust() -> None:
    _, _, group = examined(0, 40)
    assert [members.tolist() for members in group.dependence.groups()] == [[2, 3, 4, 5]]
    (warning,) = warnings(group, "dawid-skene", NAMES)
    assert warning.startswith("misled a, misled b, misled c and misled d agree in ")
    assert "Their errors are correlated, and they count for 1." in warning
    sentence = about_labels(group.labels, NAMES)
    assert sentence.startswith("The majority agrees with people in ")
    assert "of 40 labelled items. The best judge, " in sentence
    assert "Weigh them by dawid-skene" in sentence


def test_labels_of_what_is_most_disputed_are_said_to_be_unlike_the_others() -> None:
    truth, y = misled(319, 0)
    people = most_disputed(truth, y, 20)[:, None, :]
    labels = examine(binary(y), "majority", np.random.default_rng(0), people).labels
    assert "The labelled items are more, or less, disputed than the others" in about_labels(labels, NAMES)
    assert "disputed than" not in about_labels(examined(0, 40, "majority")[2].labels, NAMES)


def test_labels_count_for_items_with_as_many_who_dissent() -> None:
    """Together they are as many as before; labels of items like the others are as they are."""
    truth, y = misled(319, 0)
    v, labels = votes(binary(y)), most_disputed(truth, y, 40)
    weighted = as_of_all(v, labels)
    dissent = np.minimum(y.sum(axis=1), 6.0 - y.sum(axis=1))
    for each in range(4):
        assert weighted[dissent == each].sum() == pytest.approx(40 * (dissent == each).mean())
    of_one = np.flatnonzero((dissent == 0) & (labels.sum(axis=1) == 0.0))
    np.testing.assert_array_equal(weighted[of_one].argmax(axis=1), y[of_one, 0])
    alike = np.where(np.arange(319)[:, None] < 40, np.eye(2)[truth], 0.0)
    np.testing.assert_array_equal(as_of_all(v, alike), alike)


def test_labels_of_what_is_most_disputed_do_not_mislead() -> None:
    """Within 2 points of the better of the two good judges, in the mean of 15 seeds; unweighted it is 30 behind."""
    lags = []
    for seed in range(15):
        truth, y = misled(319, seed)
        labels = most_disputed(truth, y, 40)
        group = dawid_skene_anchored(votes(binary(y)), labels, np.random.default_rng(seed)).aggregate
        right = group.probability.argmax(axis=1) == truth
        lags.append((y == truth[:, None]).mean(axis=0).max() - right.mean())
    assert np.mean(lags) < 0.02


def test_without_labels_nobody_is_said_to_be_right() -> None:
    _, _, group = examined(0, 0)
    assert "accuracy is unknown" in about_labels(group.labels, NAMES)
    assert all("only people can tell" in warning for warning in warnings(group, "dawid-skene", NAMES)[:-1])


def test_labelled_items_are_what_people_say_whatever_the_judges_say() -> None:
    truth, _, group = examined(1, 40, "majority")
    np.testing.assert_array_equal(group.aggregate.probability[:40, 1], truth[:40])


def test_where_errors_are_independent_items_without_a_label_are_used() -> None:
    """As good as Dawid-Skene without labels (10 labels alone: 3 points less)."""
    rng = np.random.default_rng(2)
    truth = rng.integers(2, size=2000)
    right = rng.random((2000, 6)) < [0.9, 0.75, 0.7, 0.65, 0.6, 0.55]
    v = votes(binary(np.where(right, truth[:, None], 1 - truth[:, None]).astype(float)))
    labels = np.zeros((2000, 2))
    labels[:10] = np.eye(2)[truth[:10]]
    by_labels = dawid_skene_anchored(v, labels, rng)
    accuracy = [
        (p.argmax(axis=1) == truth).mean() for p in (by_labels.aggregate.probability, dawid_skene(v).probability)
    ]
    assert accuracy[0] > accuracy[1] - 0.01
    assert by_labels.dependence.groups() == []


def test_expected_agreement_is_the_sum_over_classes_and_answers() -> None:
    rng = np.random.default_rng(3)
    confusion = rng.dirichlet(np.ones(3), size=(4, 3))
    pi = np.array([0.5, 0.3, 0.2])
    together = dependence(rng.dirichlet(np.ones(3), size=(50, 4)), Latent(pi, confusion, np.full((4, 3), 20.0)))
    slow = sum(pi[c] * confusion[1, c, b] * confusion[2, c, b] for c in range(3) for b in range(3))
    assert together.expected[1, 2] == pytest.approx(slow)


def test_copies_of_a_judge_count_once() -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(2, size=1000)
    one = np.where(rng.random(1000) < 0.7, truth, 1 - truth)
    other = np.where(rng.random(1000) < 0.7, truth, 1 - truth)
    v = votes(binary(np.column_stack([one, one, one, other]).astype(float)))
    together = dependence(v, estimated(v, np.eye(2)[truth]))
    np.testing.assert_allclose(together.counts_for, [1 / 3, 1 / 3, 1 / 3, 1.0], atol=1e-9)


def test_people_who_disagree_share_the_label() -> None:
    people = votes(binary(np.array([[1.0, 0.0], [1.0, 1.0], [np.nan, np.nan], [0.0, np.nan]])))
    np.testing.assert_array_equal(labels_by(people), [[0.5, 0.5], [0.0, 1.0], [0.0, 0.0], [1.0, 0.0]])


def test_what_to_label_is_like_all_items() -> None:
    """After 40 labels every pattern of votes has its share of them, to one; what is labelled is not asked for again."""
    _, y = misled(319, 5)
    v, labelled = votes(binary(y)), np.zeros(319, np.bool_)
    first = next_to_label(v, labelled, 10, np.random.default_rng(0))[0]
    labelled[first] = True
    rest = next_to_label(v, labelled, 30, np.random.default_rng(1))[0]
    chosen = np.concatenate([first, rest])
    assert len(np.unique(chosen)) == 40
    pattern = y.sum(axis=1)
    for each in np.unique(pattern):
        assert abs((pattern[chosen] == each).sum() - 40 * (pattern == each).mean()) < 1.5
