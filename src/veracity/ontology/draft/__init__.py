"""A draft of an ontology: what a database says of itself, and the questions that only a person can answer."""

from veracity.ontology.draft.draft import OntologyDraft
from veracity.ontology.draft.drafting import draft
from veracity.ontology.draft.questions import DraftOption, DraftQuestion

Draft = OntologyDraft
"""As it is called from outside."""

__all__ = ["Draft", "DraftOption", "DraftQuestion", "OntologyDraft", "draft"]
