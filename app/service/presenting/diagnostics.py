"""Diagnostics of a log."""

from nextpair import schemas

from app.inference.reporting import Agreement


def present_agreement(agreement: Agreement) -> schemas.Agreement:
    return schemas.Agreement(pairs=agreement.pairs, share=agreement.share)
