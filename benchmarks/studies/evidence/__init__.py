"""How far a ranking with learnt verdict weights can be trusted: the service's own code drives a set."""
