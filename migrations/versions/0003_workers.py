"""Workers: which of a judge's processes holds a lease."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.add_column("assignments", sa.Column("worker", sa.Text(), server_default="", nullable=False))
