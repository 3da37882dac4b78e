"""Files that people bring and take away: tables of comparisons, candidates and values; exports and pictures.

Nothing here knows the service, the database or the numerics. What is computed from a file is in `app.offline`.
"""
