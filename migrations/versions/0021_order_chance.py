"""Chance with which the order shown was drawn; nobody knows it of comparisons that are there already."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.add_column("comparisons", sa.Column("order_chance", sa.Double()))
    op.create_check_constraint("order_chance", "comparisons", "order_chance > 0 AND order_chance <= 1")


def downgrade() -> None:
    op.drop_column("comparisons", "order_chance")
