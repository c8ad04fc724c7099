"""From the words of a question to its meanings."""
