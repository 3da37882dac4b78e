"""Runs migrations on the connection that app.storage.db.migrate hands over."""

from alembic import context

from app.storage.schema import metadata

connection = context.config.attributes.get("connection")
if connection is None:
    raise SystemExit("run `nextpair migrate`: migrations run on the service's own connection")
context.configure(connection=connection, target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
