"""Sets: create, list and read them, ask for pairs, add comparisons."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Any

from nextpair import calls, schemas
from nextpair.calls import Call, Id
from nextpair.errors import BadTable
from nextpair.resources.binding import Bound, Resource, S, by_fields, call, of_fields, own_call, own_listing, presented
from nextpair.resources.pairs import AsyncPairToJudge, PairToJudge, async_leased, leased
from nextpair.sending.senders import AsyncSender, Sender
from nextpair.sending.streams import Event
from nextpair.tabular import Tabular, file_of
from nextpair.words import ExportFormat, SetStatus

BATCH = 5000  # comparisons in one request


# Calls as the methods take them


def _add_candidates(
    set_id: Id, candidates: Mapping[str, str] | Iterable[schemas.CandidateIn], items: Iterable[schemas.ItemIn] = ()
) -> Call[schemas.CandidatesAdded]:
    """Add texts by key, or candidates in full; a candidate with an existing key is replaced."""
    if isinstance(candidates, Mapping):
        candidates = [schemas.CandidateIn(key=key, text=text) for key, text in candidates.items()]
    return calls.add_candidates(set_id, schemas.CandidatesIn(candidates=list(candidates), items=list(items)))


def _add_comparisons(set_id: Id, comparisons: Iterable[schemas.ComparisonIn]) -> Call[schemas.ComparisonsAccepted]:
    """Add comparisons judged elsewhere, all or none. A known `client_id` counts as a duplicate."""
    return calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=list(comparisons)))


def _add_absolute_scores(set_id: Id, scores: Iterable[schemas.AbsoluteScoreIn]) -> Call[schemas.AbsoluteScoresAccepted]:
    """Add absolute scores, all or none; of several by one judge for one output the last counts."""
    return calls.add_absolute_scores(set_id, schemas.AbsoluteScoresIn(scores=list(scores)))


def _next_pair(
    set_id: Id,
    *,
    judge: str,
    lease_seconds: float = 600.0,
    wait_seconds: float = 0.0,
    worker: str | None = None,
    goal: schemas.Goal | None = None,
    rank_sets_with: str | None = None,
    check_judges: bool = False,
) -> Call[schemas.Assignments]:
    """Lease the next pair to a judge, or return None; the status of `next_pairs` says why there is none."""
    return calls.next_pair(
        set_id,
        judge=judge,
        lease_seconds=lease_seconds,
        wait_seconds=wait_seconds,
        worker=worker,
        goal=goal,
        rank_sets_with=rank_sets_with,
        check_judges=check_judges,
    )


def _new_set(read: schemas.TableRead, fields: Mapping[str, Any]) -> Call[schemas.SetOut]:
    """Create the set of a table, all of it. Raises BadTable."""
    if read.faults:
        raise BadTable(read.faults, read.fault_count)
    return calls.create_set(schemas.SetIn(candidates=read.candidates, items=read.items, **fields))


def _batches(comparisons: Sequence[schemas.ComparisonIn]) -> Iterator[Sequence[schemas.ComparisonIn]]:
    for start in range(0, len(comparisons), BATCH):
        yield comparisons[start : start + BATCH]


def _one_leased(sender: Sender, answer: schemas.Assignments) -> PairToJudge | None:
    return next(iter(leased(sender, answer).pairs), None)


def _async_one_leased(sender: AsyncSender, answer: schemas.Assignments) -> AsyncPairToJudge | None:
    return next(iter(async_leased(sender, answer).pairs), None)


# Sets


class SetMethods(Bound[S]):
    read = own_call(calls.get_set)
    update = own_call(by_fields(calls.patch_set, schemas.SetPatch))
    delete = own_call(calls.delete_set)
    restore = own_call(calls.restore_set)
    candidates = own_listing(calls.all_candidates)
    items = own_listing(calls.all_items)
    add_candidates = own_call(_add_candidates)
    next_pair = presented(own_call(_next_pair), _one_leased, _async_one_leased)
    next_pairs = presented(own_call(calls.next_pair), leased, async_leased)
    preview_pairs = own_call(calls.preview_pairs)
    comparisons = own_listing(calls.all_comparisons)
    add_comparisons = own_call(_add_comparisons)
    void = own_call(calls.void)
    restore_comparison = own_call(calls.restore_comparison)
    absolute_scores = own_listing(calls.all_absolute_scores)
    add_absolute_scores = own_call(_add_absolute_scores)
    pooled_evidence = own_listing(calls.all_pooled_evidence)
    add_pooled_evidence = own_call(by_fields(calls.add_pooled_evidence, schemas.PooledEvidenceIn))
    activity = own_call(calls.activity)
    ranking = own_call(calls.ranking)
    summary = own_call(calls.summary)
    ranking_picture = own_call(calls.ranking_picture)
    ranking_latex = own_call(calls.ranking_latex)
    report = own_call(calls.report)
    predict = own_call(calls.predict)
    head_to_head = own_call(calls.head_to_head)
    checks = own_call(calls.checks)
    diagnostics = own_call(calls.diagnostics)
    matrix = own_call(calls.matrix)
    judges = own_call(calls.judges)
    judge = own_call(calls.judge)
    disputes = own_listing(calls.all_disputes)
    pairs = own_listing(calls.all_judged_pairs)
    item_statistics = own_listing(calls.all_item_statistics)
    calibration = own_call(calls.calibration)
    rank_sets = own_call(calls.rank_sets)

    def __init__(self, sender: S, record: schemas.SetOut) -> None:
        super().__init__(sender, record.id)
        self.record = record

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.record.name!r}, {self.id})"


class Set(SetMethods[Sender]):
    """One set of candidates. `record` holds its fields when this object was made, `read()` holds them now.

    Judge it, and read the result:

        pair = sky.next_pair(judge="ada")
        pair.tell(winner="first")
        for pair in sky.next_pairs(judge="ada", count=2).pairs:
            pair.tell(p_first=0.7)
        ranking = sky.ranking(top_k=1)
        print(ranking.ranking[0].key, ranking.confidence)
        picture = sky.ranking_picture(form="png")
        table, report = sky.ranking_latex(), sky.report()
        print(sky.predict(first="kelp", second="fern").p_first_better)
        print(sky.head_to_head(first="kelp", second="fern").sentence)

    Add what was judged elsewhere, and take back a mistake:

        sky.add_comparisons([nextpair.ComparisonIn(first="kelp", second="fern", judge="bea", winner="first")])
        sky.add_absolute_scores([nextpair.AbsoluteScoreIn(candidate="kelp", judge="gpt-4", mean=8, variance=1)])
        sky.void(1, reason="wrong key pressed")
        print(sky.restore_comparison(1).restores, [entry.kind for entry in sky.activity(limit=3).entries])
        print(len(list(sky.comparisons())), len(list(sky.absolute_scores())))
        log = b"".join(sky.export("csv"))

    Check it, and compare a judge with people:

        import itertools

        print([check.name for check in sky.checks().checks], sky.diagnostics().comparisons)
        print(sky.matrix(of="win-rate").keys, [card.judge for card in sky.judges().judges])
        print(sky.judge("ada").summary)
        print(list(sky.disputes()), sky.preview_pairs(count=1).pairs)
        print([pair.surprise for pair in sky.pairs(sort="surprise")], list(sky.item_statistics()))
        both = [
            nextpair.ComparisonIn(first=first, second=second, judge=judge, p_first=0.8)
            for first, second in itertools.combinations(answers, 2)
            for judge in ("gpt-4", "bea")
        ]
        sky.add_comparisons(both)
        print(sky.calibration(judge="gpt-4", reference=["bea"]).temperature)
        print(sky.rank_sets(judge="gpt-4", reference=["bea"]).systems[0].key)

    Copy shared priors from another service:

        sky.add_pooled_evidence(pool="project:colours", sets=12, log_scale={"mean": 0.5, "sd": 0.3})
        print([entry.pool for entry in sky.pooled_evidence()])

    Change it, delete it, or restore it:

        sky.update(name="Sky, round 2", stop=nextpair.Stop(concordance=0.99), goal=nextpair.Goal(top_k=1))
        sky.add_candidates([nextpair.CandidateIn(key="reed", text="It scatters.")])
        print(sky.read().name, [candidate.key for candidate in sky.candidates()], list(sky.items()))
        draft = client.sets.create(name="Draft", question="Which is clearer?")
        draft.delete()
        print([each.record.deleted_at for each in client.sets.list(deleted=True)], draft.restore().name)
    """

    def export(self, form: ExportFormat) -> Iterator[bytes]:
        """Read the whole log in pieces, never all in memory."""
        return self._sender.export(self.id, form)

    def events(self, *, after: int | None = None) -> Iterator[Event]:
        """Read events of the set as they happen, from the one after `after`. A broken stream is opened again."""
        return self._sender.events(self.id, after=after)


class AsyncSet(SetMethods[AsyncSender]):
    """`Set` for asyncio.

    For example:

        async def read_ranking():
            async with nextpair.AsyncClient() as client:
                kept = await client.sets.get(sky.id)
                print((await kept.ranking()).comparisons)

        asyncio.run(read_ranking())
    """

    def export(self, form: ExportFormat) -> AsyncIterator[bytes]:
        """See `Set.export`."""
        return self._sender.export(self.id, form)

    def events(self, *, after: int | None = None) -> AsyncIterator[Event]:
        """See `Set.events`."""
        return self._sender.events(self.id, after=after)


# All of them


class SetCollectionMethods(Resource[S]):
    create = presented(call(of_fields(calls.create_set, schemas.SetIn)), Set, AsyncSet)
    get = presented(call(calls.get_set), Set, AsyncSet)


class SetCollection(SetCollectionMethods[Sender]):
    """The sets of a service: `client.sets`.

    For example:

        client = nextpair.Client()
        sky = client.sets.create(
            name="Sky",
            question="Which answer explains the colour of the sky better?",
            candidates=[{"key": key, "text": text} for key, text in answers.items()],
            project="colours",
            budget=nextpair.Budget(max_comparisons=100),
            selection=nextpair.Selection(random_share=0.1),
            overlap=nextpair.Overlap(share=0.2, judges=2),
        )
        print(client.sets.get(sky.id).record.name, [each.id for each in client.sets.list(project="colours")])

    Several systems over many prompts have outputs for items:

        models = client.sets.create(
            name="Models",
            question="Which answer is better?",
            items=[nextpair.ItemIn(key="q1", prompt="Why is the sky blue?", tags={"topic": "physics"})],
            candidates=[nextpair.CandidateIn(key=key, outputs={"q1": text}) for key, text in answers.items()],
        )
    """

    def create_from(
        self,
        data: Tabular,
        *,
        name: str,
        question: str,
        file: str | None = None,
        system: str | None = None,
        systems: Sequence[str] | None = None,
        prompt: str | None = None,
        output: str | None = None,
        **fields: Any,
    ) -> Set:
        """Create a set from a table: outputs of several systems for several prompts, rival texts, or verdicts.

        For example:

            rows = [{"model": key, "prompt": "Why is the sky blue?", "output": text} for key, text in answers.items()]
            rows += [{**row, "prompt": "Is the sky blue?"} for row in rows]
            outputs = client.sets.create_from(rows, name="Outputs", question="Which answer is better?")

        `data` is a path, bytes with the name of their `file`, a data frame, or dicts, one for each row. A table has a
        row for each output, with its `system` and its `prompt`, or a row for each prompt, with a column for each of
        `systems`. Columns that are not named are recognised; those that have one value for each prompt are its tags.
        `fields` are those of `create`. Raises BadTable for rows that cannot be used, ApiError for a table that cannot.
        """
        name_of_file, contents = file_of(data, file)
        table = calls.read_table(
            contents, file=name_of_file, system=system, systems=systems, prompt=prompt, output=output
        )
        read = self._sender.send(table)
        created = Set(self._sender, self._sender.send(_new_set(read, {"name": name, "question": question, **fields})))
        for batch in _batches(read.comparisons):
            created.add_comparisons(batch)
        return created

    def list(
        self, *, project: str | None = None, status: SetStatus | None = None, deleted: bool = False
    ) -> Iterator[Set]:
        """List sets, oldest first; or only deleted ones that can be restored."""
        for record in self._sender.each(calls.all_sets(project=project, status=status, deleted=deleted or None)):
            yield Set(self._sender, record)


class AsyncSetCollection(SetCollectionMethods[AsyncSender]):
    """`SetCollection` for asyncio."""

    async def create_from(
        self,
        data: Tabular,
        *,
        name: str,
        question: str,
        file: str | None = None,
        system: str | None = None,
        systems: Sequence[str] | None = None,
        prompt: str | None = None,
        output: str | None = None,
        **fields: Any,
    ) -> AsyncSet:
        """See `SetCollection.create_from`."""
        name_of_file, contents = await asyncio.to_thread(file_of, data, file)
        table = calls.read_table(
            contents, file=name_of_file, system=system, systems=systems, prompt=prompt, output=output
        )
        read = await self._sender.send(table)
        record = await self._sender.send(_new_set(read, {"name": name, "question": question, **fields}))
        created = AsyncSet(self._sender, record)
        for batch in _batches(read.comparisons):
            await created.add_comparisons(batch)
        return created

    async def list(
        self, *, project: str | None = None, status: SetStatus | None = None, deleted: bool = False
    ) -> AsyncIterator[AsyncSet]:
        """List sets, oldest first; or only deleted ones that can be restored."""
        async for record in self._sender.each(calls.all_sets(project=project, status=status, deleted=deleted or None)):
            yield AsyncSet(self._sender, record)
