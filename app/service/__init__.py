"""Use cases: one module per thing that a user does, each reading as its steps, and presenting/ for what it answers.

Not here: HTTP (api, web), SQL (storage), numerics (inference, reached by its doors alone).
"""
