"""What decides how a judge answers, and what it answered when a set asked it again: its record."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.add_column("judges", sa.Column("configuration", sa.Text()))
    op.create_table(
        "judge_records",
        sa.Column("judge_id", sa.BigInteger(), sa.ForeignKey("judges.id"), primary_key=True),
        sa.Column("set_id", sa.Uuid(), primary_key=True),
        sa.Column("moved", sa.Double(), nullable=False),
        sa.Column("consistent", sa.Double(), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("judge_records")
    op.drop_column("judges", "configuration")
