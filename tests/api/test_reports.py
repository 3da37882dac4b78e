"""The report of a set: one file with everything in it, whatever names the set holds."""

import json
import re
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest

from app.files.reports.seal import BadReport, unsealed
from app.offline.verification import verify
from tests.factories import (
    Http,
    ask_one,
    compare_all,
    comparison,
    create_set,
    create_systems,
    judged_for,
    said,
    tell,
    void,
)

HOSTILE = ("<script>alert(1)</script>", "a</style>&\"'", "ελληνικά עברית", "x" * 190, "]]>-->{{ 7*7 }}")
SECTIONS = ("Ranking", "Methods", "Judges", "Diagnostics", "Limits", "Provenance", "How to cite")
VOID = {"meta", "link", "br", "img", "input", "hr"}
LOADS = {"src", "srcset", "poster", "data", "action", "background"}


class Document(HTMLParser):
    """Reads a document, of which every element has to be closed in its order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open, self.text, self.headings = [list[str]() for _ in range(3)]
        self.attributes = list[tuple[str, str]]()
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, self.getpos()

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if self.open and self.open[-1] in ("h1", "h2", "h3"):
            self.headings.append(data)


async def fetch(http: Http, path: str) -> httpx.Response:
    while (answer := await http.get(path)).status_code == 425 or "Refresh" in answer.headers:
        continue
    assert answer.status_code == 200, answer.text
    return answer


async def log_of(http: Http, set_id: str) -> bytes:
    return (await http.get(f"/v1/sets/{set_id}/comparisons", params={"format": "jsonl"})).content


async def downloaded(http: Http, set_id: str, folder: Path) -> tuple[Path, Path]:
    """The report and the log, as files."""
    report, log = folder / "report.html", folder / "log.jsonl"
    report.write_bytes((await fetch(http, f"/v1/sets/{set_id}/report")).content)
    log.write_bytes(await log_of(http, set_id))
    return report, log


async def a_set(http: Http) -> str:
    """Systems with hostile names on nine tagged prompts, by a model and a person."""
    created = await create_systems(
        http, [f"item {n}" for n in range(9)], *HOSTILE, name="Trees </title><script>", question="Which & <why>?",
        inference_target="auto", position_bias="auto", stop={"top_k": 1}, budget={"max_comparisons": 900},
        overlap={"share": 0.2, "judges": 2}, verdict_weight="learnt",
    )  # fmt: skip
    tags = [{"key": f"item {n}", "tags": {"<kind>": "<a>" if n % 2 else "b"}} for n in range(9)]
    sent = {"candidates": [{"key": HOSTILE[0]}], "items": tags}
    assert (await http.post(f"{created.url}/candidates", json=sent)).status_code == 201
    await http.put("/v1/judges/<ann>", json={"kind": "human"})
    await http.put("/v1/judges/gpt", json={"kind": "llm", "model": "gpt <4>", "cost_per_1000": 2.0})
    pairs = [(a, b) for n, a in enumerate(HOSTILE) for b in HOSTILE[n + 1 :]]
    log = [comparison(a, b, 0.8, "gpt", item=f"item {n}") for n in range(9) for a, b in pairs]
    log += [comparison(b, a, 0.3 + 0.01 * n, "gpt", item=f"item {n}") for n in range(9) for a, b in pairs]
    log += [comparison(a, b, 1.0, "<ann>", item=f"item {n}") for n in range(9) for a, b in pairs[::3]]
    await created.compare_all(log)
    assert (await created.void(3)).status_code == 201
    return str(created["id"])


async def test_a_report_has_everything_in_one_file(http: Http, tmp_path: Path) -> None:
    set_id = await a_set(http)
    answer = await fetch(http, f"/v1/sets/{set_id}/report")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="report-{set_id}.html"'
    document = Document(answer.text)
    assert [heading for heading in document.headings if heading in SECTIONS] == list(SECTIONS)
    assert "By <kind>" in document.headings
    said_all = " ".join(document.text)
    for part in (
        *HOSTILE[:3],
        "gpt <4>",
        "<ann>",
        "Which & <why>?",
        "@software{nextpair",
        "The comparisons were imported",
    ):
        assert part in said_all
    assert "49" not in document.headings
    # It says what the page says is left.
    summary = (await http.get(f"/v1/sets/{set_id}/summary")).json()
    assert summary["progress"]["sentence"] in said_all
    assert f"by 2 judges, cost ${summary['cost']:.2f}" in said_all
    # Nothing is loaded and nothing runs.
    assert not [
        each for each in document.attributes if each[0] in LOADS or each[0].startswith("on") or each[0] == "style"
    ]
    assert {value[0] for name, value in document.attributes if name == "href"} <= {"#"}
    assert answer.text.count("<script") == 1
    assert not re.search(r"url\(|@import|@font-face", answer.text)
    assert "style-src &#39;sha256-" in answer.text
    # Figures are those of the ranking, and the log verifies them.
    data = unsealed(answer.content)
    ranking = (await http.get(f"/v1/sets/{set_id}/ranking")).json()
    assert [row["key"] for row in data["ranking"]] == [row["key"] for row in ranking["ranking"]]
    report, log = await downloaded(http, set_id, tmp_path)
    assert verify(str(report), str(log), recompute=True)[1].startswith("Ranked again from the log: all")


async def test_a_log_that_grew_still_verifies(http: Http, tmp_path: Path) -> None:
    set_id = await judged_for(http, "latent", 12)
    report, log = await downloaded(http, set_id, tmp_path)
    await compare_all(http, set_id, [comparison("a", "b", 0.1, "late")])
    await void(http, set_id, 2)
    log.write_bytes(await log_of(http, set_id))
    says = verify(str(report), str(log), recompute=True)
    assert "The log has 1 later comparison, which the report does not cover." in says[0]
    assert len(says) == 2


async def test_what_the_log_does_not_hold_is_named(http: Http) -> None:
    created = await create_set(http, "ash", "elm", "oak", told=[comparison("ash", "elm")])
    await created.send_scores(said("ash", 3.0))
    data = unsealed((await fetch(http, f"{created.url}/report")).content)
    assert data["beside_the_log"] == ["1 absolute score"]


async def test_priors_that_other_sets_shared_are_in_the_report(http: Http, tmp_path: Path) -> None:
    set_id = await judged_for(http, "all-pairs", 12)
    alone = (await http.get(f"/v1/sets/{set_id}/ranking")).json()["ranking"]
    priors = {"pool": "question:1", "sets": 9, "log_scale": {"mean": 3.0, "sd": 0.1}}
    assert (await http.post(f"/v1/sets/{set_id}/pooled-evidence", json=priors)).status_code == 201
    report, log = await downloaded(http, set_id, tmp_path)
    data = unsealed(report.read_bytes())
    assert (data["priors"]["sets"], data["beside_the_log"]) == (9, [])
    assert [row["score"] for row in data["ranking"]] != [row["score"] for row in alone]
    assert verify(str(report), str(log), recompute=True)[1].startswith("Ranked again from the log: all")


async def test_verdicts_that_were_voided_do_not_make_a_set_imported(http: Http) -> None:
    set_id = (await create_set(http, "ash", "elm", "oak"))["id"]
    await compare_all(http, set_id, [comparison("ash", "elm"), comparison("elm", "oak")])
    for seq in (1, 2):
        await void(http, set_id, seq)
    await tell(http, (await ask_one(http, set_id))["id"], p_first=0.9)
    told = " ".join(Document((await fetch(http, f"/v1/sets/{set_id}/report")).text).text)
    assert "A share of 67% of the comparisons was imported" in told
    assert "The acquisition function" in told


async def test_outputs_that_nobody_compared_are_ranked_again(http: Http, tmp_path: Path) -> None:
    """Also where the log has grown since, and compared one of them."""
    set_id = await judged_for(http, "latent", 12)
    added = {"candidates": [{"key": "lonely"}, {"key": "later"}]}
    assert (await http.post(f"/v1/sets/{set_id}/candidates", json=added)).status_code == 201
    report, log = await downloaded(http, set_id, tmp_path)
    for _ in range(2):
        log.write_bytes(await log_of(http, set_id))
        assert b'"first":"lonely"' in log.read_bytes()
        assert verify(str(report), str(log), recompute=True)[1].startswith("Ranked again from the log: all")
        added = {"candidates": [{"key": "unknown to the report"}]}
        assert (await http.post(f"/v1/sets/{set_id}/candidates", json=added)).status_code == 201
        await compare_all(http, set_id, [comparison("later", "a", 0.9)])
    entries = [line for line in log.read_bytes().splitlines(keepends=True) if not line.startswith(b'{"seq":null')]
    data = unsealed(report.read_bytes())
    assert data["log"]["sha256"] == sha256(b"".join(entries[: data["log"]["lines"]])).hexdigest()
    log.write_bytes(log.read_bytes().replace(b'"first":"lonely"', b'"first":"lovely"'))
    with pytest.raises(BadReport, match="ranked again from the log, "):
        verify(str(report), str(log), recompute=True)


@pytest.mark.parametrize("keys", [(), ("ash",), ("ash", "elm")])
async def test_a_set_without_comparisons_has_a_report(http: Http, keys: tuple[str, ...]) -> None:
    body = {"name": "New", "question": "Which?", "candidates": [{"key": key, "text": key} for key in keys]}
    created = (await http.post("/v1/sets", json=body)).json()
    answer = await fetch(http, f"/v1/sets/{created['id']}/report")
    assert "No ranking yet" in answer.text
    assert unsealed(answer.content)["log"]["lines"] == 0


async def test_the_page_shows_the_report_under_its_own_policy(http: Http) -> None:
    set_id = await judged_for(http, "latent", 12)
    answer = await fetch(http, f"/sets/{set_id}/report")
    style = re.search(r"<style>(.*)</style>", answer.text, re.DOTALL)
    assert style
    from app.files.reports.document import policy_hash

    assert f"style-src {policy_hash(style[1])};" in answer.headers["Content-Security-Policy"]
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    document = Document(answer.text)
    assert f"/v1/sets/{set_id}/report" in dict.fromkeys(value for name, value in document.attributes if name == "href")


@pytest.mark.parametrize("form", ["svg", "png", "pdf", "latex"])
async def test_figures_for_journals(http: Http, form: str) -> None:
    set_id = await judged_for(http, "new-items", 12)
    url = f"/v1/sets/{set_id}/ranking"
    answer = await http.get(url, params={"format": form, "width": "single"})
    assert answer.status_code == 200
    begins = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "latex": b"% Needs \\usepackage{booktabs}"}
    assert answer.content.startswith(begins[form])
    wide = await http.get(url, params={"format": form, "width": "double"})
    assert wide.headers["ETag"] != answer.headers["ETag"]


def test_data_of_a_report_cannot_end_its_script() -> None:
    from app.files.reports.document import UNSAFE

    text = json.dumps({"a": "</script><!--\u2028"}, ensure_ascii=False).translate(UNSAFE)
    assert "<" not in text
    assert json.loads(text) == {"a": "</script><!--\u2028"}
