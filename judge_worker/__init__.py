"""The judge worker: pulls pairs from a nextpair service, has a language model judge them, sends verdicts back."""
