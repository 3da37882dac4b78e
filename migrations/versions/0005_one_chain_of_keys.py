"""A set's own key is checked once: an entry names outputs, which name items and candidates, which name the set.

To check it on every row again locked the set's row, which whoever tells a verdict has to update.
"""

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    for table in ("assignments", "comparisons", "absolute_scores"):
        op.drop_constraint(f"fk_{table}_set_id_sets", table, type_="foreignkey")
