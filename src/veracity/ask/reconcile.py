"""What a model filled in, set right by what is certain: the times, values, numbers and operators that the question says.

A model is asked for names. A time, a stored value or a limit that no word says is left out; those that words say are put in.
Whatever comes of it is held against the words like every other query.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from veracity.semantic.graph import SemanticModel
from veracity.semantic.reading.comparison_phrases import Superlative
from veracity.semantic.reading.phrases import JoiningWord, Stored
from veracity.semantic.reading.said_phrases import Quoted, SaidNumber, SaidPeriod
from veracity.semantic.reading.word_senses import Tagged
from veracity.semantic.short_form import ShortCondition, ShortFigure, ShortOrder, ShortQuery

_COMPUTING = {
    "how_many": "count", "counted": "count", "avg": "avg", "median": "median", "sum": "sum", "min": "min", "max": "max",
}  # fmt: skip
_SHARING = frozenset({"share", "ratio", "change"})


def reconciled(short: ShortQuery, tagged: Tagged, model: SemanticModel) -> ShortQuery:
    """The same with what the words say for certain, and without what they do not."""
    said = _Said(tagged, model)
    short = short.model_copy(update={"where": tuple(said.related(one) for one in short.where)})
    where = (*said.kept(short.where), *said.missing(short.where, short))
    show = tuple(said.computed(one, alone=len(short.show) == 1) for one in short.show)
    order, limit = said.ranked(short)
    changed = {"where": where, "show": show, "order": order, "limit": limit, "period": said.period(short)}
    return short.model_copy(update={**changed, "limit_per": short.limit_per if limit else None})


@dataclass(frozen=True)
class _Said:
    """What the words of a question say for certain."""

    tagged: Tagged
    model: SemanticModel

    def _phrases(self, *kinds: type) -> Iterator[object]:
        return (sense.phrase for sense in self.tagged.mentions if isinstance(sense.phrase, kinds))

    def period(self, short: ShortQuery) -> str | None:
        """The one time that is said; nothing where none is, and what was filled in where there are several."""
        said = list(dict.fromkeys(self._phrases(SaidPeriod)))
        if not said:
            return None
        only = said[0] if len(said) == 1 else None
        return (only.period.short if isinstance(only, SaidPeriod) else None) or short.period

    def related(self, one: ShortCondition) -> ShortCondition:
        """A condition on related rows names their entity; models like to write it as a value."""
        named = [value for value in one.values if value in self.model.things]
        if one.op not in ("has", "hasNo") or len(named) != 1:
            return one
        return one.model_copy(update={"name": named[0], "values": (), "compute": None})

    def kept(self, where: tuple[ShortCondition, ...]) -> Iterator[ShortCondition]:
        """The conditions whose values are said, or that need none."""
        said = {self._plain(value) for value in self._values()}
        for one in where:
            if all(self._plain(value) in said for value in one.values):
                yield one

    def missing(self, where: tuple[ShortCondition, ...], short: ShortQuery) -> Iterator[ShortCondition]:
        """Stored values that the question names and no condition takes up; where one of several fields is in use, that one."""
        taken = {self._plain(value) for one in where for value in one.values}
        used = {name.partition(".")[0] for name in (*(one.name for one in short.show), *(one.name for one in short.by))}
        for sense in self.tagged.mentions:
            phrase = sense.phrase
            if not isinstance(phrase, Stored) or any(self._plain(value) in taken for _, _, value in phrase.homes):
                continue
            homes = [home for home in phrase.homes if home[0] in used] or list(phrase.homes)
            if len(homes) == 1:
                entity, field, value = homes[0]
                yield ShortCondition(name=f"{entity}.{field}", op="=", values=(value,))

    def computed(self, one: ShortFigure, *, alone: bool) -> ShortFigure:
        """What is computed of it, as far as one word says so."""
        kinds = {
            _COMPUTING[p.kind]
            for p in self._phrases(JoiningWord)
            if isinstance(p, JoiningWord) and p.kind in _COMPUTING
        }
        shares = any(isinstance(p, JoiningWord) and p.kind in _SHARING for p in self._phrases(JoiningWord))
        compute: str | None = one.compute
        if one.name in self.model.measures:
            compute = None
        elif alone and len(kinds) == 1:
            kind = next(iter(kinds))
            counts = one.name in self.model.things
            compute = "count" if counts and kind == "count" else compute if counts or kind == "count" else kind
        elif not kinds and compute in ("avg", "median", "countDistinct", "count") and one.name not in self.model.things:
            compute = None
        return one.model_copy(update={"compute": compute, "as_": one.as_ if shares else None})

    def ranked(self, short: ShortQuery) -> tuple[ShortOrder | None, int | None]:
        """Order and limit, as a superlative says them."""
        said = [one for one in self._phrases(Superlative) if isinstance(one, Superlative)]
        if not said:
            return None, None
        best = said[0]
        numbers = {
            int(one.value) for one in self._phrases(SaidNumber) if isinstance(one, SaidNumber) and one.unit is None
        }
        limit = best.count or (short.limit if short.limit in numbers else 1)
        name, compute = (short.order.name, short.order.compute) if short.order else ("", None)
        if not name and short.show:
            name, compute = short.show[0].name, short.show[0].compute
        if not name:
            return None, None
        return ShortOrder(name=name, compute=compute, first="highest" if best.direction == 1 else "lowest"), limit

    def _values(self) -> Iterator[object]:
        for phrase in self._phrases(Stored, Quoted, SaidNumber, SaidPeriod):
            match phrase:
                case Stored():
                    yield from (value for _, _, value in phrase.homes)
                case Quoted():
                    yield phrase.text
                case SaidNumber():
                    yield phrase.value
                case SaidPeriod():
                    yield phrase.number if phrase.number is not None else ""

    def _plain(self, value: object) -> str:
        if isinstance(value, int | float | Decimal):
            return f"{Decimal(str(value)).normalize():f}"
        return str(value).casefold()
