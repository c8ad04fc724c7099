"""Veracity: answers about your data that never make anything up."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from veracity.agent.loop import Limits
    from veracity.answer.answer import Answer
    from veracity.ask.conversation import Conversation
    from veracity.ask.data_agent import DataAgent
    from veracity.contracts import AgentTrace, QueryValidationError, ToolCallLog, ToolResult, repair_counters
    from veracity.errors import ModelError, OntologyError, SourceError, UsageError, VeracityError
    from veracity.grounding.guard import ground
    from veracity.llm.provider import ProviderConfig
    from veracity.ontology.descriptor import OntologyDescriptor
    from veracity.ontology.load import load_ontology
    from veracity.open import open_agent
    from veracity.semantic.ontology_check import check_ontology
    from veracity.settings import Settings
    from veracity.tools.open import open_tables
    from veracity.tools.tables import TableTools

# Loaded on first use: `import veracity` costs nothing, and the command line starts at once.
_HOMES = {
    "AgentTrace": "veracity.contracts",
    "Answer": "veracity.answer.answer",
    "Conversation": "veracity.ask.conversation",
    "DataAgent": "veracity.ask.data_agent",
    "Limits": "veracity.agent.loop",
    "ModelError": "veracity.errors",
    "OntologyDescriptor": "veracity.ontology.descriptor",
    "OntologyError": "veracity.errors",
    "ProviderConfig": "veracity.llm.provider",
    "QueryValidationError": "veracity.contracts",
    "Settings": "veracity.settings",
    "SourceError": "veracity.errors",
    "TableTools": "veracity.tools.tables",
    "ToolCallLog": "veracity.contracts",
    "ToolResult": "veracity.contracts",
    "UsageError": "veracity.errors",
    "VeracityError": "veracity.errors",
    "check_ontology": "veracity.semantic.ontology_check",
    "ground": "veracity.grounding.guard",
    "load_ontology": "veracity.ontology.load",
    "open_agent": "veracity.open",
    "open_tables": "veracity.tools.open",
    "repair_counters": "veracity.contracts",
}

__all__ = [
    "AgentTrace",
    "Answer",
    "Conversation",
    "DataAgent",
    "Limits",
    "ModelError",
    "OntologyDescriptor",
    "OntologyError",
    "ProviderConfig",
    "QueryValidationError",
    "Settings",
    "SourceError",
    "TableTools",
    "ToolCallLog",
    "ToolResult",
    "UsageError",
    "VeracityError",
    "check_ontology",
    "ground",
    "load_ontology",
    "open_agent",
    "open_tables",
    "repair_counters",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'veracity' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
