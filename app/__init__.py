"""nextpair: rank texts, models and systems by pairwise comparison."""

__version__ = "0.1.0"
