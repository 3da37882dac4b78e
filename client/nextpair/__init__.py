"""The client of a nextpair service and the contract that both share. Needs httpx and pydantic only."""
