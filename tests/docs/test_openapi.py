"""The document in docs/ is that of the service, and changes of it that break clients are named."""

import json
import subprocess
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import pytest

from docs.contract_changes import Change, Json, breaking
from docs.openapi import FILE, document, earlier, text_of, unnamed

RANKING = "/v1/sets/{set_id}/ranking"
VERDICT = "/v1/assignments/{assignment_id}/verdict"


@pytest.fixture(scope="module")
def now() -> Json:
    return document()


def test_file_is_up_to_date(now: Json) -> None:
    kept = json.loads(FILE.read_text())
    named = "".join(f"\n- {change}" for change in breaking(kept, now))
    assert FILE.read_text() == text_of(now), (
        f"Run `make openapi`. What breaks clients, for CHANGELOG.md:{named or ' nothing'}"
    )


def schema(document: Json, name: str) -> Json:
    model: Json = document["components"]["schemas"][name]
    return model


def parameter(document: Json, path: str, name: str) -> Json:
    listed = document["paths"][path]["get"]["parameters"]
    return next(each for each in listed if each["name"] == name)


def drop(names: list[str], name: str) -> None:
    names.remove(name)


Edit = Callable[[Json], object]
BREAKING: dict[str, Edit] = {
    "`GET /v1/sets/{set_id}/ranking` is gone": lambda d: d["paths"].pop(RANKING),
    "`DELETE /v1/sets/{set_id}` is gone": lambda d: d["paths"]["/v1/sets/{set_id}"].pop("delete"),
    "`GET /v1/sets/{set_id}/ranking` has the operationId rank, which was ranking": lambda d: d["paths"][RANKING][
        "get"
    ].update(operationId="rank"),
    "`GET /v1/sets/{set_id}/ranking` takes no query parameter level any more": lambda d: d["paths"][RANKING]["get"][
        "parameters"
    ].remove(parameter(d, RANKING, "level")),
    "`GET /v1/sets/{set_id}/ranking` needs the query parameter top_k now": lambda d: parameter(
        d, RANKING, "top_k"
    ).update(required=True),
    "`GET /v1/sets/{set_id}/ranking?level` has the maximum 0.5, which was 0.9999": lambda d: parameter(
        d, RANKING, "level"
    )["schema"].update(maximum=0.5),
    '`GET /v1/sets/{set_id}/ranking?format` no longer takes "png"': lambda d: parameter(d, RANKING, "format")["schema"][
        "enum"
    ].remove("png"),
    "`GET /v1/sets/{set_id}/ranking` no longer answers 200": lambda d: d["paths"][RANKING]["get"]["responses"].pop(
        "200"
    ),
    "`GET /v1/sets/{set_id}/ranking` no longer has application/json": lambda d: d["paths"][RANKING]["get"]["responses"][
        "200"
    ]["content"].pop("application/json"),
    "`Rank.score` is gone": lambda d: (
        schema(d, "Rank")["properties"].pop("score"),
        schema(d, "Rank")["required"].remove("score"),
    ),
    "`Rank.score` may now be left out": lambda d: schema(d, "Rank")["required"].remove("score"),
    "`Rank.score` may now be null": lambda d: schema(d, "Rank")["properties"].update(
        score={"anyOf": [{"type": "number"}, {"type": "null"}]}
    ),
    "`Ranking.method` may now be null": lambda d: schema(d, "Ranking")["properties"].update(
        method={"anyOf": [{"$ref": "#/components/schemas/Method"}, {"type": "null"}]}
    ),
    "`Rank.score` may now be string": lambda d: schema(d, "Rank")["properties"].update(score={"type": "string"}),
    "`Rank.rank_interval` has another number of entries": lambda d: schema(d, "Rank")["properties"]["rank_interval"][
        "anyOf"
    ][0]["prefixItems"].pop(),
    '`Lease.status` may now be "lost"': lambda d: schema(d, "Lease")["properties"]["status"]["enum"].append("lost"),
    "`SetIn.project` is no longer taken": lambda d: schema(d, "SetIn")["properties"].pop("project"),
    "`SetIn.project` is required now": lambda d: schema(d, "SetIn")["required"].append("project"),
    "`SetIn.purpose` is required now": lambda d: (
        schema(d, "SetIn")["properties"].update(purpose={"type": "string"}),
        schema(d, "SetIn")["required"].append("purpose"),
    ),
    '`SetIn.prior` no longer takes "anchor"': lambda d: schema(d, "PriorName")["enum"].remove("anchor"),
    "`SetIn.name` is no longer string": lambda d: schema(d, "SetIn")["properties"].update(name={"type": "integer"}),
    "`SetIn.name` has the maxLength 20, which was 200": lambda d: schema(d, "SetIn")["properties"]["name"].update(
        maxLength=20
    ),
}
HARMLESS: dict[str, Edit] = {
    "nothing": lambda d: None,
    "an operation": lambda d: d["paths"].update({"/v2": d["paths"][RANKING]}),
    "a field of an answer": lambda d: schema(d, "Rank")["properties"].update(colour={"type": "string"}),
    "a field that may be sent": lambda d: schema(d, "SetIn")["properties"].update(colour={"type": "string"}),
    "a parameter that may be sent": lambda d: d["paths"][RANKING]["get"]["parameters"].append(
        {"in": "query", "name": "colour", "schema": {"type": "string"}}
    ),
    "a word that may be sent": lambda d: parameter(d, RANKING, "format")["schema"]["enum"].append("pdf"),
    "fewer words in an answer": lambda d: schema(d, "Lease")["properties"]["status"]["enum"].pop(),
    "an answer that is never null": lambda d: schema(d, "JudgeOut")["properties"].update(model={"type": "string"}),
    "a higher bound": lambda d: schema(d, "SetIn")["properties"]["name"].update(maxLength=300),
    "a header in capitals": lambda d: d["paths"][VERDICT]["post"]["parameters"][-1].update(name="IDEMPOTENCY-KEY"),
    "other words of explanation": lambda d: schema(d, "Rank").update(description="Another."),
}


def changed(before: Json, edit: Edit) -> Json:
    after = deepcopy(before)
    edit(after)
    return after


@pytest.mark.parametrize("named", BREAKING)
def test_breaking_change_is_named(now: Json, named: str) -> None:
    assert named in map(str, breaking(now, changed(now, BREAKING[named])))


@pytest.mark.parametrize("what", HARMLESS)
def test_what_breaks_no_client_is_not_named(now: Json, what: str) -> None:
    assert breaking(now, changed(now, HARMLESS[what])) == []


def test_model_that_holds_itself_is_compared_once(now: Json) -> None:
    nested = {"anyOf": [{"$ref": "#/components/schemas/Rank"}, {"type": "null"}]}
    before = changed(now, lambda d: schema(d, "Rank")["properties"].update(inner=nested))

    assert [str(change) for change in breaking(before, now)] == ["`Rank.inner` is gone"]
    assert breaking(before, deepcopy(before)) == []


def test_change_is_named_under_unreleased_by_its_place() -> None:
    changes = [Change("Rank.score", "is gone"), Change("Rank.sd", "is gone"), Change("SetIn.name", "is required now")]
    changelog = "# Changelog\n\n## Unreleased\n\n- `Rank.score` left.\n\n## 0.1.0\n\n- `Rank.sd` came; SetIn.name.\n"

    assert unnamed(changes, changelog) == changes[1:]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Three commits that number the document: two on main, one on the branch that is checked out."""
    file = tmp_path / "docs/openapi.json"
    file.parent.mkdir()
    run_git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    for number in (1, 2, 3):
        if number == 3:
            run_git(tmp_path, "checkout", "--quiet", "-b", "branch")
        file.write_text(json.dumps({"number": number}))
        run_git(tmp_path, "add", ".")
        run_git(tmp_path, "commit", "--quiet", "--message", str(number))
    return tmp_path


def run_git(folder: Path, *arguments: str) -> None:
    someone = ("-c", "user.name=someone", "-c", "user.email=someone@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *someone, *arguments], cwd=folder, check=True)


def test_earlier_document_is_where_the_branch_left_main(repository: Path) -> None:
    assert earlier(repository) == {"number": 2}


def test_on_main_the_earlier_document_is_before_the_last_commit(repository: Path) -> None:
    run_git(repository, "checkout", "--quiet", "main")

    assert earlier(repository) == {"number": 1}


def test_without_git_there_is_no_earlier_document(tmp_path: Path) -> None:
    assert earlier(tmp_path) is None
