"""Figures of free text tied to the cells they come from: a value counts only together with its row and its column."""
