"""A feature: its tables and scope, and either an ontology, or hints, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from veracity.errors import UsageError
from veracity.features.records import Progress
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.settings import Settings


@dataclass(frozen=True, slots=True)
class ShippedData:
    """A data set that is made on this machine when it is first used."""

    version: int
    build: Callable[[Path, Progress | None], None]


@dataclass(frozen=True, slots=True)
class Feature:
    """What a feature brings; everything but its tables is optional."""

    code: str
    tables: tuple[str, ...]
    default_scope: Mapping[str, str] = field(default_factory=dict)
    """The scope columns of every table, with the values of the shipped data."""
    ontology: Callable[[], OntologyDescriptor] | None = None
    hints: Mapping[str, str] = field(default_factory=dict)
    """Free text for the prompt per language, for a feature without an ontology."""
    shipped: ShippedData | None = None

    def scope(self, given: Mapping[str, str] | None = None) -> Mapping[str, str]:
        """The given scope, which must name every scope column and no other; without one, the default."""
        if not given:
            return self.default_scope
        for name in given:
            if name not in self.default_scope:
                raise UsageError(
                    f"{self.code} has no scope column {name!r}; its scope is {', '.join(self.default_scope) or 'empty'}."
                )
        for name in self.default_scope:
            if name not in given:
                raise UsageError(f"The scope needs {name}, too: add --scope {name}=...")
        return given


def shipped_file(feature: Feature, settings: Settings, progress: Progress | None = None) -> Path:
    """The feature's own data set: made on first use, reused afterwards, made anew when its version changes."""
    if feature.shipped is None:
        raise UsageError(f"The feature {feature.code} ships no data; name a source with --source.")
    path = settings.home / f"{feature.code}-v{feature.shipped.version}.duckdb"
    if not path.exists():
        feature.shipped.build(path, progress)
        for old in settings.home.glob(f"{feature.code}-v*.duckdb"):
            if old != path:
                old.unlink(missing_ok=True)
    return path
