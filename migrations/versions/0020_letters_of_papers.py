"""How near means count as equal when pairs are chosen, and whether absolute scores' variance has a floor.

Every set that exists goes on with a tenth of a posterior sd, and with the floor.
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.add_column("sets", sa.Column("equal", sa.Double(), nullable=False, server_default="0.1"))
    op.add_column("sets", sa.Column("absolute_variance", sa.Text(), nullable=False, server_default="floored"))


def downgrade() -> None:
    op.drop_column("sets", "absolute_variance")
    op.drop_column("sets", "equal")
