"""Use cases: one async function per user action. Rows in, inference types across, no HTTP."""
