"""Results of numerics put into words, for the service and for commands on files alike.

Not here: schemas (`app.service.presenting`), printing (`app.offline.printing`), and how anything is computed.
"""
