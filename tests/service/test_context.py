"""Judges by name: an id is remembered only once it is certain to stay."""

from app.service.context import Context


async def test_a_name_becomes_a_judge_once(context: Context) -> None:
    async with context.engine.begin() as db:
        first = await context.identify(db, {"alice", "bob"})
    async with context.engine.begin() as db:
        assert await context.judge_id(db, "alice") == first["alice"] != first["bob"]


async def test_a_judge_of_a_transaction_that_failed_is_not_remembered(context: Context) -> None:
    async with context.engine.connect() as db:
        lost = await context.judge_id(db, "alice")
        await db.rollback()
    assert "alice" not in context.judge_ids
    async with context.engine.begin() as db:
        assert await context.judge_id(db, "alice") != lost


async def test_a_judge_who_was_there_is_remembered(context: Context) -> None:
    for _ in range(2):
        async with context.engine.begin() as db:
            known = await context.judge_id(db, "alice")
    assert context.judge_ids == {"alice": known}


async def test_what_is_remembered_cannot_be_changed_from_outside(context: Context) -> None:
    async with context.engine.begin() as db:
        alice = await context.judge_id(db, "alice")
    async with context.engine.begin() as db:
        for _ in range(2):  # once looked up, once remembered
            (await context.identify(db, {"alice"}))["alice"] = -1
        assert await context.judge_id(db, "alice") == alice
