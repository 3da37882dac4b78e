"""Names of comparisons are looked up once for each statement: three keys of every row took most of a bulk insert.

Outputs and judges stay once they are there, so that no comparison can lose what it names.
"""

from alembic import op

revision = "0015"
down_revision = "0014"

# A lookup in the index for each name, also where the plan was made for very many: it is kept for the next single row.
REFUSE_STRANGERS = """
CREATE FUNCTION refuse_strangers() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (
            SELECT set_id, item_id, first AS candidate_id FROM entries
            UNION SELECT set_id, item_id, second FROM entries
        ) AS named
        WHERE (SELECT true FROM outputs AS o WHERE o.set_id = named.set_id AND o.item_id = named.item_id
               AND o.candidate_id = named.candidate_id) IS NULL
    ) THEN
        RAISE EXCEPTION 'a comparison names an output that is not there' USING ERRCODE = 'foreign_key_violation';
    END IF;
    IF EXISTS (
        SELECT FROM (SELECT DISTINCT judge_id FROM entries) AS named
        WHERE (SELECT true FROM judges WHERE id = named.judge_id) IS NULL
    ) THEN
        RAISE EXCEPTION 'a comparison names a judge that is not there' USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
END
$$
"""
REFUSE_LOSS = """
CREATE FUNCTION refuse_loss() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% stay: comparisons may name them', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$
"""
KEYS = {"outputs": "set_id, item_id, candidate_id", "judges": "id"}
FOREIGN_KEYS = ("judge_id_judges", "set_id_item_id_first_outputs", "set_id_item_id_second_outputs")


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.execute(REFUSE_STRANGERS)
    op.execute(
        "CREATE TRIGGER named AFTER INSERT ON comparisons REFERENCING NEW TABLE AS entries "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_strangers()"
    )
    op.execute(REFUSE_LOSS)
    for table, key in KEYS.items():
        op.execute(
            f"CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE OR UPDATE OF {key} ON {table} "
            "EXECUTE FUNCTION refuse_loss()"
        )
    for key in FOREIGN_KEYS:
        op.drop_constraint(f"fk_comparisons_{key}", "comparisons", type_="foreignkey")
