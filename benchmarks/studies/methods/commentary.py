"""The text of docs/benchmarks.md between its tables.

Figures in here were measured once, by trying; the tables around them are measured at every run.
"""

COUNTS = """\
## Comparisons to 90%

As GPM's Table 2: mean ± standard deviation over seeds; a dash where a seed never got there. On Vicuna with one order a
pair there are ten comparisons of five systems, and for most judges not even all ten reach 90% of what both orders give.

T = 0.5 and gpt-4-0314 are here with the first 40 documents and one seed, for every criterion on the same footing; T
= 0.5 with all documents and five seeds is in [selection.md](selection.md). A judge with integer scores (gpt-4-0314
has a single prompt here) ties many texts exactly. The full set reproduces the ties, a partial one cannot, and every
criterion needs most of the 66 pairs: selection hardly helps there.

Round robin and Swiss need no model to choose pairs: round robin meets everyone once, round by round, by the circle
method; Swiss pairs neighbours in the standings who have not met. Their pairs are scored by soft-bt like all others."""

EXPERTS = """\
## Experts

As GPM's Table 1: Spearman correlation (ρ) with people from all of the judge's comparisons, averaged over documents,
and the AUROC of minus the entropy of the posterior as a sign that a document's correlation is above the median; both
times 100.

Where comparisons come from absolute scores by p = sigmoid, every expert puts the candidates in the order of those
scores: such blocks compare judges and entropies, not experts. The chain of verdicts, Vicuna and TopicalChat can tell
experts apart, and there they agree within three points.

The entropy tells another story than in GPM, where sigma-beta has an AUROC of 61 to 66 with real label probabilities.
The curvature of soft-bt, sigma-beta, phi-beta and hard-bt is largest at d = 0, so a document whose candidates the
judge cannot tell apart has the *smallest* entropy, and it is no well ranked one: below 50 means that the sign is
reversed. sigma-gaussian and phi-gaussian hold scores together and gain a little curvature where p is extreme against
d; they point the right way. An expert of constant curvature (gaussian, laplace) gives documents with the same pairs
the same entropy whatever was said, hence 50. On full sets the entropy measures how far the judge spreads the
candidates, not whether it is right."""

ABSOLUTE = """\
### Comparative and absolute together

Mean and variance of gpt-3.5's scores over its prompts enter beside comparisons by `absolute.combine`. The two never
come from the same scores: the verdicts on a chain are calls of their own, in both orders (11 pairs of 66; absolute
scores of all five prompts); where comparisons are derived from scores, those are of two prompts (mcq, rts) and the
absolute scores are of the other three. The entropy of absolute scores alone is that of their variances.

Both together beat either where both are good, by less than a point. Beside the weak chain they do not: its hard
verdicts count as full votes, so that both together lie between the two. The entropy of both together is the best
sign of a good ranking among the posteriors of the Bradley-Terry family."""

BIAS = """\
## Positional bias

One is added to the logits of SummEval's judge, in favour of what is shown first. *Fixed* shows the candidate that
joined the set earlier first in every pair; *both orders* averages the bias away at two calls a pair; *estimated*
makes it one more parameter with a N(0, 100) prior. The first 40 documents, one seed. Balanced orders make ignoring the
bias cheap, and estimating it costs no calls; in a fixed order it must be estimated, and enough pairs of twelve
candidates tell it from merit even so.

In the acceptance table a document alone holds too few comparisons to tell its bias, and has a wide standard error.
The documents of a dimension together come to 0.96."""

REVIEWERS = """\
The estimated bias is that of all questions together, in logits, positive where the first position is favoured.
`both orders` has twice the calls of the others, so its lead is not the bias alone."""

LARGE = """\
## HANNA

1% of N(N-1) is 11,140 comparisons, GPM's count. Greedy batches fantasise every pair before choosing the next; *top b*
takes the best of one list. The bands are over dimensions and seeds. *Hard verdicts* are drawn once for each pair with
the judge's probability p, so that this judge errs as one does who only says who won."""

TRIED = """\
### Why random pairs do so well here, and what was tried

Reordering leads clearly up to about one comparison per story (K = 500 to 1,100) and falls behind random pairs from
about 1.5 on. The comparisons are not to blame alone. On relevance, K = 2,000, batches of 100, the scores agree with
the judge's own (Spearman) at 0.81 for random pairs, 0.75 for reordering and 0.74 for variance, while an unregularised
least-squares fit of the same comparisons gives 0.96 to 0.97 for every one of them. This judge never contradicts
itself, so a connected graph determines its order; but soft-bt takes each p for one vote of weight 0.25 and shrinks
towards the unit prior. Reordering compares near-equals (correlation of the two true scores in a pair 0.67; 0.01 for
random), so that its graph is long: what is known about one end hardly reaches the other, and shrinkage takes the
rest. Random pairs form an expander.

A judge who errs tells another story: with hard verdicts greedy batches are ahead of random pairs at nine K in ten in
batches of 100 and at every K in batches of 400, and ahead of both top-b rivals at every K in batches of 100. In batches
of 400 they are behind top b of reordering, by 0.005 on average. Two seeds cannot settle margins below 0.01.

Tried on relevance, surprise and coherence, with soft answers, one seed, batches of 100, Spearman with people minus
that of random pairs (of the same prior and T) at the same K:

| reordering, greedy, with | K = 500 | 1,100 | 1,500 | 2,000 | 3,000 | 5,000 | K with a lead |
| --- | --- | --- | --- | --- | --- | --- | --- |
| nothing else | +0.060 | +0.016 | -0.003 | -0.018 | -0.009 | -0.002 | 26% |
| a random cycle through all stories first | +0.063 | +0.011 | -0.001 | -0.003 | -0.003 | -0.003 | 32% |
| 30% random pairs | +0.030 | +0.016 | +0.002 | -0.003 | +0.001 | +0.002 | 76% |
| half random pairs | +0.024 | +0.019 | +0.008 | -0.004 | +0.002 | +0.009 | 90% |
| half random pairs, after a random cycle | +0.063 | +0.012 | -0.000 | -0.003 | -0.000 | -0.002 | 48% |
| exponent, half random pairs | +0.024 | +0.025 | +0.006 | -0.005 | -0.003 | +0.002 | 54% |
| means drawn from the posterior | +0.027 | -0.014 | -0.017 | -0.024 | -0.019 | – | 23% (to 3,000) |
| prior variance 10 | +0.060 | -0.008 | -0.025 | -0.017 | -0.009 | – | 27% (to 3,000) |
| T = 0.25 | +0.067 | +0.005 | -0.013 | -0.016 | -0.009 | +0.001 | 44% |
| T = 0.25, half random pairs | +0.027 | +0.022 | +0.014 | +0.007 | +0.016 | +0.011 | 98% |

Half random pairs looked like a cure on these three dimensions. Over all six, in the acceptance table, they are 0.003
ahead of random pairs on average in batches of 100 and 0.005 behind in batches of 400, and nowhere ahead at every K.
No setting that was tried meets the target, so the default stays, and the target stays missed. A curve of soft answers
here is one seed: in the first batches, and where curves have nearly met, the sign of a margin is chance.

A larger floor of equal means (one posterior sd instead of a tenth) does not help small sets enough either:
TopicalChat 5.30 comparisons instead of 5.45 (random 6.25; five seeds), SummEval 14.2 instead of 15.0 (two
dimensions, 40 documents, three seeds); three tenths gave 5.55 and 14.8. On TopicalChat 20% fewer than random would
be 5.0 comparisons, with which six candidates are only just connected. Random pairs here never repeat a pair in the
other order. Drawn from all N(N-1) ordered pairs, as in the papers, they need 6.65 comparisons: determinant then saves
22.6%, reordering 18.0% and exponent 17.3%."""
