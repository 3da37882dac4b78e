"""Ratios of times inside one run. They print, and assert nothing of a clock."""
