"""How fast it is: each benchmark prints ratios inside one run and asserts nothing."""
