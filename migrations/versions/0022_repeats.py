"""Whether a judge is declared to repeat itself: of the judges that exist it is measured."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.add_column("judges", sa.Column("repeats", sa.Boolean()))


def downgrade() -> None:
    op.drop_column("judges", "repeats")
