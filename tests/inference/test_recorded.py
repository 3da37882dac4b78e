"""Posteriors are those that were recorded: means, sds, a row of the covariance, biases and what was learnt."""

import json
from typing import Any

import numpy as np
import pytest

from tests.inference.recorded import FILE, SIZES, cases, published


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    return json.loads(FILE.read_text())  # type: ignore[no-any-return]  # of the file's making


@pytest.mark.parametrize("n", [n for n, _ in SIZES])
def test_posteriors_are_those_recorded(recorded: dict[str, Any], n: int) -> None:
    for case in cases():
        if case[2] == n:
            columns = published(*case)
            then = recorded["/".join(map(str, case))]
            assert columns.keys() == then.keys()
            atol = 1e-7 if case[0] == "laplace" else 1e-9  # a kink may be met with no slope to spare
            for column, values in columns.items():
                np.testing.assert_allclose(values, then[column], rtol=1e-8, atol=atol, err_msg=f"{case}: {column}")
