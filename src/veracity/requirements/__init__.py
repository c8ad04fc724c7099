"""Requirements: checked by rules, improved without inventing, compared with each other, and validated by a team."""
