"""Names as they are kept, what nobody sees in them, and which look alike."""

import pytest
from nextpair.names import look_alike, normal_name, unseen

NFD = "cafe\u0301"


@pytest.mark.parametrize(
    ("name", "normal"), [(NFD, "caf\u00e9"), (" GPT-4\u00a0", "GPT-4"), ("GPT 4", "GPT 4"), (" ", " "), ("", "")]
)
def test_names_have_a_normal_form(name: str, normal: str) -> None:
    assert normal_name(name) == normal_name(normal) == normal


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("GPT-4\u200b", "U+200B"),
        ("k\u202e", "U+202E"),
        ("a\u00ad", "U+00AD"),
        ("a\u200db", "U+200D"),
        ("a\nb", ""),
        ("a\0b", "U+0000"),
        ("\u3164", "U+3164"),
        (" ", "only blanks"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", ""),  # Persian
        ("\U0001f469\u200d\U0001f4bb", ""),  # a woman at a computer
        ("GPT-4 (caf\u00e9, \u03b1\u03b2)", ""),
    ],
)
def test_what_nobody_sees_is_named(name: str, what: str) -> None:
    assert unseen(name) == what


@pytest.mark.parametrize("other", ["gpt-4", "GPT\u20114", "GPT 4", "gpt_4", "G\u0420T-4", "GPT-4\u200b", "\uff27PT-4"])
def test_names_that_look_alike_are_named(other: str) -> None:
    assert look_alike("judge", ["oak", "GPT-4", other]) == look_alike("judge", [other], ["oak", "GPT-4"])
    assert look_alike("judge", [other], ["GPT-4"]) == [
        f"judges look alike: 'GPT-4' and {other!r}; if two are the same judge, give them one name"
    ]


def test_names_that_differ_are_no_warning() -> None:
    assert (
        look_alike("candidate", ["C", "C++", "C#", "gpt-4", "gpt-41", "gpt-4o", "\u4e2d", "-", "--x", "1", "2"]) == []
    )
    assert look_alike("candidate", ["gpt-4", "gpt-4"]) == []


def test_a_warning_names_some_of_many() -> None:
    (warning,) = look_alike("candidate", [f"{n}{letter}" for letter in "aA" for n in range(9)])
    assert warning.startswith("candidates look alike: '0a' and '0A', ")
    assert "'4a' and '4A', and 4 more; " in warning
