"""Veracity for other agents, over the Model Context Protocol."""
