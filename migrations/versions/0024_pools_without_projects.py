"""Sets without a project pool by their question. Those that exist stay alone, as they were."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"

QUESTION = "'question:' || to_hex(hashtextextended(question || chr(10) || coalesce(attribute, ''), 0))"
POOL = (
    "CASE WHEN pool_by = 'project' AND project IS NOT NULL THEN 'project:' || project "
    f"WHEN pool_by IN ('project', 'question') THEN {QUESTION} END"
)
OLD_POOL = f"CASE pool_by WHEN 'project' THEN 'project:' || project WHEN 'question' THEN {QUESTION} END"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.execute("UPDATE sets SET pool_by = 'none' WHERE pool_by = 'project' AND project IS NULL")
    _compute(POOL)


def downgrade() -> None:
    _compute(OLD_POOL)


def _compute(pool: str) -> None:
    op.drop_column("sets", "pool")  # and its index
    op.add_column("sets", sa.Column("pool", sa.Text(), sa.Computed(pool, persisted=True), nullable=True))
    op.create_index("ix_sets_pool", "sets", ["pool"], unique=False, postgresql_where=sa.text("deleted_at IS NULL"))
