"""The semantic query: one meaning between words and SQL."""
