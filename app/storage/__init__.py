"""SQL: functions of a connection that return rows and never commit; embedded/ runs a private PostgreSQL.

Not here: transactions, which callers begin and commit, and rows as the contract shows them (service.presenting).
"""
