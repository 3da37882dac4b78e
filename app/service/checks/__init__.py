"""Checks of a ranking: functions of what is examined, each of which says what holds, with its figure.

Not here: the figures themselves (inference.reporting, inference.judges).
"""
