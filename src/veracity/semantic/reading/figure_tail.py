"""By which figure something is the first, said behind the question: counting returns, in terms of revenue, 按件数算.

The question is read without it. Of what it may mean, that is taken which goes by this figure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Aggregate, SemanticQuery, Shown, all_of, parts_of
from veracity.semantic.reading.asked_forms import Read
from veracity.semantic.reading.said_otherwise import figure_behind
from veracity.semantic.reading.word_lists import in_all_languages, key_of, names_for


def by_said_figure(question: str, model: SemanticModel, lang: str, read: Read) -> tuple[SemanticQuery, ...]:
    """What a question may mean that says behind it by which figure; nothing where it does not, or where that is none of them."""
    said = figure_behind(question, lang)
    if said is None:
        return ()
    core, figure = said
    figures = tuple(_figures(figure, model, read))
    found = dict.fromkeys(
        narrowed
        for query in (read(core) if figures else ())
        for narrowed in _gone_by(query, figures, model, pieces=key_of(figure) in in_all_languages("piece_fields"))
    )
    return tuple(found)


def _figures(figure: str, model: SemanticModel, read: Read) -> Iterator[SemanticQuery]:
    """What a figure is that is named by itself; of rows their number."""
    for query in read(figure):
        plain = not (query.by or query.order or query.limit or query.compare or query.having or query.period)
        if plain and query.lists and not query.where:
            yield SemanticQuery(of=query.of, show=(Shown(aggregate=Aggregate.COUNT, of=query.of),))
        elif plain and len(query.show) == 1:
            yield query
    if key_of(figure) in in_all_languages("piece_fields"):
        for thing in model.things.values():
            yield from (SemanticQuery(of=thing.name, show=(Shown(measure=name),)) for name in thing.measures)


def _gone_by(
    query: SemanticQuery, figures: Sequence[SemanticQuery], model: SemanticModel, *, pieces: bool
) -> Iterator[SemanticQuery]:
    """The query where its order goes by one of the figures, of the rows that this one is of."""
    if not query.order:
        return
    first = query.order[0].by
    for one in figures:
        shown = one.show[0]
        if (shown.measure, shown.aggregate, shown.field, shown.of) != (
            first.measure,
            first.aggregate,
            first.field,
            first.of,
        ):
            continue
        if pieces and not _tells_pieces(shown, model):
            continue
        if one.where is None:
            yield query
        elif one.of == query.of:
            yield query.model_copy(
                update={"where": all_of(dict.fromkeys((*parts_of(query.where), *parts_of(one.where))))}
            ).normalized()


def _tells_pieces(shown: Shown, model: SemanticModel) -> bool:
    """Whether a figure says how many pieces."""
    if shown.measure is None:
        return True
    names = names_for(shown.measure, model.measures[shown.measure][1])
    return any(key_of(name) in in_all_languages("piece_fields") for name in names)
