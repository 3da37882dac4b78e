"""The command `nextpair`: that of nextpair-server where it is installed, else what to install."""

import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution

from nextpair.words import INSTALL

MISSING = f"nextpair: only the Python client is installed. The command comes with nextpair-server. {INSTALL}"


def main() -> None:
    """Ends the process."""
    try:
        distribution("nextpair-server")
    except PackageNotFoundError:
        sys.exit(MISSING)
    import_module("app.cli").main()


if __name__ == "__main__":
    main()
