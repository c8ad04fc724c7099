"""Figures that are wanted beside what a query tells: one more for each of its groups, or for each of the rows that it lists."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.semantic.graph import SemanticModel, is_to_one, names_of
from veracity.semantic.query import Dimension, Related, SemanticQuery, Shown, all_of, parts_of
from veracity.semantic.reading.compose import Composer
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.figures_of_groups import from_group, owns, stands


def with_figures(
    c: Composer, query: SemanticQuery, figures: FigurePhrase, *, distinct: bool = False, tied: bool = False
) -> Iterator[SemanticQuery]:
    """The query with these figures beside what it shows; none where they cannot stand there.

    `distinct`: so many different ones among its rows, not all that there are; `tied`: where a word such as there says so.
    """
    if query.compare is not None or not _plain(figures) or not same_groups(query, figures):
        return
    shown = tuple(one for one in map(c.each_has, _one_by_one(figures)) if one is not None)
    if len(shown) < len(figures.shown):
        return
    if (tied or not distinct) and owns(c.model, query, figures.home):
        told = from_group(c, query.model_copy(update={"show": (*query.show, *shown)}))
        if told is not None and stands(told, c.model):
            yield told
        return
    wider = _with_own_time(c, query) if query.lists or figures.home != query.of else query
    wider = _per_row(c.model, wider, figures.home) if wider is not None and query.lists else wider
    if wider is None or not wider.by or not _reached(c.model, wider, figures.home):
        return
    if all(_is_told(one, wider) for one in shown):
        yield wider
        return
    options = [shown]
    if not query.lists and (among := _among(c.model, wider, figures.home)) is not None:
        narrow = tuple(one.model_copy(update={"where": all_of((one.where, among))}) for one in shown)
        options = [narrow] if distinct else [shown, narrow]
    for option in options:
        told = wider.model_copy(update={"show": (*wider.show, *(one for one in option if one not in wider.show))})
        if stands(told, c.model):
            yield told


def _is_told(shown: Shown, query: SemanticQuery) -> bool:
    return any(shown == one.model_copy(update={"via": shown.via}) for one in query.show)


def same_groups(query: SemanticQuery, figures: FigurePhrase) -> bool:
    """Whether figures say nothing of groups, or just those of the query: its divisions, or the rows that it lists."""
    own = {one.entity or (one.field, one.grain) for one in query.by} or {query.of or ""}
    said = {one.entity or (one.field, one.grain) for one in figures.by}
    return said <= own if query.lists or len(said) < 2 else said == own


def _plain(figures: FigurePhrase) -> bool:
    said = (figures.order, figures.limit, figures.having, figures.compare, figures.direction, figures.per)
    return (
        not any(said) and not figures.changes and not figures.grows and all(one.rows is None for one in figures.shown)
    )


def _one_by_one(figures: FigurePhrase) -> Iterator[FigurePhrase]:
    for shown in figures.shown:
        yield FigurePhrase((shown,), figures.home, figures.where, period=figures.period)


def _with_own_time(c: Composer, query: SemanticQuery) -> SemanticQuery | None:
    """The query with its period as a condition on its own rows: beside it, a figure of others would have it on their date."""
    if query.period is None:
        return query
    measure = query.show[0].measure if query.show and not query.lists else None
    during = c.during(query.of or "", query.period, measure) if query.period.field is None else None
    if during is None:
        return None
    return query.model_copy(update={"period": None, "where": all_of((query.where, during))})


def _reached(model: SemanticModel, query: SemanticQuery, home: str) -> bool:
    return home == query.of or bool(model.ways(query.of or "", home))


def _per_row(model: SemanticModel, query: SemanticQuery, home: str) -> SemanticQuery | None:
    """A list of rows as groups of one row each; those without anything to compute from stay, with 0 or no figure."""
    of = query.of or ""
    if home == of or query.per or not model.things[of].key:
        return None
    known = {f"{of}.{name}" for name in (*model.things[of].display, *model.things[of].key)}
    if any(one.field is None or not one.field.startswith(f"{of}.") or one.grain for one in query.show):
        return None
    ordered_by = tuple(one.by for one in query.order if one.by.is_field)
    if any(one.field is None or not one.field.startswith(f"{of}.") or one.grain for one in ordered_by):
        return None
    more = tuple(
        Dimension(field=one.field) for one in (*query.show, *ordered_by) if one in ordered_by or one.field not in known
    )
    ordered = bool(query.limit) and all(one.descending and one.by.of == home for one in query.order)
    ways = [names_of(way) for way in model.ways(of, home)]
    sure = ordered or any(
        isinstance(one, Related) and one.related.of == home and one.count is None and (not one.via or one.via in ways)
        for one in parts_of(query.where)
    )
    by = (Dimension(entity=of, complete=not sure), *dict.fromkeys(more))
    return query.model_copy(update={"show": (), "by": by})


def _among(model: SemanticModel, query: SemanticQuery, home: str) -> Related | None:
    """That a row has some of the rows that the query is about: of what they belong to, not all need have any."""
    of = query.of or ""
    ways = model.ways(of, home) if home != of else ()
    if len(ways) != 1 or not is_to_one(ways[0]) or query.where is not None or query.period is not None:
        return None  # under conditions, only those with such rows count anyway
    return Related(related=SemanticQuery(of=of), via=names_of(model.back(ways[0])))
