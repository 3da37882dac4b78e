"""Absolute scores on the scale that is given; sets that are there estimate it."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.add_column("sets", sa.Column("absolute_scale", sa.Text(), nullable=False, server_default="estimate"))


def downgrade() -> None:
    op.drop_column("sets", "absolute_scale")
