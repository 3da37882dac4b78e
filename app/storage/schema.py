"""The schema. Keys start with set_id, so that a set may become a shard; decision 55 has the exceptions.

Rows that name outputs have no foreign key to their set: the outputs are checked, and belong to it.
"""

from typing import Any, TypeAlias

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    DateTime,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    Index,
    Integer,
    MetaData,
    Row,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

Record: TypeAlias = Row[*tuple[Any, ...]]  # what a statement returns

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _now(name: str) -> Column[object]:
    return Column(name, DateTime(timezone=True), nullable=False, server_default=func.now())


def _output_of(column: str) -> ForeignKeyConstraint:
    """`column` names a candidate that has an output on the row's item."""
    here = ["set_id", "item_id", column]
    return ForeignKeyConstraint(here, ["outputs.set_id", "outputs.item_id", "outputs.candidate_id"])


_QUESTION = "'question:' || to_hex(hashtextextended(question || chr(10) || coalesce(attribute, ''), 0))"
_POOL = (
    "CASE WHEN pool_by = 'project' AND project IS NOT NULL THEN 'project:' || project "
    f"WHEN pool_by IN ('project', 'question') THEN {_QUESTION} END"
)

sets = Table(
    "sets",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("name", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("attribute", Text),
    Column("context", Text),
    Column("expert", Text, nullable=False),
    Column("expert_parameters", JSONB, nullable=False, server_default=text("'{}'::jsonb")),
    Column("prior", Text, nullable=False, server_default="unit"),
    Column("prior_variance", Double, nullable=False),
    Column("temperatures", JSONB, nullable=False, server_default=text("'{}'::jsonb")),  # {judge: [its id, T]}
    # or {judge: [its id, phi]}
    Column("evidence", JSONB, nullable=False, server_default=text("'\"one-vote\"'::jsonb")),
    Column("criterion", Text, nullable=False),
    Column("epsilon", Double, nullable=False),
    Column("equal", Double, nullable=False, server_default="0.1"),
    Column("random_share", Double, nullable=False),
    Column("batch", Text, nullable=False, server_default="greedy"),
    Column("seed", BigInteger, nullable=False),
    Column("inference_target", Text, nullable=False, server_default="latent"),
    Column("order", Text, nullable=False),
    Column("position_bias", Text, nullable=False),
    Column("absolute_scale", Text, nullable=False, server_default="estimate"),
    Column("absolute_variance", Text, nullable=False, server_default="floored"),
    Column("max_comparisons", BigInteger),
    Column("stop", JSONB(none_as_null=True)),
    Column("overlap", JSONB(none_as_null=True)),
    Column("goal", JSONB, nullable=False, server_default=text("'{}'::jsonb")),
    Column("project", Text),
    Column("pool_by", Text, nullable=False, server_default="none"),
    Column("pool", Text, Computed(_POOL, persisted=True)),  # the pool's name
    Column("metadata", JSONB, nullable=False),
    Column("status", Text, nullable=False),
    Column("version", BigInteger, nullable=False, server_default="0"),
    Column("voids", BigInteger, nullable=False, server_default="0"),
    Column("absolute_scores", BigInteger, nullable=False, server_default="0"),
    Column("pooled_evidence", BigInteger, nullable=False, server_default="0"),
    Column("estimate", Uuid),  # of its pool, that its log holds
    Column("candidates", Integer, nullable=False, server_default="0"),
    Column("items", Integer, nullable=False, server_default="0"),
    Column("revision", BigInteger, nullable=False, server_default="0"),  # counts changes of the set and its candidates
    _now("created_at"),
    Column("deleted_at", DateTime(timezone=True)),
    CheckConstraint("status IN ('open', 'paused')", name="status"),
    CheckConstraint("version >= 0 AND voids >= 0 AND candidates >= 0", name="counts"),
    CheckConstraint("pool_by IN ('project', 'question', 'none')", name="pool_by"),
    Index("ix_sets_created_at_id", "created_at", "id", postgresql_where=text("deleted_at IS NULL")),
    Index("ix_sets_pool", "pool", postgresql_where=text("deleted_at IS NULL")),
)

# Item 0 of a set of texts is implicit, with the key ''.
items = Table(
    "items",
    metadata,
    Column("set_id", Uuid, ForeignKey("sets.id"), primary_key=True),
    Column("id", Integer, primary_key=True),
    Column("key", Text, nullable=False),
    Column("prompt", Text),
    Column("tags", JSONB, nullable=False, server_default=text("'{}'::jsonb")),
    UniqueConstraint("set_id", "key"),
)

# Ids run from 0 without gaps: a candidate's id is its row in every array.
candidates = Table(
    "candidates",
    metadata,
    Column("set_id", Uuid, ForeignKey("sets.id"), primary_key=True),
    Column("id", Integer, primary_key=True),
    Column("key", Text, nullable=False),
    Column("metadata", JSONB, nullable=False),
    _now("created_at"),
    UniqueConstraint("set_id", "key"),
    CheckConstraint("key <> ''", name="key"),
)

outputs = Table(
    "outputs",
    metadata,
    Column("set_id", Uuid, primary_key=True),
    Column("item_id", Integer, primary_key=True),
    Column("candidate_id", Integer, primary_key=True),
    Column("text", Text),
    ForeignKeyConstraint(["set_id", "item_id"], ["items.set_id", "items.id"]),
    ForeignKeyConstraint(["set_id", "candidate_id"], ["candidates.set_id", "candidates.id"]),
    CheckConstraint("text <> ''", name="text"),
)

judges = Table(
    "judges",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("kind", Text),
    Column("model", Text),
    Column("cost_per_1000", Double),
    Column("repeats", Boolean),  # whether it is declared to repeat itself; measured where it is not
    Column("configuration", Text),  # what decides how it answers, beside the model
    _now("created_at"),
    CheckConstraint("name <> ''", name="name"),
    CheckConstraint("kind IN ('human', 'llm')", name="kind"),
    CheckConstraint("cost_per_1000 >= 0", name="cost_per_1000"),
)

# leased -> done | failed | released | expired;  expired -> done | failed (late);  released -> done | failed (late)
# What judges answered when a set asked them again, as logarithms of odds; small, and read for every set.
judge_records = Table(
    "judge_records",
    metadata,
    Column("judge_id", BigInteger, ForeignKey("judges.id"), primary_key=True),
    Column("set_id", Uuid, primary_key=True),
    Column("moved", Double, nullable=False),  # of repeating itself in the same order, against drawing anew
    Column("consistent", Double, nullable=False),  # of repeating itself in either order
)

assignments = Table(
    "assignments",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("set_id", Uuid, nullable=False),
    Column("item_id", Integer, nullable=False),
    Column("first", Integer, nullable=False),
    Column("second", Integer, nullable=False),
    Column("judge_id", BigInteger, ForeignKey("judges.id"), nullable=False),
    Column("worker", Text, nullable=False, server_default=""),  # which of the judge's processes asked
    Column("state", Text, nullable=False, server_default="leased"),
    Column("generation", Integer, nullable=False, server_default="1"),  # how often it was handed out
    Column("why", JSONB, nullable=False),
    Column("failure", Text),
    Column("reason", Text),
    Column("label_mass", Double),
    Column("latency_ms", Double),
    Column("raw", JSONB(none_as_null=True)),
    _now("created_at"),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    _output_of("first"),
    _output_of("second"),
    CheckConstraint("first <> second", name="two_candidates"),
    CheckConstraint("state IN ('leased', 'done', 'failed', 'released', 'expired')", name="state"),
    CheckConstraint("(state = 'failed') = (failure IS NOT NULL)", name="failure"),
    # Two judges never hold the same pair of an item at the same time.
    Index(
        "uq_assignments_live_pair",
        "set_id",
        "item_id",
        text("least(first, second)"),
        text("greatest(first, second)"),
        unique=True,
        postgresql_where=text("state = 'leased'"),
    ),
    Index("ix_assignments_set_id", "set_id"),
    Index("ix_assignments_failed", "set_id", "judge_id", postgresql_where=text("state = 'failed'")),
    Index("ix_assignments_random", "set_id", postgresql_where=text("(why ->> 'random') = 'true'")),
)

# Append-only, held by triggers, until 30 days after the set was deleted; another has the outputs and judges that they
# name be there, a statement at a time.
# seq is gapless over comparisons, absolute scores, voids and shared priors together.
comparisons = Table(
    "comparisons",
    metadata,
    Column("set_id", Uuid, primary_key=True),
    Column("seq", BigInteger, primary_key=True),
    Column("item_id", Integer, nullable=False),
    Column("first", Integer, nullable=False),
    Column("second", Integer, nullable=False),
    Column("p_first", Double, nullable=False),
    Column("winner", Text),
    Column("weight", Double, nullable=False, server_default="1"),  # how many answers alike it stands for
    Column("order_chance", Double),  # with which the order shown was drawn, where that is known
    Column("judge_id", BigInteger, nullable=False),
    Column("client_id", Text),
    Column("assignment_id", Uuid, ForeignKey("assignments.id")),
    Column("restores", BigInteger),  # the voided entry that this is a copy of
    Column("late", Boolean, nullable=False, server_default="false"),
    Column("label_mass", Double),
    Column("latency_ms", Double),
    Column("raw", JSONB(none_as_null=True)),
    _now("created_at"),
    Index("uq_comparisons_assignment_id", "assignment_id", text("coalesce(restores, 0)"), unique=True),
    Index("uq_comparisons_set_id_client_id", "set_id", "client_id", text("coalesce(restores, 0)"), unique=True),
    Index(
        "uq_comparisons_set_id_restores",
        "set_id",
        "restores",
        unique=True,
        postgresql_where=text("restores IS NOT NULL"),
    ),
    CheckConstraint("first <> second", name="two_candidates"),
    CheckConstraint("p_first BETWEEN 0 AND 1", name="p_first"),
    CheckConstraint("winner IN ('first', 'second', 'tie', 'both_bad')", name="winner"),
    CheckConstraint("weight BETWEEN 1e-6 AND 1e6", name="weight"),
    CheckConstraint("label_mass BETWEEN 0 AND 1", name="label_mass"),
    CheckConstraint("order_chance > 0 AND order_chance <= 1", name="order_chance"),
    Index("ix_comparisons_set_id_judge_id", "set_id", "judge_id"),
)

voids = Table(
    "voids",
    metadata,
    Column("set_id", Uuid, primary_key=True),
    Column("seq", BigInteger, primary_key=True),
    Column("voids", BigInteger, nullable=False),
    Column("reason", Text, nullable=False),
    _now("created_at"),
    UniqueConstraint("set_id", "voids"),
    ForeignKeyConstraint(["set_id", "voids"], ["comparisons.set_id", "comparisons.seq"]),
)

absolute_scores = Table(
    "absolute_scores",
    metadata,
    Column("set_id", Uuid, primary_key=True),
    Column("seq", BigInteger, primary_key=True),
    Column("item_id", Integer, nullable=False),
    Column("candidate", Integer, nullable=False),
    Column("judge_id", BigInteger, ForeignKey("judges.id"), nullable=False),
    Column("mean", Double, nullable=False),
    Column("variance", Double, nullable=False),
    Column("probabilities", JSONB(none_as_null=True)),
    _now("created_at"),
    _output_of("candidate"),
    CheckConstraint("variance > 0", name="variance"),
)

# Priors that a pool shares with a set; value is {"log_scale": [mean, sd], "log_noise": {judge id: [mean, sd]}} and, of
# judges whose effects were seen, "log_effects" like "log_noise".
pooled_evidence = Table(
    "pooled_evidence",
    metadata,
    Column("set_id", Uuid, ForeignKey("sets.id"), primary_key=True),
    Column("seq", BigInteger, primary_key=True),
    Column("pool", Text, nullable=False),
    Column("sets", Integer, nullable=False),  # how many contributed
    Column("value", JSONB, nullable=False),
    _now("created_at"),
)

# The latest estimate of each pool, from which its sets get theirs.
pools = Table(
    "pools",
    metadata,
    Column("name", Text, primary_key=True),
    Column("claimed_until", DateTime(timezone=True), nullable=False),  # by the process that estimates
    Column("estimate", Uuid),
    Column("comparisons", BigInteger, nullable=False, server_default="0"),  # of its sets, when it was estimated
    Column("sets", Integer, nullable=False, server_default="0"),
    Column("value", JSONB(none_as_null=True)),
)

idempotency = Table(
    "idempotency",
    metadata,
    Column("key", Text, primary_key=True),
    Column("endpoint", Text, primary_key=True),
    Column("fingerprint", Text, nullable=False),
    Column("status", SmallInteger),
    Column("response", JSONB),
    _now("created_at"),
    Index(None, "created_at"),
)
