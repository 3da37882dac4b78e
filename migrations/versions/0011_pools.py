"""Pools: sets that share priors of verdict weights; existing sets learn alone."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0011"
down_revision = "0008"

POOL = (
    "CASE pool_by WHEN 'project' THEN 'project:' || project WHEN 'question' THEN "
    "'question:' || to_hex(hashtextextended(question || chr(10) || coalesce(attribute, ''), 0)) END"
)


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    jsonb = postgresql.JSONB(none_as_null=True, astext_type=sa.Text())
    for column in (
        sa.Column("pool_by", sa.Text(), server_default="none", nullable=False),
        sa.Column("pool", sa.Text(), sa.Computed(POOL, persisted=True), nullable=True),
        sa.Column("estimate", sa.Uuid(), nullable=True),
        sa.Column("pooled_evidence", sa.BigInteger(), server_default="0", nullable=False),
    ):
        op.add_column("sets", column)
    op.create_check_constraint("pool_by", "sets", "pool_by IN ('project', 'question', 'none')")
    op.create_index("ix_sets_pool", "sets", ["pool"], unique=False, postgresql_where=sa.text("deleted_at IS NULL"))
    op.create_table(
        "pooled_evidence",
        sa.Column("set_id", sa.Uuid(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("pool", sa.Text(), nullable=False),
        sa.Column("sets", sa.Integer(), nullable=False),
        sa.Column("value", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["set_id"], ["sets.id"], name=op.f("fk_pooled_evidence_set_id_sets")),
        sa.PrimaryKeyConstraint("set_id", "seq", name=op.f("pk_pooled_evidence")),
    )
    op.execute(
        "CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON pooled_evidence "
        "EXECUTE FUNCTION refuse_change()"
    )
    op.create_table(
        "pools",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("claimed_until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("estimate", sa.Uuid(), nullable=True),
        sa.Column("comparisons", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("sets", sa.Integer(), server_default="0", nullable=False),
        sa.Column("value", jsonb, nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_pools")),
    )
