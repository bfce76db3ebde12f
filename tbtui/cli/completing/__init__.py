"""Completion of words in a shell: what fits is found here, one short script a shell asks and shows it."""
