"""How far a ranking that learns what an answer is worth may be believed: a set is driven by the service's own code."""
