"""Generations: how often a lease was handed out."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.add_column("assignments", sa.Column("generation", sa.Integer(), server_default="1", nullable=False))
