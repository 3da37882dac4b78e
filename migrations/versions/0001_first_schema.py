"""The first schema: sets, items, candidates, outputs, judges, assignments, the log and idempotency records."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None

APPEND_ONLY = """
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$
"""


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.create_table(
        "idempotency",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=True),
        sa.Column("response", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("key", "endpoint", name=op.f("pk_idempotency")),
    )
    op.create_index("ix_idempotency_created_at", "idempotency", ["created_at"])
    op.create_table(
        "judges",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("name <> ''", name=op.f("ck_judges_name")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judges")),
        sa.UniqueConstraint("name", name=op.f("uq_judges_name")),
    )
    op.create_table(
        "sets",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("attribute", sa.Text(), nullable=True),
        sa.Column("context", sa.Text(), nullable=True),
        sa.Column("expert", sa.Text(), nullable=False),
        sa.Column("prior_variance", sa.Double(), nullable=False),
        sa.Column("criterion", sa.Text(), nullable=False),
        sa.Column("epsilon", sa.Double(), nullable=False),
        sa.Column("random_share", sa.Double(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("order", sa.Text(), nullable=False),
        sa.Column("position_bias", sa.Text(), nullable=False),
        sa.Column("max_comparisons", sa.BigInteger(), nullable=True),
        sa.Column("project", sa.Text(), nullable=True),
        sa.Column("metadata", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("voids", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("candidates", sa.Integer(), server_default="0", nullable=False),
        sa.Column("items", sa.Integer(), server_default="0", nullable=False),
        sa.Column("revision", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("status IN ('open', 'paused')", name=op.f("ck_sets_status")),
        sa.CheckConstraint("version >= 0 AND voids >= 0 AND candidates >= 0", name=op.f("ck_sets_counts")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sets")),
    )
    op.create_index(
        "ix_sets_created_at_id",
        "sets",
        ["created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_table(
        "candidates",
        sa.Column("set_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("metadata", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("key <> ''", name=op.f("ck_candidates_key")),
        sa.ForeignKeyConstraint(["set_id"], ["sets.id"], name=op.f("fk_candidates_set_id_sets")),
        sa.PrimaryKeyConstraint("set_id", "id", name=op.f("pk_candidates")),
        sa.UniqueConstraint("set_id", "key", name=op.f("uq_candidates_set_id_key")),
    )
    op.create_table(
        "items",
        sa.Column("set_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["set_id"], ["sets.id"], name=op.f("fk_items_set_id_sets")),
        sa.PrimaryKeyConstraint("set_id", "id", name=op.f("pk_items")),
        sa.UniqueConstraint("set_id", "key", name=op.f("uq_items_set_id_key")),
    )
    op.create_table(
        "outputs",
        sa.Column("set_id", sa.Uuid(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("candidate_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.CheckConstraint("text <> ''", name=op.f("ck_outputs_text")),
        sa.ForeignKeyConstraint(
            ["set_id", "candidate_id"],
            ["candidates.set_id", "candidates.id"],
            name=op.f("fk_outputs_set_id_candidate_id_candidates"),
        ),
        sa.ForeignKeyConstraint(
            ["set_id", "item_id"], ["items.set_id", "items.id"], name=op.f("fk_outputs_set_id_item_id_items")
        ),
        sa.PrimaryKeyConstraint("set_id", "item_id", "candidate_id", name=op.f("pk_outputs")),
    )
    op.create_table(
        "assignments",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("set_id", sa.Uuid(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("second", sa.Integer(), nullable=False),
        sa.Column("judge_id", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), server_default="leased", nullable=False),
        sa.Column("why", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("label_mass", sa.Double(), nullable=True),
        sa.Column("latency_ms", sa.Double(), nullable=True),
        sa.Column("raw", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("(state = 'failed') = (failure IS NOT NULL)", name=op.f("ck_assignments_failure")),
        sa.CheckConstraint(
            "state IN ('leased', 'done', 'failed', 'released', 'expired')", name=op.f("ck_assignments_state")
        ),
        sa.CheckConstraint("first <> second", name=op.f("ck_assignments_two_candidates")),
        sa.ForeignKeyConstraint(["judge_id"], ["judges.id"], name=op.f("fk_assignments_judge_id_judges")),
        sa.ForeignKeyConstraint(
            ["set_id", "item_id", "first"],
            ["outputs.set_id", "outputs.item_id", "outputs.candidate_id"],
            name=op.f("fk_assignments_set_id_item_id_first_outputs"),
        ),
        sa.ForeignKeyConstraint(
            ["set_id", "item_id", "second"],
            ["outputs.set_id", "outputs.item_id", "outputs.candidate_id"],
            name=op.f("fk_assignments_set_id_item_id_second_outputs"),
        ),
        sa.ForeignKeyConstraint(["set_id"], ["sets.id"], name=op.f("fk_assignments_set_id_sets")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignments")),
    )
    op.create_index(
        "ix_assignments_failed",
        "assignments",
        ["set_id", "judge_id"],
        unique=False,
        postgresql_where=sa.text("state = 'failed'"),
    )
    op.create_index(
        "uq_assignments_live_pair",
        "assignments",
        ["set_id", "item_id", sa.literal_column("least(first, second)"), sa.literal_column("greatest(first, second)")],
        unique=True,
        postgresql_where=sa.text("state = 'leased'"),
    )
    op.create_table(
        "comparisons",
        sa.Column("set_id", sa.Uuid(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("second", sa.Integer(), nullable=False),
        sa.Column("p_first", sa.Double(), nullable=False),
        sa.Column("winner", sa.Text(), nullable=True),
        sa.Column("judge_id", sa.BigInteger(), nullable=False),
        sa.Column("client_id", sa.Text(), nullable=True),
        sa.Column("assignment_id", sa.Uuid(), nullable=True),
        sa.Column("late", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("label_mass", sa.Double(), nullable=True),
        sa.Column("latency_ms", sa.Double(), nullable=True),
        sa.Column("raw", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("winner IN ('first', 'second', 'tie', 'both_bad')", name=op.f("ck_comparisons_winner")),
        sa.CheckConstraint("first <> second", name=op.f("ck_comparisons_two_candidates")),
        sa.CheckConstraint("label_mass BETWEEN 0 AND 1", name=op.f("ck_comparisons_label_mass")),
        sa.CheckConstraint("p_first BETWEEN 0 AND 1", name=op.f("ck_comparisons_p_first")),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignments.id"], name=op.f("fk_comparisons_assignment_id_assignments")
        ),
        sa.ForeignKeyConstraint(["judge_id"], ["judges.id"], name=op.f("fk_comparisons_judge_id_judges")),
        sa.ForeignKeyConstraint(
            ["set_id", "item_id", "first"],
            ["outputs.set_id", "outputs.item_id", "outputs.candidate_id"],
            name=op.f("fk_comparisons_set_id_item_id_first_outputs"),
        ),
        sa.ForeignKeyConstraint(
            ["set_id", "item_id", "second"],
            ["outputs.set_id", "outputs.item_id", "outputs.candidate_id"],
            name=op.f("fk_comparisons_set_id_item_id_second_outputs"),
        ),
        sa.ForeignKeyConstraint(["set_id"], ["sets.id"], name=op.f("fk_comparisons_set_id_sets")),
        sa.PrimaryKeyConstraint("set_id", "seq", name=op.f("pk_comparisons")),
        sa.UniqueConstraint("assignment_id", name=op.f("uq_comparisons_assignment_id")),
        sa.UniqueConstraint("set_id", "client_id", name=op.f("uq_comparisons_set_id_client_id")),
    )
    op.create_table(
        "voids",
        sa.Column("set_id", sa.Uuid(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("voids", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["set_id", "voids"],
            ["comparisons.set_id", "comparisons.seq"],
            name=op.f("fk_voids_set_id_voids_comparisons"),
        ),
        sa.PrimaryKeyConstraint("set_id", "seq", name=op.f("pk_voids")),
        sa.UniqueConstraint("set_id", "voids", name=op.f("uq_voids_set_id_voids")),
    )
    op.execute(APPEND_ONLY)
    for table in ("comparisons", "voids"):
        op.execute(
            f"CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "EXECUTE FUNCTION refuse_change()"
        )
