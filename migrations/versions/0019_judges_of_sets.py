"""An index by which the judges of a set are found without its log."""

from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.create_index("ix_comparisons_set_id_judge_id", "comparisons", ["set_id", "judge_id"])


def downgrade() -> None:
    op.drop_index("ix_comparisons_set_id_judge_id", "comparisons")
