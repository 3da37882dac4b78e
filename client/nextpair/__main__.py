"""The command `nextpair`: that of nextpair-server where it is installed, else what to install."""

import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution

MISSING = (
    "nextpair: only the Python client is installed. The command comes with the server: "
    "pip install 'nextpair-server[all]', or run uvx 'nextpair-server[all]' to start one."
)


def main() -> None:
    """Ends the process."""
    try:
        distribution("nextpair-server")
    except PackageNotFoundError:
        sys.exit(MISSING)
    import_module("app.cli").main()


if __name__ == "__main__":
    main()
