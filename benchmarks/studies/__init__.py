"""Studies of methods, judges and coverage: the tables and figures of the docs."""
