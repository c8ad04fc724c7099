"""Search results re-ranked and explained, reviewed by a person, and taken up into a corpus; and search in that corpus."""
