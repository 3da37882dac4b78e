"""The page of file columns, from the tables that readers and writers use."""

from app.files import exports, names, outcomes, pairs, rankings
from docs.markdown import code, table

INTRODUCTION = """# File columns

Files are CSV, TSV, JSON, JSON Lines (each with or without `.gz`) or Parquet. The first row of CSV and TSV has the names
of the columns. Where you name no column, these names are recognised; the first that exists is used. An option names any
other column. Case, blanks, `_` and `-` make no difference to a name: `Prompt ID` is `prompt_id`.

## Files in
"""
WINNERS = """### Words of `winner`

Case, blanks, `_` and `-` make no difference. A number between 0 and 1 is a probability: put it into `p_first`.

A column has one reading. Where candidates are called `A` or `tie`, all its words are keys, or all are words of this
table: whichever fits more rows. `--skip-empty` skips rows whose cell is empty, `skip` or `none`, and prints their
number.
"""
FILES_OUT = """## Files out

### Ranking

`nextpair rank --format csv` and `GET /v1/sets/{id}/ranking?format=csv` have a row for each candidate, best first.
Columns of `--group-by` or of a tag come first. With `by=TAG`, `departs_p` follows: the p-value of the test that the
slice differs. The last two say what the ranking comes from.
"""
LOG = """### Log

`nextpair export` and `GET /v1/sets/{id}/comparisons?format=csv` have a row for each comparison, oldest first. Behind
them are the outputs that no comparison that counts is about: `first` is the candidate, `item` the item, and `seq` and
`second` are empty.
"""
VERDICTS = """### Verdicts of a model

`nextpair judge` writes Parquet files with a row for each verdict. Other columns of the pairs are copied, except texts.
"""
IN_RANKING = {
    "rank": "Place, best first; shared where scores are equal.",
    "key": "The candidate.",
    "score": "On the scale of the ranking.",
    "sd": "Standard deviation of the score.",
    "interval": "Interval of the score at the level of the ranking.",
    "rank_interval": "Rank interval; these hold for all candidates together.",
    "p_best": "P(best): probability that the candidate is the best.",
    "p_top_k": "Probability of being among the first *k*.",
    "tie_group": "Candidates of a group are not distinguished from its first.",
    "comparisons": "Comparisons of the candidate.",
    "component": "Scores of different components cannot be compared.",
    "win_rate": "Expected share of wins against the others.",
    "win_rate_interval": "Its interval.",
    "against.difference": "Score less that of the baseline.",
    "against.interval": "Its interval.",
    "against.p_better": "Probability of being better than the baseline.",
    "against.win_rate": "Expected share of wins against the baseline.",
    "against.win_rate_interval": "Its interval.",
}
IN_ORIGIN = ("Version of the log; of a file, its number of rows.", "Method of the ranking.")
IN_LOG = {
    "seq": "Place in the log.",
    "set_id": "The set.",
    "assignment_id": "The assignment, of a comparison that was asked.",
    "client_id": "Your id, of a comparison that you added.",
    "item": "What was judged.",
    "first": "The candidate shown first.",
    "second": "The candidate shown second.",
    "judge": "Who judged.",
    "winner": "The verdict as a word.",
    "p_first": "Probability that the first is better.",
    "weight": "How many votes it stands for.",
    "late": "Whether it came after its lease had ended.",
    "label_mass": "Probability that the model gave to the labels together.",
    "latency_ms": "Time that the judge took, in milliseconds.",
    "raw": "What the judge sent with it, as JSON.",
    "created_at": "When it was added.",
    "voided_by": "Place of the entry that took it back.",
    "restores": "Place of the voided entry that this one restores.",
    "void_reason": "Why it was taken back.",
    "order_chance": "Chance with which the order shown was drawn, where it is known.",
}
IN_VERDICTS = {
    "first": "Key of the text shown first.",
    "second": "Key of the text shown second.",
    "judge": "Name of the judge.",
    "p_first": "Probability that the first is better; empty after a failure.",
    "label_mass": "Probability that the model gave to the labels together.",
    "tokens": "Length of the prompt.",
    "failure": "`refused`, `parse_error` or `timeout`.",
    "reason": "Why it failed.",
    "model": "The model.",
    "template": "The template of the prompt.",
}


def page() -> str:
    """Write the page."""
    lines = [INTRODUCTION]
    for kind, columns in names.RECOGNISED.items():
        rows = [[each.holds, ", ".join(map(code, each.names)), code(each.option)] for each in columns]
        lines += [f"### {kind}\n", table(["holds", "names", "option"], rows), ""]
    words = [[code(verdict), ", ".join(map(code, read_as))] for verdict, read_as in outcomes.READ_AS.items()]
    lines += [WINNERS, table(["verdict", "words in the file"], words), ""]
    ranking = [[", ".join(map(code, each.names)), IN_RANKING[each.field]] for each in rankings.IN_CSV]
    ranking += [[code(each), meaning] for each, meaning in zip(rankings.ORIGIN, IN_ORIGIN, strict=True)]
    lines += [FILES_OUT, table(["column", "meaning"], ranking), ""]
    lines += [LOG, _columns(exports.COLUMNS, IN_LOG), "", VERDICTS, _columns(list(pairs.VERDICT), IN_VERDICTS), ""]
    return "\n".join(lines)


def _columns(columns: list[str], meanings: dict[str, str]) -> str:
    return table(["column", "meaning"], [[code(each), meanings[each]] for each in columns])
