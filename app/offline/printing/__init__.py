"""Results on stdout: tables for people, JSON and CSV for programs; a module for each command, with a `show`.

Not here: what is shown, which the modules of the same names in `app.offline` compute.
"""

from typing import Literal

Format = Literal["table", "json", "csv"]
