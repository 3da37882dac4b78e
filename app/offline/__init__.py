"""Ranking and simulation from files, without a service or a database."""
