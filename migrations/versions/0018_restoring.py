"""A voided comparison may enter the log again, and the rows of a set may go 30 days after it was deleted.

What is there restores nothing; sets deleted before have 30 days from now on. A copy keeps the ids of what it restores,
so these are unique for each restored entry. The index of assignments by set is what the rows of outputs are checked
against when they go.
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

REFUSE_EARLY_LOSS = """
CREATE FUNCTION refuse_early_loss() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (SELECT DISTINCT set_id FROM gone) AS named LEFT JOIN sets ON sets.id = named.set_id
        WHERE sets.deleted_at IS NULL OR sets.deleted_at > now() - interval '30 days'
    ) THEN
        RAISE EXCEPTION '% %', TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$
"""
LOG = ("comparisons", "voids", "absolute_scores", "pooled_evidence")
KEY = "set_id, item_id, candidate_id"
UNIQUE = {"uq_comparisons_assignment_id": ["assignment_id"], "uq_comparisons_set_id_client_id": ["set_id", "client_id"]}
ENTRY = sa.text("coalesce(restores, 0)")


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.add_column("comparisons", sa.Column("restores", sa.BigInteger(), nullable=True))
    for name, columns in UNIQUE.items():
        op.drop_constraint(name, "comparisons", type_="unique")
        op.create_index(name, "comparisons", [*columns, ENTRY], unique=True)
    op.create_index(
        "uq_comparisons_set_id_restores",
        "comparisons",
        ["set_id", "restores"],
        unique=True,
        postgresql_where=sa.text("restores IS NOT NULL"),
    )
    op.create_index("ix_assignments_set_id", "assignments", ["set_id"], unique=False)
    op.execute("UPDATE sets SET deleted_at = now() WHERE deleted_at IS NOT NULL")
    op.execute(REFUSE_EARLY_LOSS)
    for table in LOG:
        _guard(table, "append_only", "UPDATE OR TRUNCATE", "refuse_change()")
        _keep_until_purged(table, "is append-only")
    _guard("outputs", "kept", f"TRUNCATE OR UPDATE OF {KEY}", "refuse_loss()")
    _keep_until_purged("outputs", "stay: comparisons may name them")


def downgrade() -> None:
    for table in (*LOG, "outputs"):
        op.execute(f"DROP TRIGGER purged ON {table}")
    for table in LOG:
        _guard(table, "append_only", "UPDATE OR DELETE OR TRUNCATE", "refuse_change()")
    _guard("outputs", "kept", f"DELETE OR TRUNCATE OR UPDATE OF {KEY}", "refuse_loss()")
    op.execute("DROP FUNCTION refuse_early_loss")
    op.drop_index("ix_assignments_set_id", "assignments")
    op.drop_index("uq_comparisons_set_id_restores", "comparisons")
    op.execute("ALTER TABLE comparisons DISABLE TRIGGER append_only")
    op.execute("UPDATE comparisons SET client_id = NULL, assignment_id = NULL WHERE restores IS NOT NULL")
    op.execute("ALTER TABLE comparisons ENABLE TRIGGER append_only")
    for name, columns in UNIQUE.items():
        op.drop_index(name, "comparisons")
        op.create_unique_constraint(name, "comparisons", columns)
    op.drop_column("comparisons", "restores")


def _guard(table: str, trigger: str, changes: str, function: str) -> None:
    """Have the trigger refuse these changes, in place of those that it refused before."""
    op.execute(f"DROP TRIGGER {trigger} ON {table}")
    op.execute(f"CREATE TRIGGER {trigger} BEFORE {changes} ON {table} EXECUTE FUNCTION {function}")


def _keep_until_purged(table: str, message: str) -> None:
    op.execute(
        f"CREATE TRIGGER purged AFTER DELETE ON {table} REFERENCING OLD TABLE AS gone "
        f"FOR EACH STATEMENT EXECUTE FUNCTION refuse_early_loss('{message}')"
    )
