"""The sections of docs/appendix/benchmarks.md, in their order."""

from functools import partial

from benchmarks.studies.methods import (
    ablations,
    calibration,
    criteria,
    differences,
    experts,
    position_bias,
    scoring,
    sorting,
    stories,
    symmetry,
)
from benchmarks.studies.methods.data import HANNA, SUMMEVAL, TOPICALCHAT, VICUNA
from benchmarks.studies.methods.page import Section

SECTIONS = (
    Section("summeval", ("summeval",), partial(criteria.write, SUMMEVAL)),
    Section("topicalchat", ("topicalchat",), partial(criteria.write, TOPICALCHAT)),
    Section("hanna", ("hanna",), partial(criteria.write, HANNA)),
    Section("vicuna", ("prd_vicuna80",), partial(criteria.write, VICUNA)),
    Section("stories", ("hanna",), stories.write),
    Section("symmetry", ("hanna",), symmetry.write),
    Section("scoring", ("summeval",), scoring.write),
    Section("ablations", ("summeval",), ablations.write),
    Section("sorting", (), sorting.write),
    Section("experts", ("summeval",), experts.write),
    Section("calibration", ("summeval",), calibration.write),
    Section("differences", (), differences.write),
    Section("bias", ("summeval",), position_bias.write),
)
