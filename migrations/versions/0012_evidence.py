"""Verdict weights: learnt, one vote, or as the set says; existing sets keep one vote."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    one_vote = sa.text("""'"one-vote"'::jsonb""")
    jsonb = postgresql.JSONB(astext_type=sa.Text())
    op.add_column("sets", sa.Column("evidence", jsonb, server_default=one_vote, nullable=False))


def downgrade() -> None:
    op.drop_column("sets", "evidence")
