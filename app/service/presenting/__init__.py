"""Results as the contract shows them: one module per noun, from rows and results of inference to `nextpair.schemas`.

No SQL, no waiting and no decision lives here: a use case reads and computes, and asks for its answer to be shown.
"""
