"""Which label an answer gives."""

import pytest

from judge_worker.engines.openai.labels import find_label

NONE = None


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("A", "A"),
        ("Text B.", "B"),
        ("**B**", "B"),
        ("A, because it is short", "A"),
        ("Answer: A", "A"),
        ("Answer: A\n\nBecause B is long.", "A"),
        ("Final verdict: [[B]]", "B"),
        ('{"answer": "B"}', "B"),
        ("The answer is $\\boxed{A}$.", "A"),
        ("The better text is Text A.", "A"),
        ("After comparing Text A and Text B, the better text is Text A.", "A"),
        ("Text A is clearer.\nSo: Text A", "A"),
        ("I would go with A", "A"),
        ("A better choice is B", "B"),
        ("<think>A? No, B.</think>\n\nA", "A"),
        ("<think>Perhaps A", NONE),
        ("Text A is better than Text B", NONE),
        ("Neither is better than A", NONE),
        ("The worse one is B", NONE),
        ("It is not B", NONE),
        ("I prefer A over B", NONE),
        ("Both A and B", NONE),
        ("Text A: good. Text B: bad.", NONE),
        ("A and B are equal", NONE),
        ("Apples", NONE),
        ("", NONE),
    ],
)
def test_a_label_is_read_only_where_it_is_clear(answer: str, label: str | None) -> None:
    found = find_label(answer, (" A", " B"), "Text")
    assert (found and "AB"[found.number]) == label


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("A", "A"),
        ("Text A", "A"),
        ("Text B.", "B"),
        ("<think>A? No, B.</think>\n\nB", "B"),
        ("Answer: A\n", "A"),
        ("Comparing Text A", NONE),
        ("Comparison: Text A", NONE),
        ("Text A is", NONE),
        ("I would say A", NONE),
        ("So the better one is Text A", NONE),
        ("The answer is A", NONE),
    ],
)
def test_an_answer_that_was_cut_gives_a_label_only_at_its_beginning(answer: str, label: str | None) -> None:
    found = find_label(answer, (" A", " B"), "Text", is_cut=True)
    assert (found and "AB"[found.number]) == label


@pytest.mark.parametrize(
    ("answer", "number"),
    [("7", 7), ("Score: 10", 10), ("7/10", 7), ("Score: 7/10", 7), ("I give it a 9.", 9), ("7.5", NONE)],
)
def test_numbers_are_labels_too(answer: str, number: int | None) -> None:
    found = find_label(answer, tuple(f" {n}" for n in range(1, 11)), "Score:")
    assert (found and found.number + 1) == number
