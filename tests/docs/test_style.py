"""The check of texts finds what it looks for, and passes what is well written."""

from pathlib import Path

import pytest

from docs import prose, style, surfaces
from docs.prose import Text
from docs.wording import BANNED, offences

GOOD = "A pair is leased to one judge at a time. You read the ranking at any moment.\n"
LONG = " ".join(["word"] * 29)
SPLITS = {
    "One is here. Two is there.": ["One is here.", "Two is there."],
    "It takes 0.5 s, e.g. here, vs. 2 s there.": ["It takes 0.5 s, e.g. here, vs. 2 s there."],
    "Is it? It is! (It was.) nextpair says so.": ["Is it?", "It is!", "(It was.)", "nextpair says so."],
    'It says "yes." Then it ends.': ['It says "yes."', "Then it ends."],
    "From 1 to 3 ... and more.": ["From 1 to 3 ... and more."],
    "Run `a. b` first. `c` is next.": ["Run □ first.", "□ is next."],
}
PLANTED = {
    r"hang(s|ing)? on|hung on": "It hangs on that.",
    r"heed(s|ed|ing)?": "It heeds that.",
    r"foretell(s|ing)?|foretold|foresight": "It was foretold.",
    r"coins|toss(es|ed|ing)? (a )?coins?": "A judge tosses coins.",
    r"liking (for|of)": "a liking for a side",
    r"go(es)? round|circles": "It goes round.",
    r"judge?ments?": "many judgments",
    r"settle[sd]?|settling": "It is settled.",
    r"taken at (its|their) word": "taken at their word",
    r"whom nobody|who nobody": "people whom nobody knows",
    r"(?<!ease )(?<!terms )(?<!conditions )of use": "It is of use.",
}


def read(page: str) -> list[str]:
    return [sentence.text for block in prose.markdown(page) for sentence in prose.sentences(block)]


@pytest.mark.parametrize("text", SPLITS)
def test_sentences(text: str) -> None:
    assert read(text) == SPLITS[text]


def test_blocks_end_sentences() -> None:
    page = "# A heading\ntext of\ntwo lines\n- one\n  entry\n- another\n\n"
    page += "| a | `b \\| c` |\n|---|---|\n| 1 | two\\|three |\n"
    assert read(page) == ["A heading", "text of two lines", "one entry", "another", "a", "□", "1", "two\\|three"]


def test_code_and_targets_are_not_read() -> None:
    page = (
        "---\ntitle: coins\n---\nSee [the\nguide](coins.md#coins), [it][coins] and ![a picture](coins.png). `coins`\n"
        "<!-- coins\ncoins -->\n```bash\ncoins\n```\n\n[coins]: https://coins\n\n"
        "<img src='coins' alt=\"Seen\"> **bold**\n"
    )
    assert read(page) == ["See the guide, it and a picture.", "□", "Seen bold"]


def test_lines_are_those_of_the_page() -> None:
    page = "---\na: b\n---\n# One\n\n```text\nx\n```\nTwo is\nlong. Three\nends.\n"
    assert [(s.line, s.text) for b in prose.markdown(page) for s in prose.sentences(b)] == [
        (4, "One"),
        (9, "Two is long."),
        (10, "Three ends."),
    ]


def test_templates() -> None:
    page = (
        '{% block title %}Judge{% endblock %}\n<p title="A hint">Hello <b>you</b>,\n{{ name }}</p>'
        '<input placeholder="a key"><script>coins</script><p><code>x y</code> is {# coins #}code &amp; more</p>'
    )
    assert [(text.line, " ".join(text.text.split())) for text in prose.html(page)] == [
        (1, "Judge"), (2, "A hint"), (2, "Hello you, □"), (3, "a key"), (3, "□ is code & more"),
    ]  # fmt: skip


@pytest.mark.parametrize("pattern", BANNED)
def test_each_banned_word_is_found(pattern: str) -> None:
    text = PLANTED.get(pattern, f"It is {pattern.split('|')[0].replace('s?', 's').replace('(its|their)', 'its')}.")
    assert [found.instead for found in offences(f"Fine.\n{text}")] == [BANNED[pattern]]
    assert {found.line for found in offences(f"Fine.\n{text}")} == {2}


def test_words_that_only_look_banned() -> None:
    assert not list(offences("According to the ease of use, uncertainty restores a mushroom; rooms are in order."))
    assert list(offences("rooms", of_code=True))


def test_messages_are_read() -> None:
    assert surfaces.strings('"""doc string"""\nA = f"{x} is told"\nB = "key"\n') == [Text(2, " is told")]
    assert surfaces.script_strings("// it's a note\nf('one two', `three\nfour ${x}`)\n\"key\"") == [
        Text(2, "one two"),
        Text(2, "three\nfour ${x}"),
    ]
    assert surfaces.unreleased("# C\n\n## Unreleased\n\n- a `coin`\n\n## 0.1\n\n- b") == Text(3, "\n\n- a \n")
    assert surfaces.openapi('{\n "title": "Pooled Evidence",\n "summary": "it is told"\n}') == [Text(3, "it is told")]


def test_help_is_read() -> None:
    places = dict(style._help())
    assert "nextpair rank --help" in places
    assert places["nextpair rank --top-k --help"]


def test_good_text_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "page.md").write_text(GOOD)
    assert style.main([str(tmp_path / "page.md")]) == 0
    assert capsys.readouterr().out == "2 sentences, median 8.5 words, 0.0% over 28, 0 banned words\n"


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("\nIt is told.", "page.md:2: 'told', write: sent, shared, distinguished"),
        (f"{LONG}.", f"page.md:1: 29 words: {LONG}."),
        (" ".join(["word"] * 16), "1 sentences, median 16 words"),
    ],
)
def test_what_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, printed: str) -> None:
    (tmp_path / "page.md").write_text(text)
    assert style.main([str(tmp_path / "page.md")]) == 1
    assert printed in capsys.readouterr().out


def test_missing_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert style.main(["nowhere.md"]) == 2
    assert "nowhere.md" in capsys.readouterr().out
