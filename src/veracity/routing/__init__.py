"""Routing: which requests need the data and its tools, and which a plain answer serves. No token is spent on it."""

from __future__ import annotations

from veracity.routing.arithmetic import Computed, compute
from veracity.routing.router import Decision, Route, Router
from veracity.routing.words import data_words, ontology_words

__all__ = ["Computed", "Decision", "Route", "Router", "compute", "data_words", "ontology_words"]
