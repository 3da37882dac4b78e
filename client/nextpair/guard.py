"""Run a command until whoever started this ends, however that ends: its end of our stdin is closed then.

python -m nextpair.guard COMMAND ...
"""

import os
import subprocess
import sys
from threading import Thread


def main() -> None:
    command = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)

    def terminate_at_the_end() -> None:
        os.read(0, 1)  # no file object, whose lock would be held when the interpreter ends
        command.terminate()

    Thread(target=terminate_at_the_end, daemon=True).start()
    sys.exit(command.wait())


if __name__ == "__main__":
    main()
