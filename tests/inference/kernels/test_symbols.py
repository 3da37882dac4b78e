"""Symbols of kernels: in the cache on disk they meet those that other processes compiled."""

import subprocess
import sys

COMPILED = """
from app.inference.kernels import kernel
plus_one = kernel(lambda x: x + 1)
plus_one(1)
print(*(each.fndesc.mangled_name for each in plus_one.overloads.values()))
"""


def test_no_two_processes_give_functions_the_same_symbol() -> None:
    """Whoever loaded both would run one for the other: numba issue 10486."""
    symbols = [subprocess.check_output([sys.executable, "-c", COMPILED], text=True).strip() for _ in range(2)]
    assert all(symbols)
    assert symbols[0] != symbols[1]
