"""Pure numerics: state in, (state, info) out. No I/O, no clock, no global random state."""
