"""A bare FastAPI application with the commits of an ask and of a tell: `python -m benchmarks.speed.bare PORT URL`.

It decides and checks nothing: the least that two durable requests cost with this framework, driver and database.
"""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID, uuid4

import asyncpg
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

TABLES = """
CREATE SCHEMA bare;
CREATE TABLE bare.sets (id uuid PRIMARY KEY, version bigint NOT NULL);
CREATE TABLE bare.leases (id uuid PRIMARY KEY, set_id uuid NOT NULL, first int, second int, judge text, state text);
CREATE TABLE bare.log (set_id uuid, seq bigint, first int, second int, p double precision, PRIMARY KEY (set_id, seq));
"""
LEASE = "INSERT INTO bare.leases VALUES ($1, $2, 1, 2, $3, 'leased')"
ADVANCE = "UPDATE bare.sets SET version = version + 1 WHERE id = $1 RETURNING version"
APPEND = "INSERT INTO bare.log VALUES ($1, $2, 1, 2, $3)"
FINISH = "UPDATE bare.leases SET state = 'done' WHERE id = $1"


class BareAsk(BaseModel):
    judge: str


class Tell(BaseModel):
    set_id: UUID
    p_first: float


def create_app(url: str) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with asyncpg.create_pool(url) as app.state.pool:
            await app.state.pool.execute(TABLES)
            yield

    app = FastAPI(lifespan=lifespan)

    @app.post("/sets/{set_id}")
    async def create(set_id: UUID) -> dict[str, UUID]:
        await app.state.pool.execute("INSERT INTO bare.sets VALUES ($1, 0)", set_id)
        return {"id": set_id}

    @app.post("/sets/{set_id}/ask")
    async def ask(set_id: UUID, body: BareAsk) -> dict[str, UUID]:
        lease = uuid4()
        async with app.state.pool.acquire() as db, db.transaction():
            await db.execute(LEASE, lease, set_id, body.judge)
        return {"id": lease}

    @app.post("/leases/{lease}/tell")
    async def tell(lease: UUID, body: Tell) -> dict[str, int]:
        async with app.state.pool.acquire() as db, db.transaction():
            seq = await db.fetchval(ADVANCE, body.set_id)
            await db.execute(APPEND, body.set_id, seq, body.p_first)
            await db.execute(FINISH, lease)
        return {"seq": seq}

    return app


if __name__ == "__main__":
    uvicorn.run(create_app(sys.argv[2]), port=int(sys.argv[1]), log_level="critical")
