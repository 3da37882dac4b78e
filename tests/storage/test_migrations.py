"""The schema: what migrations make of an empty database, and of one that is in use."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from uuid import uuid4

import httpx
import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine

from app.settings import Settings
from app.storage import db
from app.storage.embedded.launcher import EmbeddedPostgres
from app.storage.schema import metadata
from tests.conftest import running
from tests.factories import ask_one, get, log, patch, ranking, run_sql, score, scores_of, tell, void

SET, HELD, DONE = (str(uuid4()) for _ in range(3))
WHY = (
    '{"criterion": "reordering", "score": 1.5, "mean_difference": 0.25, "sd_difference": 1.0, '
    '"probability_of_reordering": 0.4, "propensity": 0.5}'
)
IN_USE_AT_0001 = (
    'INSERT INTO sets (id, name, question, expert, prior_variance, criterion, epsilon, random_share, seed, "order", '
    "position_bias, max_comparisons, metadata, status, version, voids, candidates) "
    f"VALUES ('{SET}', 'Trees', 'Which?', 'soft-bt', 2.0, 'variance', 0.25, 1.0, 7, 'both', 'none', 9, "
    """'{"a": 1}', 'open', 4, 1, 3)""",
    f"INSERT INTO items (set_id, id, key) VALUES ('{SET}', 0, '')",
    "INSERT INTO candidates (set_id, id, key, metadata) "
    f"VALUES ('{SET}', 0, 'ash', '{{}}'), ('{SET}', 1, 'elm', '{{}}'), ('{SET}', 2, 'oak', '{{}}')",
    "INSERT INTO outputs (set_id, item_id, candidate_id, text) "
    f"VALUES ('{SET}', 0, 0, 'Ash.'), ('{SET}', 0, 1, 'Elm.'), ('{SET}', 0, 2, 'Oak.')",
    "INSERT INTO judges (name) VALUES ('alice'), ('bob')",
    "INSERT INTO assignments (id, set_id, item_id, first, second, judge_id, state, why, expires_at) "
    f"VALUES ('{HELD}', '{SET}', 0, 1, 2, 1, 'leased', '{WHY}', now() + interval '1 hour'), "
    f"('{DONE}', '{SET}', 0, 0, 1, 1, 'done', '{WHY}', now())",
    "INSERT INTO comparisons (set_id, seq, item_id, first, second, p_first, judge_id, assignment_id) "
    f"VALUES ('{SET}', 1, 0, 0, 1, 0.9, 1, '{DONE}'), ('{SET}', 2, 0, 2, 0, 0.9, 2, NULL), "
    f"('{SET}', 3, 0, 2, 1, 0.4, 2, NULL)",
    f"INSERT INTO voids (set_id, seq, voids, reason) VALUES ('{SET}', 4, 2, 'wrong side')",
)
COLUMNS = (
    "SELECT table_name, column_name, data_type, is_nullable, column_default, identity_generation "
    "FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'alembic_version'"
)
INDEXES = "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> 'alembic_version'"
CONSTRAINTS = (
    "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace "
    "AND conname NOT LIKE 'alembic_version%'"
)
GUARDED = (
    "SELECT relname::text FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid "
    "WHERE tgname = 'append_only' AND tgenabled = 'O'"
)


@pytest.fixture
async def empty(cluster: EmbeddedPostgres) -> AsyncIterator[str]:
    """The URL of a database without a table."""
    name = f"empty_{uuid4().hex}"
    async with connected(cluster.url("postgres")) as engine:
        autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")
        async with autocommit.connect() as connection:
            await connection.execute(text(f"CREATE DATABASE {name}"))
            yield cluster.url(name)
            await connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[AsyncEngine]:
    engine = db.connect(url)
    yield engine
    await engine.dispose()


async def upgrade(engine: AsyncEngine, revision: str) -> None:
    await migrate(engine, command.upgrade, revision)


async def migrate(engine: AsyncEngine, direction: Callable[[Config, str], None], revision: str) -> None:
    def run(connection: Connection) -> None:
        config = Config()
        config.set_main_option("script_location", str(db.MIGRATIONS))
        config.attributes["connection"] = connection
        direction(config, revision)

    async with engine.begin() as connection:
        await connection.run_sync(run)


async def rows(engine: AsyncEngine, statement: str) -> set[tuple[object, ...]]:
    async with engine.connect() as connection:
        return {tuple(row) for row in await connection.execute(text(statement))}


async def test_the_tables_are_what_the_migrations_make(empty: str, database_url: str) -> None:
    async with connected(empty) as declared, connected(database_url) as migrated:
        async with declared.begin() as connection:
            await connection.run_sync(metadata.create_all)
        for statement in (COLUMNS, INDEXES, CONSTRAINTS):
            assert await rows(declared, statement) == await rows(migrated, statement)


async def test_every_table_of_the_log_is_append_only(database_url: str) -> None:
    async with connected(database_url) as engine:
        assert await rows(engine, GUARDED) == {("comparisons",), ("voids",), ("absolute_scores",), ("pooled_evidence",)}


async def test_migrating_again_changes_nothing(database_url: str) -> None:
    async with connected(database_url) as engine:
        before = await rows(engine, COLUMNS)
        assert await db.migrate(database_url) == db.latest_migration()
        assert await rows(engine, COLUMNS) == before


@pytest.fixture
async def old(empty: str) -> AsyncIterator[httpx.AsyncClient]:
    """A service on a database that was in use before the present version."""
    async with connected(empty) as engine:
        await upgrade(engine, "0001")
        await run_sql(engine, *IN_USE_AT_0001)
    async with (
        running(Settings(database_url=empty)) as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client,
    ):
        yield client


async def test_a_set_keeps_what_it_was_and_gets_the_defaults(old: httpx.AsyncClient) -> None:
    found = await get(old, f"/v1/sets/{SET}")
    assert {name: found[name] for name in ("name", "prior_variance", "order", "budget", "metadata", "version")} == {
        "name": "Trees", "prior_variance": 2.0, "order": "both", "budget": {"max_comparisons": 9},
        "metadata": {"a": 1}, "version": 4,
    }  # fmt: skip
    assert (found["comparisons"], found["absolute_scores"], found["candidates"]) == (2, 0, 3)
    assert (found["expert_parameters"], found["prior"], found["temperatures"], found["stop"]) == ({}, "unit", {}, None)
    assert (found["absolute_scale"], found["absolute_variance"]) == ("estimate", "floored")
    assert (found["overlap"], found["inference_target"]) == (None, "latent")
    assert found["goal"] == {"top_k": None, "against": None, "pair": None}
    assert found["selection"] == {
        "criterion": "variance", "epsilon": 0.25, "equal": 0.1, "random_share": 1.0, "batch": "greedy", "seed": 7,
    }  # fmt: skip


async def test_a_log_from_before_is_read_as_it_was(old: httpx.AsyncClient) -> None:
    entries = [
        (e["seq"], e["first"], e["second"], e["p_first"], e["judge"], e["voided_by"]) for e in await log(old, SET)
    ]
    assert entries == [
        (1, "ash", "elm", 0.9, "alice", None), (2, "oak", "ash", 0.9, "bob", 4), (3, "oak", "elm", 0.4, "bob", None),
    ]  # fmt: skip
    found = await ranking(old, SET)
    assert [row["key"] for row in found["ranking"]] == ["ash", "oak", "elm"]
    assert (found["held_out"], found["stopping"]) == (None, None)


async def test_a_lease_from_before_is_given_back_and_answered(old: httpx.AsyncClient) -> None:
    held = await ask_one(old, SET)
    assert (held["id"], held["why"]["random"], held["why"]["score"]) == (HELD, False, 1.5)
    told = (await tell(old, HELD, p_first=0.7)).json()
    assert (told["seq"], held["why"]["order_chance"], told["order_chance"]) == (5, None, None)
    assert (await ranking(old, SET))["held_out"] is None


async def test_a_set_from_before_does_everything_new(old: httpx.AsyncClient) -> None:
    before = await scores_of(old, SET)
    await score(old, SET, ash=5, elm=6, oak=7)
    await patch(old, SET, temperatures={"alice": 2.0}, stop={"top_k": 1}, selection={"batch": "top"})
    await void(old, SET, 1)
    found = await ranking(old, SET)
    assert (found["version"], found["comparisons"], set(found["absolute_scores"])) == (8, 1, {"gpt"})
    assert found["stopping"]["converged"] is False
    assert await scores_of(old, SET) != before
    assert (await get(old, f"/v1/sets/{SET}/diagnostics"))["comparisons"] == 1


async def test_a_set_from_before_stays_with_latent_scores_until_it_is_moved(old: httpx.AsyncClient) -> None:
    assert (await ranking(old, SET))["inference_target"]["name"] == "latent"
    await patch(old, SET, inference_target="auto")
    assert (await ranking(old, SET))["inference_target"]["name"] == "all-pairs"


@pytest.mark.parametrize(
    ("before", "after", "table", "column", "value"),
    [
        ("0015", "0016", "sets", "inference_target", "latent"),
        ("0016", "0017", "items", "tags", {}),
        ("0017", "0018", "comparisons", "restores", None),
        ("0019", "0020", "sets", "equal", 0.1),
        ("0019", "0020", "sets", "absolute_variance", "floored"),
        ("0020", "0021", "comparisons", "order_chance", None),
    ],
)
async def test_a_column_comes_and_goes_with_rows_in_its_table(
    empty: str, before: str, after: str, table: str, column: str, value: object
) -> None:
    async with connected(empty) as engine:
        await upgrade(engine, "0001")
        await run_sql(engine, *IN_USE_AT_0001)
        await upgrade(engine, before)
        old_rows = await rows(engine, f"SELECT {table}::text FROM {table}")
        await upgrade(engine, after)
        async with engine.connect() as connection:
            assert (await connection.execute(text(f"SELECT {column} FROM {table}"))).scalars().all() == [value] * len(
                old_rows
            )
        await migrate(engine, command.downgrade, before)
        assert await rows(engine, f"SELECT {table}::text FROM {table}") == old_rows


async def test_a_set_that_was_deleted_before_has_its_grace_from_the_upgrade_on(empty: str) -> None:
    async with connected(empty) as engine:
        await upgrade(engine, "0001")
        await run_sql(engine, *IN_USE_AT_0001)
        await upgrade(engine, "0017")
        await run_sql(engine, "UPDATE sets SET deleted_at = now() - interval '1 year'")
        await upgrade(engine, "head")
        assert await rows(engine, "SELECT deleted_at > now() - interval '1 hour' FROM sets") == {(True,)}


async def test_a_set_from_before_stays_in_its_pool_or_alone(empty: str) -> None:
    pool = "SELECT pool_by, pool FROM sets"
    async with connected(empty) as engine:
        await upgrade(engine, "0001")
        await run_sql(engine, *IN_USE_AT_0001)
        for project, kept in (("NULL", ("none", None)), ("'wood'", ("project", "project:wood"))):
            await upgrade(engine, "0023")
            await run_sql(engine, f"UPDATE sets SET pool_by = 'project', project = {project}")
            await upgrade(engine, "0024")
            assert await rows(engine, pool) == {kept}
            await migrate(engine, command.downgrade, "0023")
            assert await rows(engine, pool) == {kept}


async def test_an_older_program_says_what_to_do_with_the_database_of_a_newer_one(
    http: httpx.AsyncClient, settings: Settings
) -> None:
    url = str(settings.database_url)
    engine = db.connect(url)
    await run_sql(engine, "UPDATE alembic_version SET version_num = '9999'")
    await engine.dispose()
    with pytest.raises(db.NewerDatabase, match=r"at migration 9999, .* restore a backup"):
        await db.migrate(url)
    answer = await http.get("/readyz")
    assert (answer.status_code, "Install that version again" in answer.json()["detail"]) == (503, True)
