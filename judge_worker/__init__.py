"""The judge worker: pulls pairs from a nextpair service, has a language model judge them, sends verdicts back.

Not here: how calls reach the service (the client, nextpair), which pairs are asked and what they tell (the service).
"""
