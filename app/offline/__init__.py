"""Commands on files: rank, aggregate, rank-sets and simulate, each a module that loads and computes.

All but simulate answer by `app.analysis`, as the service does.

Not here: how files are read (`app.files`), the numerics (`app.inference`); no service and no database is needed.
"""
