"""The page of how to cite, from CITATION.cff."""

import re
from pathlib import Path

CITATION = (Path(__file__).parents[1] / "CITATION.cff").read_text()
PAGE = """# How to cite

Cite the version that you used:

```bibtex
@software{{nextpair,
  title   = {{{title}}},
  author  = {{{{{author}}}}},
  version = {{{version}}},
  year    = {{{year}}},
  url     = {{https://github.com/nextpair/nextpair}}
}}
```

[CITATION.cff](https://github.com/nextpair/nextpair/blob/main/CITATION.cff) has the same for programs. Cite the papers
of the methods that you used as well: [equations](../appendix/equations.md) names them, and
[how nextpair works](../explanation/methods.md#where-it-comes-from) says which methods are ours.

For a figure, `nextpair rank FILE --plot ranking.svg` draws the ranking with its intervals, and the
[tutorial](../tutorial.md#5-share-and-export) shows the other ways to share it.
"""


def page() -> str:
    """Write the page."""
    return PAGE.format(
        title=_field("title"), author=_field("  - name"), version=_field("version"), year=_field("date-released")[:4]
    )


def _field(name: str) -> str:
    found = re.search(rf'^{name}: "?(.+?)"?$', CITATION, re.MULTILINE)
    assert found, f"CITATION.cff has no {name.strip()}"
    return found[1]
