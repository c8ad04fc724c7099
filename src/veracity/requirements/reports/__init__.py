"""Reports on a check: for a terminal, for machines (JSON by the models of `report.py`, SARIF), and one to hand to a colleague (HTML)."""
