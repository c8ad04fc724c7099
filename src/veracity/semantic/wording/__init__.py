"""A query read back in a sentence, and its answer in words."""
