"""The `nextpair` command, by what a person does: files, simulation, service, worker. Each command is one function.

It reads options and prints; what does the work is imported when a command runs, and lives elsewhere.
"""

from app.cli.entry import main, run, serve

__all__ = ["main", "run", "serve"]
