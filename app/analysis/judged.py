"""Verdicts, wherever they come from: all that rankings and checks read beside a posterior."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import isnan
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import InferenceTargetChoice, InferenceTargetName, MethodName

from app.inference.fitting import AbsoluteScores, Published, Repetition
from app.inference.reporting import (
    Obstacle,
    SignalTest,
    Target,
    is_decided,
    judged_of,
    resolve,
    signal_of,
    validation_by_people,
)
from app.inference.targets import Quantity
from app.inference.types import Bools, Comparisons, Floats, Ints
from app.sentences.inference_targets import obstacle

NO_SET = UUID(int=0)  # the `set_id` of a file
UNKNOWN_SIGNAL = SignalTest(1.0, "not-yet", verdicts=0)


class Impossible(ValueError):
    """This cannot be answered from what was judged; `field` is what was asked for in vain."""

    def __init__(self, field: str, fault: object) -> None:
        super().__init__(f"{field}: {fault}.")
        self.field, self.fault = field, str(fault)


@dataclass(frozen=True)
class JudgedLog:
    """K comparisons of N candidates by J judges, as they came and as they count."""

    keys: Sequence[str]  # (N,)
    judges: Sequence[str]  # (J,) names
    people: Bools  # (J,) which of them are people
    verdicts: Comparisons  # p and weight as they came
    answers: Comparisons  # p tempered, by the verdict weights of the set
    item: Ints  # (K,) what each was about
    has: Bools  # (I, N) which candidates have an output for an item
    prompts: int  # 0 of texts
    absolute: AbsoluteScores
    quantity_by: Callable[[Published, InferenceTargetName, bool], Quantity]  # raises ValueError where it is unknown
    repetition_by: Callable[[], Repetition]  # of the judges, by the posterior of all pairs
    outputs: Callable[[str], Floats | None] = lambda _: None  # (I, N) a covariate by its name, NaN where it is unknown
    tags: Sequence[Mapping[str, str]] = ()  # (I,) of each item: value by name; empty where nothing has any
    times: Ints | None = None  # (K,) how many rows each stands for, where rows were put together
    unnamed: Bools | None = None  # (J,) which of them are nobody; by default all have names
    order_chance: Floats | None = None  # (K,) with which the order shown was drawn, NaN where nobody knows
    positions: bool = True  # of who is named first; false of lists of winners
    grew: bool = False  # as a log of the service, whose pairs were chosen by it

    @property
    def rows(self) -> int:
        """Comparisons, each by itself."""
        return self.verdicts.size if self.times is None else int(self.times.sum())

    def target(
        self, method: MethodName, own: InferenceTargetChoice = "auto", wanted: InferenceTargetName | None = None
    ) -> Target:
        """The inference target of a ranking by this method; arguments as of `resolve`. Raises Impossible."""
        judged = judged_of(self.answers, self.item, self.has, self.judges, self.people, self.prompts)
        target = resolve(judged, method, own, wanted)
        if isinstance(target, Obstacle):
            raise Impossible("inference_target", obstacle(target, method, judged.judging))
        return target

    def quantity(self, published: Published, target: InferenceTargetName, *, supposing: bool = False) -> Quantity:
        """Quantity that is ranked for this target; with `supposing`, if judges of unknown kind repeat themselves.

        Raises Impossible where this posterior cannot answer it.
        """
        try:
            return self.quantity_by(published, target, supposing)
        except ValueError as error:
            raise Impossible("inference_target", error) from None

    def signal(self, target: InferenceTargetName) -> SignalTest:
        """Evidence that verdicts depend on what is compared: of prompts to come, where the target is about them.

        None is known where rows were put together. Of all pairs, it does not matter to judges who repeat themselves.
        """
        if self.times is not None:
            return UNKNOWN_SIGNAL
        signal = self._signal_of(target == "new-items")
        if signal.claimed or target != "all-pairs" or not self.answers.size:
            return signal
        return signal._replace(case="as-judged") if self.repetition.is_taken(self.people) else signal

    def is_decided(self, best_first: Ints) -> bool:
        """Whether the order of texts is all that judges who repeat themselves said, with nothing left to ask."""
        are_texts = not self.prompts and self.times is None and len(self.keys) > 2
        return are_texts and is_decided(self.answers, best_first) and self.repetition.is_taken(self.people)

    def states_chances(self, target: InferenceTargetName) -> bool:
        """Whether rankings state chances and tell candidates apart: where there is signal, or none can be known."""
        return self.times is not None or self.signal(target).claimed

    def present_signal(self, target: InferenceTargetName) -> schemas.Signal:
        """Evidence of signal, as the API has it."""
        signal = self.signal(target)
        return schemas.Signal(**signal._asdict(), claimed=signal.claimed)

    @cached_property
    def repetition(self) -> Repetition:
        """What is known of the judges' repeating themselves."""
        return self.repetition_by()

    def present_repeats(self) -> dict[str, schemas.Repetition]:
        """What is known of it of those who compared and are no people, by name."""
        known, shown = self.repetition, np.unique(self.answers.judge[~self.people[self.answers.judge]]).tolist()
        return {
            self.judges[judge]: schemas.Repetition(
                known=None if isnan(known.before[judge]) else float(known.before[judge]),
                repeats=int(known.repeats[judge]),
                alike=int(known.alike[judge]),
                swaps=int(known.swaps[judge]),
                swaps_alike=int(known.swaps_alike[judge]),
                probability=float(known.probability[judge]),
            )
            for judge in shown
        }

    @cached_property
    def _signal_of(self) -> Callable[[bool], SignalTest]:
        return cache(
            lambda is_new: signal_of(
                self.verdicts,
                len(self.keys),
                self.item,
                self.order_chance,
                new_items=is_new,
                grew=self.grew,
                unnamed=self.unnamed,
                positions=self.positions,
            )
        )

    def validation(self, level: float) -> schemas.Validation:
        """Subject of the confidence, and what people say of the same pairs; unknown where rows were put together."""
        if self.times is not None:
            return schemas.Validation(about=schemas.ABOUT_CONFIDENCE, agreement_with_people=None, temperature=None)
        agreed, fits = validation_by_people(self.verdicts, self.item, self.people, level)
        temperatures = {
            self.judges[judge]: schemas.Temperature(
                temperature=fit.temperature, verdicts=fit.verdicts, at_bound=fit.at_bound
            )
            for judge, fit in fits.items()
        }
        return schemas.Validation(
            about=schemas.ABOUT_CONFIDENCE,
            agreement_with_people=agreed
            and schemas.AgreementWithPeople(pairs=agreed.cases, share=agreed.share, interval=agreed.interval),
            temperature=temperatures or None,
        )
