"""What the garbage collector need not look at."""

import gc

YOUNG = 20_000  # objects made before the collector looks at them; a request over many sets makes as many


def settle() -> None:
    """To be called when a process has started: what is there now stays, and only what comes later is looked at."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, 10, 10)
