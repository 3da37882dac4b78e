"""The whole method set: how a set reads its log, when it stops, and absolute scores."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    empty = sa.text("'{}'::jsonb")
    jsonb = postgresql.JSONB(astext_type=sa.Text())
    for column in (
        sa.Column("expert_parameters", jsonb, server_default=empty, nullable=False),
        sa.Column("prior", sa.Text(), server_default="unit", nullable=False),
        sa.Column("temperatures", jsonb, server_default=empty, nullable=False),
        sa.Column("batch", sa.Text(), server_default="greedy", nullable=False),
        sa.Column("stop", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("absolute_scores", sa.BigInteger(), server_default="0", nullable=False),
    ):
        op.add_column("sets", column)
    op.create_index(
        "ix_assignments_random",
        "assignments",
        ["set_id"],
        unique=False,
        postgresql_where=sa.text("(why ->> 'random') = 'true'"),
    )
    op.create_table(
        "absolute_scores",
        sa.Column("set_id", sa.Uuid(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("candidate", sa.Integer(), nullable=False),
        sa.Column("judge_id", sa.BigInteger(), nullable=False),
        sa.Column("mean", sa.Double(), nullable=False),
        sa.Column("variance", sa.Double(), nullable=False),
        sa.Column("probabilities", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("variance > 0", name=op.f("ck_absolute_scores_variance")),
        sa.ForeignKeyConstraint(["judge_id"], ["judges.id"], name=op.f("fk_absolute_scores_judge_id_judges")),
        sa.ForeignKeyConstraint(
            ["set_id", "item_id", "candidate"],
            ["outputs.set_id", "outputs.item_id", "outputs.candidate_id"],
            name=op.f("fk_absolute_scores_set_id_item_id_candidate_outputs"),
        ),
        sa.ForeignKeyConstraint(["set_id"], ["sets.id"], name=op.f("fk_absolute_scores_set_id_sets")),
        sa.PrimaryKeyConstraint("set_id", "seq", name=op.f("pk_absolute_scores")),
    )
    op.execute(
        "CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON absolute_scores "
        "EXECUTE FUNCTION refuse_change()"
    )
