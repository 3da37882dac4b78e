"""Matrices in place: the same as numpy's, and other threads go on meanwhile."""

import time
from threading import Event, Thread

import numpy as np
import pytest

from app.inference.gaussian.lapack import factor_in_place, invert_in_place
from app.inference.types import Floats


def positive(n: int) -> Floats:
    a = np.random.default_rng(n).normal(size=(n, n))
    return a @ a.T + n * np.eye(n)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 130])
def test_upper_triangles_are_those_of_numpy(n: int) -> None:
    matrix = positive(n)
    expected = np.linalg.cholesky(matrix).T, np.triu(np.linalg.inv(matrix))

    factor_in_place(matrix)
    np.testing.assert_allclose(np.triu(matrix), expected[0], rtol=1e-12, atol=1e-12)
    invert_in_place(matrix)
    np.testing.assert_allclose(np.triu(matrix), expected[1], rtol=1e-12, atol=1e-14)


def test_what_is_not_positive_definite_is_refused() -> None:
    with pytest.raises(np.linalg.LinAlgError):
        factor_in_place(np.array([[1.0, 2.0], [2.0, 1.0]]))


def test_other_threads_go_on_meanwhile() -> None:
    matrix, began, ended = 2.0 * np.eye(2500), Event(), Event()

    def work() -> None:
        began.set()
        factor_in_place(matrix)
        ended.set()

    thread, turns = Thread(target=work), 0
    thread.start()
    began.wait()
    while not ended.is_set():
        time.sleep(0.001)
        turns += 1
    thread.join()
    assert turns >= 3
