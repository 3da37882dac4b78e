"""One example for every request and response of the OpenAPI document, by the name of its model."""

from typing import Any

SET_ID = "8f14e45f-ceea-467f-9a5d-3e1f5b7f2c11"
ASSIGNMENT_ID = "3c59dc04-8e88-4502-b3d5-1a6d0f8a9e21"
THEN = "2026-11-20T12:00:00Z"
SELECTION = {"criterion": "knowledge", "epsilon": 0.5, "random_share": 0.0, "batch": "greedy", "seed": 0}
QUESTION = "Which answer explains it better to a ten-year-old?"
SET: dict[str, Any] = {
    "id": SET_ID, "name": "Why is the sky blue?", "question": QUESTION, "attribute": "clarity", "context": None,
    "expert": "soft-bt", "expert_parameters": {}, "prior": "unit", "prior_variance": 1.0, "selection": SELECTION,
    "inference_target": "auto",
    "order": "balanced", "position_bias": "estimate", "absolute_scale": "estimate", "temperatures": {"gpt-4": 1.6},
    "evidence": "learnt",
    "budget": {"max_comparisons": 200}, "stop": {"top_k": 1, "rank_width": None, "entropy_change": None,
    "concordance": None, "goal": None, "error_level": 0.05}, "overlap": {"share": 0.2, "judges": 2},
    "goal": {"top_k": 1, "against": None, "pair": None}, "project": "sky", "pool_by": "project",
    "metadata": {}, "version": 0, "comparisons": 0, "absolute_scores": 0,
    "candidates": 2, "items": 0, "status": "open", "created_at": THEN,
}  # fmt: skip
CANDIDATES = [
    {"key": "kelp", "text": "Sunlight is a mix of colours, and air scatters blue the most."},
    {"key": "rowan", "text": "Because the sea is blue and the sky is its mirror."},
]
WHY = {
    "criterion": "knowledge", "score": 8.1, "mean_difference": 0.31, "sd_difference": 0.88,
    "probability_of_reordering": 0.36, "propensity": 1.0, "random": False,
}  # fmt: skip
PAIR = {"item": None, "first": CANDIDATES[0], "second": CANDIDATES[1], "why": WHY}
ASSIGNMENT = {
    **PAIR, "id": ASSIGNMENT_ID, "set_id": SET_ID, "question": QUESTION, "context": None, "judge": "alice",
    "expires_at": THEN, "generation": 1,
}  # fmt: skip
COMPARISON = {
    "seq": 1, "set_id": SET_ID, "item": None, "first": "kelp", "second": "rowan", "p_first": 0.83, "winner": None,
    "weight": 1.0, "judge": "alice", "client_id": None, "assignment_id": ASSIGNMENT_ID, "late": False,
    "label_mass": 0.98, "latency_ms": 120.0, "raw": None, "created_at": THEN, "voided_by": None,
}  # fmt: skip
RANKS = [
    {"key": "kelp", "rank": 1, "score": 0.12, "sd": 0.93, "interval": [-1.7, 1.94], "rank_interval": [1, 2],
     "p_best": 0.57, "p_top_k": 0.57, "tie_group": 1, "comparisons": 1, "component": 0,
     "win_rate": 0.56, "win_rate_interval": [0.14, 0.91]},
    {"key": "rowan", "rank": 2, "score": -0.12, "sd": 0.93, "interval": [-1.94, 1.7], "rank_interval": [1, 2],
     "p_best": 0.43, "p_top_k": 0.43, "tie_group": 1, "comparisons": 1, "component": 0,
     "win_rate": 0.44, "win_rate_interval": [0.09, 0.86]},
]  # fmt: skip
INFERENCE_TARGET = {
    "name": "all-pairs", "sentence": "By the only pair, as gpt-4 judged them.", "also": ["latent"],
}  # fmt: skip
BIASES = {
    "gpt-4": {
        "delta": 0.31,
        "sd": 0.12,
        "comparisons": 60,
        "discrimination": None,
        "discrimination_sd": None,
        "warning": None,
    }
}
JUDGE = {
    "name": "gpt-4", "kind": "llm", "model": "gpt-4-0125-preview", "cost_per_1000": 12.5, "created_at": THEN,
}  # fmt: skip
HELD_OUT = {"comparisons": 20, "agreement": 0.85, "log_loss": 0.41}
REJECTION = [
    {"rejected": 0.0, "verdicts": 60, "accuracy": 0.73}, {"rejected": 0.5, "verdicts": 30, "accuracy": 0.87},
]  # fmt: skip
TOLD = {
    "seq": 9, "set_id": SET_ID, "pool": "project:sky", "sets": 12, "log_scale": {"mean": 1.1, "sd": 0.5},
    "log_noise": {"gpt-4": {"mean": -0.9, "sd": 0.4}}, "log_effects": {"gpt-4": {"mean": -0.5, "sd": 0.4}},
    "created_at": THEN,
}  # fmt: skip
RELIABILITY = {"low": 0.6, "high": 0.633, "verdicts": 9, "confidence": 0.61, "accuracy": 0.67}

EXAMPLES: dict[str, Any] = {
    "SetIn": {
        "name": SET["name"], "question": QUESTION, "attribute": "clarity", "candidates": CANDIDATES,
        "budget": {"max_comparisons": 200}, "stop": {"top_k": 1}, "goal": {"top_k": 1}, "position_bias": "estimate",
    },
    "SetPatch": {"status": "paused"},
    "SetOut": SET,
    "SetPage": {"sets": [SET], "next_after": None},
    "CandidatesIn": {"candidates": CANDIDATES},
    "CandidatesAdded": {"created": 2, "updated": 0, "candidates": 2},
    "ItemPage": {"items": [{"key": "sky", "prompt": "Why is the sky blue?"}], "next_after": None},
    "CandidatePage": {
        "candidates": [{**c, "outputs": None, "metadata": {}} for c in CANDIDATES], "next_after": None,
    },
    "Ask": {"judge": "alice", "count": 1},
    "AskMany": {"judge": "llama-70b", "count": 256},
    "RenewMany": {"assignments": ["0b0f8b0e-7c1f-4e0c-9a0e-3f1c2d4e5a6b"], "lease_seconds": 120},
    "Held": {"held": [{
        "id": "0b0f8b0e-7c1f-4e0c-9a0e-3f1c2d4e5a6b", "status": "leased", "expires_at": "2026-01-01T12:02:00Z"
    }]},
    "ReleaseMany": {"assignments": ["0b0f8b0e-7c1f-4e0c-9a0e-3f1c2d4e5a6b"]},
    "Released": {"released": 1},
    "Assignments": {"status": "open", "assignments": [ASSIGNMENT], "left_out": []},
    "Preview": {"status": "open", "pairs": [PAIR]},
    "Renewal": {"lease_seconds": 600.0, "generation": 1},
    "Release": {"generation": 1},
    "Lease": {"id": ASSIGNMENT_ID, "status": "leased", "expires_at": THEN},
    "VerdictIn": {"p_first": 0.83, "generation": 1, "label_mass": 0.98, "latency_ms": 120.0},
    "VerdictsIn": {
        "verdicts": [
            {"assignment_id": ASSIGNMENT_ID, "generation": 1, "logprobs": {"first": -0.2, "second": -1.8}},
        ]
    },
    "VerdictResults": {"results": [{"assignment_id": ASSIGNMENT_ID, "status": 201, "comparison": COMPARISON}]},
    "ComparisonsIn": {
        "comparisons": [
            {"client_id": "run-7/0001", "first": "kelp", "second": "rowan", "winner": "first", "judge": "gpt-4"}
        ]
    },
    "ComparisonsAccepted": {"accepted": 1, "duplicates": 0, "version": 1},
    "Comparison": COMPARISON,
    "ComparisonPage": {"comparisons": [COMPARISON], "next_after": None},
    "VoidIn": {"reason": "clicked the wrong side"},
    "Void": {"seq": 2, "set_id": SET_ID, "voids": 1, "reason": "clicked the wrong side", "created_at": THEN},
    "Ranking": {
        "set_id": SET_ID, "version": 1, "newer_version": None,
        "method": {
            "name": "soft-bt", "expert": "soft-bt", "expert_parameters": {}, "prior": "unit", "prior_variance": 1.0,
            "position_bias": "estimate", "evidence": "learnt", "absolute_scale": "estimate",
            "temperatures": {"gpt-4": 1.6}, "level": 0.95, "top_k": 1, "epsilon": 0.0,
        },
        "inference_target": INFERENCE_TARGET,
        "convergence": {
            "converged": True, "iterations": 3, "gradient_norm": 4.1e-12, "message": "The fit converged.",
        },
        "comparisons": 1, "components": 1, "entropy": 2.7,
        "sureness": {
            "concordance": 0.57, "pairs": 1, "interval": [0.0, 1.0],
            "forecast": [{"comparisons": 2, "concordance": 0.6}, {"comparisons": 4, "concordance": 0.66}],
        },
        "certainty": {
            "about": "A ranking's certainty is about what judges prefer, not about the truth.",
            "agreement_with_people": {"pairs": 120, "share": 0.78, "interval": [0.7, 0.84]},
            "temperature": {"gpt-4": {"temperature": 1.6, "verdicts": 120, "at_bound": False}},
        },
        "signal": {"e_value": 0.73, "claimed": False, "verdicts": 1},
        "first_place": "kelp leads, but the verdicts are still consistent with random judging.",
        "position_bias": BIASES, "tastes": None, "evidence": {"scale": 0.8, "votes": {"gpt-4": 6.1}},
        "absolute_scores": {"gpt-4": {"c0": -3.9, "c1": 0.6, "settled": True}}, "held_out": HELD_OUT,
        "stopping": {"converged": False, "reason": None, "forecast": 41}, "ranking": RANKS,
    },
    "AbsoluteScoresIn": {
        "scores": [
            {"candidate": "kelp", "judge": "gpt-4", "probabilities": {"6": 0.1, "7": 0.6, "8": 0.3}},
            {"candidate": "rowan", "judge": "gpt-4", "mean": 5.1, "variance": 0.4},
        ]
    },
    "AbsoluteScoresAccepted": {"accepted": 2, "version": 3},
    "AbsoluteScorePage": {
        "scores": [
            {"seq": 2, "set_id": SET_ID, "item": None, "candidate": "kelp", "judge": "gpt-4", "mean": 7.2,
             "variance": 0.36, "probabilities": {"6": 0.1, "7": 0.6, "8": 0.3}, "created_at": THEN},
        ],
        "next_after": None,
    },
    "PooledEvidenceIn": {name: TOLD[name] for name in ("pool", "sets", "log_scale", "log_noise", "log_effects")},
    "PooledEvidence": TOLD,
    "PooledEvidencePage": {"entries": [TOLD], "next_after": None},
    "Diagnostics": {
        "set_id": SET_ID, "version": 1, "newer_version": None, "comparisons": 1, "components": 1,
        "cycles": {"triads": 0, "cyclic": 0, "share": None},
        "repeats": {
            "same_order": {"pairs": 4, "share": 1.0}, "swapped": {"pairs": 12, "share": 0.75}, "first_both": 0.25,
            "second_both": 0.0,
        },
        "agreement": {"pairs": 20, "share": 0.8},
        "order_balance": {"worst": 1, "mixed": 0.92, "first_picked": 0.56},
        "position_bias": BIASES,
        "judges": {
            "gpt-4": {
                "comparisons": 60, "failures": {"refused": 2}, "failure_rate": 0.03, "first_picked": 0.56,
                "delta": 0.24,
            }
        },
        "held_out": HELD_OUT,
        "history": [{"version": 1, "comparisons": 1, "entropy": 2.7, "concordance": 0.57, "rank_correlation": 1.0}],
    },
    "Trust": {
        "set_id": SET_ID, "version": 1, "newer_version": None,
        "checks": [{"name": "Connected", "verdict": "holds", "figure": "1 part",
                    "says": "Every candidate can be compared with every other, directly or not."}],
    },
    "Matrix": {"set_id": SET_ID, "version": 1, "of": "observed", "keys": ["kelp", "rowan"], "cells": "/6Yi/w=="},
    "Calibration": {
        "set_id": SET_ID, "version": 1, "judge": "gpt-4", "reference": ["alice"], "objective": "log-loss",
        "verdicts": 60, "temperature": 1.6, "at_bound": False,
        "before": {"log_loss": 0.71, "ece": 0.12, "biased_ece": 0.16},
        "after": {"log_loss": 0.63, "ece": 0.04, "biased_ece": 0.07},
        "reliability": [RELIABILITY], "reliability_after": [RELIABILITY],
        "rejection": REJECTION, "reason": None,
    },
    "JudgeIn": {"kind": "llm", "model": "gpt-4-0125-preview", "cost_per_1000": 12.5},
    "JudgeOut": JUDGE,
    "JudgePage": {"judges": [JUDGE], "next_after": None},
    "Judges": {
        "set_id": SET_ID, "version": 62, "method": "dawid-skene",
        "convergence": {"converged": True, "iterations": 9, "gradient_norm": 4.1e-7, "message": "The fit converged."},
        "people": {
            "summary": "The majority agrees with people in 71% (56% to 82%) of 42 labelled items; the best judge, "
            "gpt-4, in 86% (72% to 93%) of 42. Weigh them by dawid-skene: 88% (75% to 95%) of labels that it has not "
            "seen.",
            "pairs": 42, "among_themselves": {"pairs": 8, "share": 0.88, "interval": [0.53, 0.98]},
            "ways": {"dawid-skene": {"pairs": 42, "share": 0.88, "interval": [0.75, 0.95]}},
            "judge_next": [{"item": None, "first": "kelp", "second": "rowan"}],
        },
        "warnings": ["coin is as good as chance by people's labels (skill 0.02)."],
        "judges": [{
            "judge": "gpt-4", "kind": "llm", "model": "gpt-4-0125-preview", "comparisons": 60, "cost": 0.78,
            "median_latency_ms": 210.0, "failures": {"refused": 2}, "failure_rate": 0.03, "skill": 0.71,
            "agreement_with_people": {"pairs": 42, "share": 0.86, "interval": [0.72, 0.93]},
            "agreement": {"pairs": 20, "share": 0.8}, "same_order": {"pairs": 4, "share": 1.0},
            "swapped": {"pairs": 12, "share": 0.75},
            "position_bias": BIASES["gpt-4"] | {"discrimination": 1.2, "discrimination_sd": 0.1},
            "tastes": {"sd": 0.4, "departures": [{"key": "kelp", "departure": 0.31, "sd": 0.12}]},
            "accord": {"overall": 0.94, "since": 80, "before": 0.98, "after": 0.9, "named": None},
            "influence": {"rank_correlation": 0.98, "largest_move": 1, "changes_top": False},
        }],
        "agreement": [
            {"judges": ["alice", "gpt-4"], "pairs": 20, "share": 0.8, "kappa": 0.6,
             "kappa_interval": [0.16, 0.84]},
        ],
        "alpha": {"value": 0.61, "interval": [0.19, 0.84], "pairs": 20, "drawn": True},
        "verdicts": [{"item": None, "first": "kelp", "second": "rowan", "p_first": 0.91, "p_tie": None, "judges": 2}],
    },
    "AggregationIn": {
        "classes": ["A", "B", "tie"],
        "items": [
            {"item": "q1", "answers": {"gpt-4": "A", "llama-70b": "A", "qwen-72b": "tie"}, "labels": {"alice": "A"}},
            {"item": "q2", "answers": {"gpt-4": "B", "llama-70b": "A", "qwen-72b": None}},
        ],
    },
    "Aggregation": {
        "method": "dawid-skene", "converged": True, "classes": {"A": 2, "B": 0, "tie": 0},
        "people": "The majority agrees with people in 71% (56% to 82%) of 42 labelled items; the best judge, gpt-4, in "
        "86% (72% to 93%) of 42. Weigh them by dawid-skene: 88% (75% to 95%) of labels that it has not seen.",
        "alpha": {"value": 0.48, "interval": [0.31, 0.63], "items": 120},
        "warnings": ["llama-70b is as good as chance by people's labels (skill 0.02)."], "label_next": ["q2"],
        "ways": {"dawid-skene": {"items": 42, "share": 0.88, "interval": [0.75, 0.95]}},
        "judges": [{
            "judge": "gpt-4", "votes": 120, "agreement": 0.93,
            "confusion": {
                "A": {"A": 0.85, "B": 0.1, "tie": 0.05}, "B": {"A": 0.1, "B": 0.85, "tie": 0.05},
                "tie": {"A": 0.2, "B": 0.2, "tie": 0.6},
            },
            "with_people": 0.86, "interval": [0.72, 0.93], "labelled": 42,
        }],
        "items": [
            {"item": "q1", "verdict": "A", "p": {"A": 1.0, "B": 0.0, "tie": 0.0}},
            {"item": "q2", "verdict": "A", "p": {"A": 0.55, "B": 0.4, "tie": 0.05}},
        ],
    },
    "DisputePage": {
        "disputes": [{
            "seq": 41, "item": None, "first": CANDIDATES[0], "second": CANDIDATES[1], "verdicts": [
                {"judge": "alice", "kind": "human", "p_first": 1.0, "winner": "first"},
                {"judge": "gpt-4", "kind": "llm", "p_first": 0.31, "winner": "second"},
            ],
        }],
        "next_after": None,
    },
    "RankSets": {
        "judge": "gpt-4", "tuned_lambda": 0.3, "instances_by_both": 990, "instances_by_judge": 5346,
        "set_id": SET_ID, "version": 6336, "alpha": 0.05, "covariance": "sandwich", "simultaneous": "contrasts",
        "reference": ["alice"],
        "judges": [
            {"judge": "gpt-4", "tuned_lambda": 0.3, "instances_by_both": 990, "instances_by_judge": 5346},
        ],
        "pairs_unseen": 0, "people_saved": 110,
        "systems": [{
            "key": "kelp", "theta": 0.71, "sd": 0.03, "ranks": [1, 4],
            "by_people": {"theta": 0.7, "sd": 0.035, "ranks": [1, 4]},
            "by_judge": {"theta": 0.8, "sd": 0.012, "ranks": [1, 1]},
            "by_judges": [{"theta": 0.8, "sd": 0.012, "ranks": [1, 1]}],
        }],
    },
    "Prediction": {
        "set_id": SET_ID, "version": 1, "first": "kelp", "second": "rowan", "inference_target": INFERENCE_TARGET,
        "p_first_better": 0.57, "mean_difference": 0.24, "sd_difference": 1.34,
    },
    "Alive": {"status": "ok", "version": "0.1.0"},
    "Ready": {"status": "ready", "migration": "0002"},
}  # fmt: skip
