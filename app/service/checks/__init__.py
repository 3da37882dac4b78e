"""Checks of trust: functions of what is examined, each of which says what holds, with its figure.

Not here: in which order they are shown (trust), the figures themselves (inference.reporting, inference.judges).
"""
