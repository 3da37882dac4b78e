"""Sending of calls to a service: requests, retries, answers and streams.

Not here: what is sent (calls), objects that send (resources), where a service is found (client.py, local.py).
"""
