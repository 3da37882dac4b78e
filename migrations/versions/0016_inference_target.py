"""Inference targets; existing sets keep their numbers, which are about latent scores."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.add_column("sets", sa.Column("inference_target", sa.Text(), server_default="latent", nullable=False))


def downgrade() -> None:
    op.drop_column("sets", "inference_target")
