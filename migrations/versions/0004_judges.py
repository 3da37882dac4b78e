"""Kinds of judges."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.add_column("judges", sa.Column("kind", sa.Text()))
    op.add_column("judges", sa.Column("model", sa.Text()))
    op.add_column("judges", sa.Column("cost_per_1000", sa.Double()))
    op.create_check_constraint("kind", "judges", "kind IN ('human', 'llm')")
    op.create_check_constraint("cost_per_1000", "judges", "cost_per_1000 >= 0")
