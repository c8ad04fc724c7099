"""Routing: which requests need the data and its tools, and which a plain answer serves. No token is spent on it.

router.py       the order of the rules, and the decision
chat.py         greetings, small talk, questions about the assistant: closed phrases
arithmetic.py   plain sums: read, and computed exactly
translation.py  translations of a text that the request holds
facts.py        questions about a plain notion
words.py        words that point at live state, at data, or back; the words of a catalog
match.py        what a rule found
"""

from __future__ import annotations

from veracity.routing.arithmetic import Computed, compute
from veracity.routing.router import Decision, Route, Router
from veracity.routing.words import data_words, ontology_words

__all__ = ["Computed", "Decision", "Route", "Router", "compute", "data_words", "ontology_words"]
