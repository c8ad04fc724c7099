"""From what a user names (a source, a feature, an ontology, a scope) to open table tools."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

from veracity.errors import OntologyError, SourceError, UsageError
from veracity.features import get_feature
from veracity.features.feature import Feature, shipped_file
from veracity.features.records import Progress
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.ontology.load import load_ontology
from veracity.settings import Settings
from veracity.sources.open import open_source
from veracity.sources.source import Scope, Source
from veracity.tools.drafted import asked_for, by_itself
from veracity.tools.tables import TableTools
from veracity.yaml_file import read_document

DEFAULT_FEATURE = "trustee"


def open_tables(
    source: str | os.PathLike[str] | None = None,
    *,
    feature: str | None = None,
    ontology: str | os.PathLike[str] | OntologyDescriptor | None = None,
    scope: Mapping[str, str] | None = None,
    use_ontology: bool = True,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> TableTools:
    """Table tools over a source. Without a source: the shipped ledger. With a feature: its tables, scope and ontology."""
    settings = settings or Settings.from_env()
    chosen = chosen_feature(source, feature, ontology)
    meaning = chosen_ontology(chosen, ontology) if use_ontology and not settings.disable_ontology else None
    where = Scope(dict(chosen.scope(scope) if chosen else scope or {}))
    with ExitStack() as undo:
        opened = opened_source(source, chosen, settings=settings, progress=progress)
        undo.callback(opened.close)
        if chosen is not None:
            _check_tables(opened, chosen)
        tables = chosen.tables if chosen else None
        undescribed = chosen is None and ontology is None and use_ontology and not settings.disable_ontology
        # With a scope only some rows are seen, and a draft was made of all.
        kept = asked_for(source, opened, settings) if source and undescribed and not where.values else None
        described = kept.draft.descriptor() if kept else meaning
        tools = TableTools(opened, ontology=described, scope=where, tables=tables, settings=settings)
        if kept is not None:
            tools.catalog = replace(tools.catalog, notes=kept.notes)
        elif source and undescribed and not where.values:
            tools.drafted = partial(by_itself, source, opened, settings, progress)
        _check_complete(tools)
        if meaning is not None and not isinstance(ontology, OntologyDescriptor | None):
            _check_meaning(tools, Path(ontology))
        undo.pop_all()  # all is well: the source stays open
    return tools


def opened_source(
    source: str | os.PathLike[str] | None,
    feature: Feature | None,
    *,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Source:
    """The source that is named, else the data that the feature ships."""
    settings = settings or Settings.from_env()
    if source is None:
        source = shipped_file(_needed(feature), settings, progress)
    return open_source(source, settings=settings)


def chosen_feature(source: object, feature: str | None, ontology: object) -> Feature | None:
    """The feature that is meant; a bare source or an ontology of the user's own has none."""
    if feature is not None and ontology is not None:
        raise UsageError("Give a feature or an ontology of your own, not both.")
    if feature is None and (source is not None or ontology is not None):
        return None
    return get_feature(feature or DEFAULT_FEATURE)


def chosen_ontology(
    feature: Feature | None, ontology: str | os.PathLike[str] | OntologyDescriptor | None
) -> OntologyDescriptor | None:
    """The ontology that is meant: the user's own, or the feature's, if it has one."""
    if ontology is None:
        return feature.ontology() if feature and feature.ontology else None
    return ontology if isinstance(ontology, OntologyDescriptor) else load_ontology(Path(ontology))


def _needed(feature: Feature | None) -> Feature:
    if feature is None:
        raise UsageError("An ontology of your own needs a source: add --source.")
    return feature


def _check_tables(source: Source, feature: Feature) -> None:
    missing = [name for name in feature.tables if name not in source.tables]
    if missing:
        raise SourceError(
            f"{source.name} lacks {_tables_in_words(missing)}, which the feature {feature.code} needs; name a source that has them."
        )
    for name in feature.tables:
        for column in feature.default_scope:
            if column not in source.tables[name].columns:
                raise SourceError(f"The table {name} of {source.name} lacks the scope column {column}; add it.")


def _check_complete(tools: TableTools) -> None:
    catalog = tools.catalog
    if catalog.ontology is not None and catalog.missing:
        raise SourceError(
            f"{tools.source.name} does not fit the ontology: {catalog.missing[0]}; 'veracity ontology check' tells more."
        )
    if not catalog.entities:
        raise UsageError(
            f"No table of {tools.source.name} has all the scope columns {_tables_in_words(list(catalog.scope.values))}."
        )


def _check_meaning(tools: TableTools, path: Path) -> None:
    """A relation, measure or segment that cannot work stops the work, with its line."""
    ontology = tools.catalog.ontology
    assert ontology is not None
    if not ontology.relations and not any(entity.measures or entity.segments for entity in ontology.entities):
        return
    from veracity.semantic.ontology_check import first_wrong_meaning

    if (wrong := first_wrong_meaning(tools.catalog)) is not None:
        raise read_document(path, OntologyError, "an ontology").wrong(*wrong, "")


def _tables_in_words(names: list[str]) -> str:
    shown = ", ".join(names[:3])
    return f"the table{'s' if len(names) > 1 else ''} {shown}" + (
        f" and {len(names) - 3} more" if len(names) > 3 else ""
    )
