"""Lines on stderr that say how far a run is."""

import sys
import time


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)
