"""Sets, pairs and judges as objects with methods. Each method is a call of `nextpair.calls`, bound to a sender.

Not here: the calls themselves (calls), and how they are sent (sending).
"""
