"""A report as PDF, printed by the Chromium of this machine."""

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SECONDS = 120


class CannotPrint(RuntimeError):
    """There is no Chromium, or it printed nothing."""

    exit_code = 1


def write(report: Path, pdf: Path) -> None:
    """Print an HTML file. Raises CannotPrint."""
    program = os.environ.get("NEXTPAIR_CHROMIUM") or next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        raise CannotPrint(
            f"A PDF needs Chromium, and none is installed. Set NEXTPAIR_CHROMIUM to its path, or open {report} in a "
            "browser and print it."
        )
    with TemporaryDirectory() as profile:
        unsandboxed = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        command = [
            program, "--headless", "--disable-gpu", "--no-pdf-header-footer", f"--user-data-dir={profile}",
            *unsandboxed, f"--print-to-pdf={pdf.resolve()}", report.resolve().as_uri(),
        ]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CannotPrint(f"{program} did not print: {error}. Open {report} in a browser and print it.") from None
    if done.returncode or not pdf.exists():
        raise CannotPrint(f"{program} did not print (exit code {done.returncode}). Open {report} in a browser instead.")
