"""Number of pairs of a sequence that are out of order, compiled, in N log N steps.

kernel        slow formula
inversions    np.triu(values[:, None] > values, 1).sum()
"""

from app.inference.kernels import kernel
from app.inference.types import Ints


@kernel
def inversions(values: Ints) -> int:
    """Pairs i < j with values[i] > values[j], counted while runs of 1, 2, 4, ... are merged."""
    n, total, width = len(values), 0, 1
    run, merged = values.copy(), values.copy()
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            i, j = low, middle
            for k in range(low, high):
                if j == high or (i < middle and run[i] <= run[j]):
                    merged[k] = run[i]
                    i += 1
                else:
                    merged[k] = run[j]
                    total += middle - i
                    j += 1
        run, merged, width = merged, run, 2 * width
    return total
