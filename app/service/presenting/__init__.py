"""Results as the contract shows them: one module per noun, from rows and results of inference to `nextpair.schemas`.

Not here: answers that files have too, such as rankings (app.analysis), SQL, waiting, and deciding what is computed (the
use cases above).
"""
