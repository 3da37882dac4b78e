"""Pages for people: templates filled with what use cases of the service say, and the scripts and sheets they load.

No rule and no route of the contract lives here: a page asks app.service, its script asks /v1 like everyone else.
"""
