"""How calls reach a service: requests, retries, answers and streams. What is sent lives in `calls`."""
