"""Goals of sets; existing sets want the ranking."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    jsonb = postgresql.JSONB(astext_type=sa.Text())
    op.add_column("sets", sa.Column("goal", jsonb, server_default=sa.text("'{}'::jsonb"), nullable=False))
