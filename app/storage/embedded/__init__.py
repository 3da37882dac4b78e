"""A private PostgreSQL: its programs, the account that it runs as, its start, and its stop after the last client.

Not here: what is stored in it (the modules above), and whether a service needs one (app.main).
"""
