"""The pages for people, as the server sends them."""

import re
from uuid import uuid4

import pytest

from app.web.texts import TABS
from tests.factories import Http

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
HOSTILE = "<script>alert(1)</script>"


async def new_set(http: Http) -> str:
    candidates = [{"key": "kelp", "text": "Air."}, {"key": "rowan", "text": "Sea."}]
    body = {"name": HOSTILE, "question": HOSTILE, "context": HOSTILE, "candidates": candidates}
    created = await http.post("/v1/sets", json={**body, "metadata": {"minimum_reading_seconds": 3}})
    return str(created.json()["id"])


async def test_the_judging_page_leases_nothing(http: Http) -> None:
    set_id = await new_set(http)
    assert (await http.get(f"/sets/{set_id}/annotate")).status_code == 200
    asked = await http.post(f"/v1/sets/{set_id}/next-pair", json={"judge": "ada"})
    assert len(asked.json()["assignments"]) == 1


async def test_pages_escape_what_they_show_and_allow_no_script_but_their_own(http: Http) -> None:
    set_id = await new_set(http)
    for path in ("/", f"/sets/{set_id}", f"/sets/{set_id}/annotate"):
        page = await http.get(path)
        assert HOSTILE not in page.text
        assert "style=" not in page.text
        policy = page.headers["Content-Security-Policy"]
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy


async def test_the_judging_page_knows_the_reading_time(http: Http) -> None:
    page = await http.get(f"/sets/{await new_set(http)}/annotate")
    assert 'data-reading-seconds="3"' in page.text


async def test_a_set_is_linked_to_its_judging_page(http: Http) -> None:
    set_id = await new_set(http)
    for path in ("/", f"/sets/{set_id}"):
        assert f'href="/sets/{set_id}/annotate"' in (await http.get(path)).text


async def test_each_page_of_a_set_marks_its_own_tab(http: Http) -> None:
    set_id = await new_set(http)
    for path, name in TABS.items():
        page = await http.get(f"/sets/{set_id}{path}")
        assert re.findall(r'href="([^"]+)"[^>]* aria-current="page">([^<]+)', page.text) == [
            (f"/sets/{set_id}{path}", name)
        ]


@pytest.mark.parametrize(
    ("earlier", "now"), [("/trust", "?panel=checks"), ("/diagnostics", "?panel=checks"), ("/map", "/compare")]
)
async def test_earlier_addresses_still_lead_there(http: Http, earlier: str, now: str) -> None:
    address = f"/sets/{await new_set(http)}"
    moved = await http.get(f"{address}{earlier}")
    assert (moved.status_code, moved.headers["Location"]) == (308, f"{address}{now}")


async def test_an_unknown_set_has_no_judging_page(http: Http) -> None:
    assert (await http.get(f"/sets/{uuid4()}/annotate")).status_code == 404


@pytest.mark.parametrize("path", ["/sets/{id}", "/sets/{id}/settings", "/sets/{id}/annotate", "/sets/42", "/nothing"])
async def test_a_browser_gets_a_page_where_there_is_none(http: Http, path: str) -> None:
    """Programs get the problem as JSON, and so does whoever asks the API."""
    path = path.format(id=uuid4())
    page = await http.get(path, headers=BROWSER)
    assert (page.status_code, page.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert '<a class="button main" href="/">All sets</a>' in page.text
    assert "NEXTPAIR_" not in page.text
    assert "script-src 'self';" in page.headers["Content-Security-Policy"]
    assert (await http.get(path)).headers["Content-Type"] == "application/problem+json"
    of_the_api = await http.get(f"/v1/sets/{uuid4()}", headers=BROWSER)
    assert (of_the_api.status_code, of_the_api.headers["Content-Type"]) == (404, "application/problem+json")


async def test_the_page_of_a_deleted_set_says_so(http: Http) -> None:
    set_id = await new_set(http)
    await http.delete(f"/v1/sets/{set_id}")
    page = await http.get(f"/sets/{set_id}", headers=BROWSER)
    assert page.status_code == 410
    assert "deleted" in page.text


async def test_the_contract_is_shown_without_other_hosts(http: Http) -> None:
    page = await http.get("/docs")
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert {"/swagger/swagger-ui.css", "/swagger/swagger-ui-bundle.js", "/static/pages/docs.js"} < set(addresses)
    for address in addresses:
        assert address.startswith("/")
        assert (await http.get(address)).status_code == 200
    assert (await http.get("/redoc")).status_code == 404
