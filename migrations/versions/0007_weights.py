"""A comparison may stand for several answers alike; those that are there stand for one."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.add_column("comparisons", sa.Column("weight", sa.Double(), nullable=False, server_default="1"))
    op.create_check_constraint("weight", "comparisons", "weight BETWEEN 1e-6 AND 1e6")
