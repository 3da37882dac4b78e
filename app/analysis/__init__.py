"""Answers of the contract: what was judged and what is asked in, a schema of `nextpair.schemas` out.

The service and the commands on files both answer from here, so that they say the same. They load, and translate errors.
The posterior comes by a function of theirs, `publish`: of a set state.exact, of a file targets.publish_for.
Not here: HTTP, SQL and files (service, storage, files), the numerics (inference, reached by its doors alone).
"""
