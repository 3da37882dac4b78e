"""Study of rankings with learnt verdict weights: how far they can be trusted. The service's own code drives a set."""
