"""What people bring in files and take away in them: tables of comparisons, candidates and values; exports and pictures.

Nothing here knows the service, the database or the numerics. What is computed from a file is in `app.offline`.
"""
