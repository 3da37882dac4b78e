"""How to cite nextpair, as CITATION.cff has it."""

TITLE = "nextpair: ranking texts, models and systems by pairwise comparison"
AUTHOR = "The nextpair contributors"
YEAR = "2026"
ADDRESS = "https://github.com/nextpair/nextpair"


def bibtex(version: str) -> str:
    """The entry of a version."""
    return f"""@software{{nextpair,
  title   = {{{TITLE}}},
  author  = {{{{{AUTHOR}}}}},
  version = {{{version}}},
  year    = {{{YEAR}}},
  url     = {{{ADDRESS}}}
}}"""
