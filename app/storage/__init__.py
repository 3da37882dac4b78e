"""SQL only: functions of a connection that return rows and never commit."""
