"""Whether a claim that was called wrong holds in another reading: over other rows, columns or groups that its sentence may speak of.

A contradiction is proof only where no true reading is left. Here those that are left are tried by their values, not by more words: a
figure against what all rows and groups come to that may be meant, a relation between all of them. What holds in one is marked, not blocked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import combinations, islice, permutations

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.cue_words import HEDGES
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import is_dated, is_timed, value_at, values_of
from veracity.grounding.statements.conditions import relation_to
from veracity.grounding.statements.figure_reckoner import FigureReckoner
from veracity.grounding.statements.figure_words import DISTINCT, FigureWords
from veracity.grounding.statements.orders import is_so_many_times, times_said
from veracity.grounding.statements.reckonings import (
    CellReckoning,
    groups_of,
    number_columns,
    of_figures,
    of_row,
    of_rows,
    of_two_groups,
    of_two_rows,
    shares_of_all,
    spans_of_rows,
    spans_of_time,
)
from veracity.grounding.statements.rows_meant import Rows, RowsMeant
from veracity.grounding.statements.scene import CheckedStatement, Scene
from veracity.grounding.statements.superlatives import end_of

_MOST_COLUMNS, _MOST_COMPARED = 9, 12
_MOST_RECKONED, _MOST_OTHERS, _MANY = 6_000, 8, 4
_HUNDRED, _DAY = Decimal(100), Decimal(1440)
_YEARS = range(1500, 2200)
_NEAR, _ROUGHLY = Decimal("0.06"), Decimal("0.015")
_BESIDE_TIME = re.compile(
    r"(?<![a-z])(?:before|after|since|until|by|from|prior to|up to|vor|nach|seit|bis|ab)(?: (?:the|end of|ende|anfang|dem))?\s*$"
)
_BY = re.compile(r"(?<![a-z])(?:by|um)(?: [a-z]+)?\s*$")
_ABOVE, _BELOW = ("more_than", "over", "beats", "ahead"), ("less_than", "under", "behind")
_THAN = re.compile(r"(?<![a-z])(?:than|als)\s*$")
_NOTHING = re.compile(
    r"(?<![a-z])(?:nothing|no|none|not|never|without|zero|nichts|kein\w*|nicht|nie|ohne|null)(?![a-z])|没|无|零|未"
)
_TOGETHER = frozenset({"together", "combined", "zusammen", "gemeinsam", "both", "合计", "两"})
_OF_ANY = frozenset({"count", "rate", "product", "span"})
"""Kinds of reckonings that words need not say the columns of."""
_OF_SOME = frozenset({"count", "none", "all", "only", "not_all"})


class Tries:
    """How many claims of one text are still read in other ways: of a text with more that is wrong, the rest stays contradicted."""

    def __init__(self, left: int = 60) -> None:
        self.left = left

    def take(self) -> bool:
        """Whether one more may be tried."""
        self.left -= 1
        return self.left >= 0


class OtherReadings:
    """One sentence, and what it may also mean."""

    def __init__(self, scene: Scene, tries: Tries) -> None:
        self.scene, self.page, self.tries = scene, scene.page, tries
        self.meant = RowsMeant(scene)
        self._reckoned: dict[int, list[CellReckoning]] = {}

    def _conditions(self, table: Table, part: Scene, one: CheckedStatement) -> set[Rows]:
        """The rows on the side of a figure of the sentence that is said, and those with more of one column than of another."""
        told = part.measured(table) or self.scene.measured(table) or self.scene.of_units(table)
        figures = (said.figure for said in self.scene.every_figure[:_MOST_OTHERS] if said.figure.start != one.span[0])
        limits = {reading for figure in figures for reading in figure.readings[:1]}
        found: set[Rows] = set()
        for column in (told or self.scene.ordered(table))[:_MOST_COLUMNS]:
            values = values_of(table, column)
            for limit in limits:
                over = frozenset(row for row, value in values.items() if value > limit)
                at = frozenset(row for row, value in values.items() if value == limit)
                under = frozenset(values) - over - at
                sides = ((_ABOVE, over), (_BELOW, under), (("at_least",), over | at), (("at_most",), under | at))
                said = {rows for kinds, rows in sides if self.scene.has(*kinds)}
                found |= said or ({at} if one.key in ("count", "only") else set())
            nothing = frozenset(row for row, value in values.items() if not value)
            if 0 < len(nothing) < len(table.rows) and _NOTHING.search(self.scene.folded):
                found |= {nothing, frozenset(range(len(table.rows))) - nothing}
        for first, other in permutations(told, 2):
            second = values_of(table, other)
            more = (row for row, value in values_of(table, first).items() if row in second and value > second[row])
            found.add(frozenset(more))
        return found

    # --- figures

    def may_come(self, said: SaidFigure, *, counts: bool = True) -> bool:
        """Whether cells that may be meant come to a figure in a way that its words allow."""
        before = self.page.tokens.before(said.first, 28)
        if said.figure.readings[:1] and said.figure.readings[0] in _YEARS and _BESIDE_TIME.search(before):
            return any(is_dated(table, column) for table in self.meant.tables for column in table.columns)
        if self._is_hour(said):
            return True
        if not self.tries.take() or relation_to(self.scene, said) is not None:
            return False
        reckoner = FigureReckoner(self.scene, self._loosely(said), set())
        words = reckoner.words
        beside = (one for one in self.scene.every_figure if one is not said and one.figure.readings)
        others = [one.figure.readings[0] for one in islice(beside, _MOST_OTHERS)]
        others += self._figures_taken_up() if len(others) < _MANY else []
        few = len(others) < _MANY and words.digits > 1  # Of many figures two come to anything.
        if few and any(reckoner.comes_to(None, found) and words.have_cue(None, found) for found in of_figures(others)):
            return True
        more = bool(words.clause.degrees("comparative")) and not _THAN.search(before)
        moved = _BY.search(before) is not None or more
        return any(
            (counts or found.kind != "count")
            # Hardly any value is near, and values are compared much faster than words.
            and (reckoner.comes_to(table, found) or _is_turned(reckoner, table, found))
            and reckoner.goes(found)
            and reckoner.is_of_time(table, found.columns)
            and self._is_said(words, table, found, moved)
            for table in self.meant.tables
            if len(table.figures) <= _MOST_COLUMNS
            for found in self._reckonings(table)
        )

    def _figures_taken_up(self) -> list[Decimal]:
        """The figures of the sentence before, where this one goes on from it: together with the guarantee it reaches 104,000."""
        page, line = self.page, self.scene.line
        at = next((number for number, one in enumerate(page.lines) if one.first == line.first), 0)
        if not at or _TOGETHER.isdisjoint(page.words[line.first : line.first + 2]):
            return []
        before = page.lines[at - 1]
        figures = [one.figure for one in page.said if before.start <= one.figure.start < before.end]
        return [one.readings[0] for one in figures[:_MANY] if one.readings]

    def _is_said(self, words: FigureWords, table: Table, found: CellReckoning, moved: bool) -> bool:
        """Whether words allow a reckoning: some say it, or the figure is precise and stands in a sentence of several parts."""
        if found.kind == "cell":
            nouns = {ref.column for ref in self.page.nouns(words.said.figure)}
            return (not nouns or nouns >= set(found.columns)) and self._leaves_row_open(words.clause, table)
        counts = self.page.noun_of(words.said.figure) is not None or self.page.has_strange_noun(words.said)
        if found.kind == "count" and not counts and self.scene.measured(table):
            return False  # The price is 1: not that there is one.
        told = words.told(table) if found.kind not in _OF_ANY else set()
        if told and told.isdisjoint(found.columns):
            return False
        if (
            found.kind == "difference"
            and len(found.columns) > 1
            and self.meant.is_plain
            and len(self.meant.single(table)) > 1
        ):
            return False  # Of two rows that are compared, it is no difference within one.
        if moved and found.kind == "difference":
            return True
        if found.kind == "rate" and words.digits < DISTINCT and not words.told(table).issuperset(found.columns):
            return False
        return words.have_cue(table, found) or (words.digits >= DISTINCT and not self.meant.is_plain)

    def _leaves_row_open(self, clause: Scene, table: Table) -> bool:
        """Whether the part of the sentence with a figure names no row, and another part with a figure does."""
        named = [
            part for part in self.scene.clauses if any(len(self.scene.rows(one, table)) == 1 for one in part.names)
        ]
        at = next((number for number, part in enumerate(self.scene.clauses) if part is clause), 0)
        before = self.scene.clauses[at - 1] if at else None
        return clause not in named and any(part.figures for part in named) and (before is None or bool(before.figures))

    def _loosely(self, said: SaidFigure) -> SaidFigure:
        """A figure as exact as a word such as `about` before it says."""
        if HEDGES.isdisjoint(self.page.words[max(self.scene.line.first, said.first - 3) : said.first]):
            return said
        spans = tuple((low - abs(low) * _ROUGHLY, high + abs(high) * _ROUGHLY) for low, high in said.meaning.spans)
        return said._replace(meaning=said.meaning._replace(spans=spans))

    def _is_hour(self, said: SaidFigure) -> bool:
        """Whether a Chinese hour (7点) may be one of the times of a column."""
        text, end = self.page.text, said.figure.end
        sign = text[end - 1 : end] == "点" or text[end : end + 1] == "点"
        return sign and any(is_timed(table, column) for table in self.meant.tables for column in table.columns)

    def _reckonings(self, table: Table) -> list[CellReckoning]:
        """What the rows and groups come to that may be meant."""
        if table.number not in self._reckoned:
            self._reckoned[table.number] = list(islice(self._reckoning(table), _MOST_RECKONED))
        return self._reckoned[table.number]

    def _reckoning(self, table: Table) -> Iterator[CellReckoning]:
        columns = number_columns(table, self.scene.ordered(table))
        families = self.page.index.families.get(table.number, {})
        groups = self.meant.groups(table)
        for row in self.meant.single(table):
            yield from of_row(table, row, columns, families)
            for span in spans_of_time(table, row, list(table.columns)):
                yield span
                days = ((column, value_at(table, row, column)) for column in columns if span.value >= _DAY)
                yield from (
                    CellReckoning("rate", value * _DAY / span.value, (row,), (column,))
                    for column, value in days
                    if value
                )
        for rows in groups:
            yield from self._of_group(table, sorted(rows), columns)
        if len(self.meant.told(table)) == 1:
            for inside in (*groups_of(table), *_times_together(table)):
                yield from of_rows(table, inside, columns, {})
        for one, two in permutations(self.meant.told(table)[:_MOST_COMPARED], 2):
            yield from self._of_two(table, one, two, columns)

    def _of_group(self, table: Table, rows: Sequence[int], columns: Sequence[str]) -> Iterator[CellReckoning]:
        families = self.page.index.families.get(table.number, {})
        inside = tuple(rows)
        if len(inside) < len(table.rows) or not self.meant.is_plain:
            yield CellReckoning("count", Decimal(len(inside)), inside, ())
        yield from spans_of_rows(table, inside, average=self.scene.has("reckoned_average"))
        yield from shares_of_all(table, inside, columns, families, others=True)
        found = list(of_rows(table, inside, columns, families))
        yield from found
        sums = [one for one in found if one.kind == "sum"]
        for one, other in permutations(sums, 2):
            if len(one.columns) > len(other.columns) and not set(one.columns) & set(other.columns):
                yield CellReckoning("difference", one.value - other.value, inside, (*one.columns, *other.columns))

    def _of_two(self, table: Table, one: Rows, two: Rows, columns: Sequence[str]) -> Iterator[CellReckoning]:
        """One group against another: the difference, the part and the multiple of what they add up to and of their averages."""
        both = (*sorted(one), *sorted(two))
        if len(one) == len(two) == 1 and table.is_of_periods and table.is_later(both[1], both[0]):
            return  # From May to June something rises.
        if len(one) == len(two) == 1:
            yield from of_two_rows(table, both[0], both[1], columns)
            yield from _apart_in_time(table, both[0], both[1])
        for family in self.page.index.families.get(table.number, {}).values():
            a, b = (
                sum((v for c in family for v in values_of(table, c, rows).values()), Decimal(0)) for rows in (one, two)
            )
            yield CellReckoning("difference", a - b, both, (family[0],))
            if b:
                yield CellReckoning("rate", a / b, both, (family[0],))
                yield CellReckoning("share", a / b * _HUNDRED, both, (family[0],))
        if len(one) == len(two) == 1:
            return
        if one < two:
            yield CellReckoning("share", Decimal(len(one)) / len(two) * _HUNDRED, both, ())
        elif not one & two:
            yield from of_two_groups(table, sorted(one), sorted(two), columns)
        for column in columns:
            for a, b in _levels(table, column, one, two):
                if b:
                    yield CellReckoning("share", a / b * _HUNDRED, both, (column,))
                    yield CellReckoning("rate", a / b, both, (column,))
                    yield CellReckoning("change", (a - b) / abs(b) * _HUNDRED, both, (column,))

    # --- what was borne out

    def may_fail(self, one: CheckedStatement) -> bool:
        """Whether a statement that was borne out may be wrong: of all rows, or by a column that it names and nothing has read."""
        part = self._part(one)
        tables = [table for table in self.meant.tables if len(table.rows) > 1][:1]
        if one.key == "superlative":
            return any(self._is_of_some(table, part) or self._is_by_other_column(table) for table in tables)
        if one.key == "only":
            return any(self._has_other_condition(table, part) for table in tables)
        return False

    def _is_of_some(self, table: Table, part: Scene) -> bool:
        """Whether a row is the highest only of some, and the part of the sentence with the superlative does not say of which."""
        degrees = part.degrees("superlative")
        rows = {row for _one, row in self.scene.subjects(table)}
        if len(degrees) != 1 or len(rows) != 1:
            return False
        if degrees[0].adjective.of is None and len(self._columns(table, part)) > 1:
            return False
        end = part.original(degrees[0].start, degrees[0].stop)[1]
        colon = min(
            (at for sign in ":：(（" if (at := self.page.text.find(sign, end)) >= 0), default=len(self.page.text)
        )
        named = [name for name in part.names if name.start < colon]
        told = next((name.start for name in named if name.start >= end and self.scene.rows(name, table) == rows), colon)
        # The longest one was at the press: where it was says nothing of which it is the longest.
        near = [self.scene.rows(name, table) for name in named if name.start <= told]
        if any(1 < len(each) < len(table.rows) for each in near) or not self._said_of_one(table, part, rows):
            return False
        row = next(iter(rows))
        columns = dict.fromkeys((*part.by_adjective(degrees[0].adjective, table)[0], *self._columns(table, part)))
        of_all, *of_some = [
            any(_is_end(table, column, row, group) for column in columns)
            for group in self.meant.groups(table)
            if row in group and len(group) > 1
        ]
        return not of_all and any(of_some)

    def _is_by_other_column(self, table: Table) -> bool:
        """Whether a part says no column but by its adjective, and by that no row that is named is at an end: also the longest run."""
        rows = {row for _one, row in self.scene.subjects(table)}
        for part in self.scene.clauses if len(self.scene.clauses) > 1 and len(rows) == 1 else ():
            for degree in part.degrees("superlative") if not part.measured(table) else ():
                columns, _sure = part.by_adjective(degree.adjective, table)
                every = frozenset(range(len(table.rows)))
                known = degree.adjective.of and columns != self.scene.ordered(table)
                if known and not any(_is_end(table, column, row, every) for column in columns for row in rows):
                    return True
        return False

    def _said_of_one(self, table: Table, part: Scene, rows: set[int]) -> bool:
        """Whether the row is named in this part of the sentence."""
        return any(self.scene.rows(name, table) == rows for name in part.names)

    def _has_other_condition(self, table: Table, part: Scene) -> bool:
        """Whether a column is said of the only rows that no figure was bound to, and these rows do not differ by it from all others."""
        named = frozenset(row for _one, row in self.scene.subjects(table))
        told = (one for one in part.columns if not self.page.is_period(one))
        columns = {ref.column for one in told for ref in one.columns if ref.table == table.number}
        columns -= set(self.scene.of_figures(table))
        for column in (column for column in columns & table.columns.keys() if self.scene.is_ordered(table, column)):
            filled = frozenset(row for row, value in values_of(table, column).items() if value)
            empty = frozenset(range(len(table.rows))) - filled
            if (
                filled
                and empty
                and not any(
                    rows & side == named
                    for rows in self.meant.groups(table)
                    for side in (filled, empty)
                    if rows != named
                )
            ):
                return True
        return False

    # --- relations

    def _part(self, one: CheckedStatement) -> Scene:
        """The part of the sentence that a statement is made in."""
        (start, end), whole = one.span, self.scene.span
        parts = self.scene.clauses
        shared = [min(end, part.line.end) - max(start, part.line.start) for part in parts]
        return self.scene if one.span == whole else parts[shared.index(max(shared))]

    def may_hold(self, one: CheckedStatement) -> bool:
        """Whether a statement that was called wrong is true of other rows or columns that may be meant."""
        if not self.tries.take():
            return False
        part = self._part(one)
        tables = [table for table in self.meant.tables if len(table.rows) > 1]
        if one.key in ("superlative", "rank"):
            return any(self._is_at_end(table, part) for table in tables)
        if one.key in ("comparison", "change"):
            return any(self._is_more(table, part) for table in tables)
        figure = next((said for said in self.scene.figures if said.figure.start == one.span[0]), None)
        if figure is not None and one.key in ("share", "total", "change", "difference") and self.may_come(figure):
            return True
        if one.key == "share":
            return any(self._is_part(table, part) for table in tables)
        if one.key == "trend":
            return any(self._has_sign(table, part) for table in tables)
        if one.key in _OF_SOME:
            return any(self._is_so_of_some(one, table, part) for table in tables)
        if one.key == "other_row":
            return self._is_of_only_row(one)
        return False

    def _columns(self, table: Table, part: Scene, own: Sequence[str] = ()) -> list[str]:
        """The columns that may be meant: those that are told here, or in the sentence; else those of an adjective, or any."""
        told = [*part.measured(table), *part.of_figures(table), *part.of_units(table)]
        told = told or [*self.scene.measured(table), *self.scene.of_figures(table)] or list(own)
        return list(dict.fromkeys(told)) or self.scene.ordered(table)[:_MOST_COLUMNS]

    def _is_at_end(self, table: Table, part: Scene) -> bool:
        """Whether a row that is named is at the end that is said, among all or among some that may be meant."""
        here = [next(iter(rows)) for one in part.names if len(rows := self.scene.rows(one, table)) == 1]
        candidates = set(here or self.meant.single(table))
        if len(here) > 1:
            return False
        groups = [rows for one in self.meant.names if len(rows := self.scene.rows(one, table)) > 1]
        for degree in part.degrees("superlative") or self.scene.degrees("superlative"):
            of = degree.adjective.of
            own = part.by_adjective(degree.adjective, table)[0]
            for column in self._columns(table, part, own):
                values = values_of(table, column)
                # The fastest takes the least time.
                either = of is not None and column not in own and not is_dated(table, column)
                high = end_of(degree.adjective, table, column) == "high"
                for group in (frozenset(range(len(table.rows))), *groups):
                    inside = [values[row] for row in group if row in values]
                    ends = {max(inside), min(inside)} if len(inside) > 1 else set()
                    if ends and not either:
                        ends = {max(inside) if high else min(inside)}
                    if any(values.get(row) in ends for row in candidates & group):
                        return True
        return False

    def _is_more(self, table: Table, part: Scene) -> bool:
        """Whether a row or group that is named is more than another, or than at another time, in a column that may be meant."""
        degrees, factor = (*part.degrees("comparative"), *part.compared_so()), times_said(part)
        for column, a, b in self._pairs(table, part):
            if factor is not None and a > 0 and b > 0:
                if is_so_many_times(part, a / b, factor):
                    return True
            elif len(degrees) == 1 and a != b and not part.figures:
                lasts = column in table.of_dimension.get("time", ()) and degrees[0].adjective.of is not None
                if lasts or (a > b) == (end_of(degrees[0].adjective, table, column) == "high"):
                    return True
        return False

    def _has_sign(self, table: Table, part: Scene) -> bool:
        """Whether the rows that are named all have the sign of the direction that is said, in a column of signed figures."""
        rows = {row for one in self.meant.names for row in self.scene.rows(one, table)}
        up = part.has("up")
        for column in self.scene.ordered(table)[:_MOST_COLUMNS] if rows and up != part.has("down") else ():
            values = values_of(table, column)
            signs = {value > 0 for value in values.values()}
            if len(signs) > 1 and all(row in values and values[row] and (values[row] > 0) == up for row in rows):
                return True
        return False

    def _pairs(self, table: Table, part: Scene) -> Iterator[tuple[str, Decimal, Decimal]]:
        """What is compared: two rows or groups that are named in one column; or one of them at two times, where no other is compared."""
        named = list(filter(None, (self.scene.rows(one, table) for one in self.meant.names)))
        compared = [rows for one in self.meant.names if one.compared and (rows := self.scene.rows(one, table))]
        families = [] if len(named) > 1 else self.page.index.families.get(table.number, {}).values()
        for one in (rows for rows in named if rows not in compared):
            own = [
                column
                for degree in part.degrees("comparative")
                for column in part.by_adjective(degree.adjective, table)[0]
            ]
            for column in self._columns(table, part, own):
                for two in compared:
                    yield from ((column, a, b) for a, b in _levels(table, column, one, two) if one != two)
            for family in families:
                sums = [sum(values.values(), Decimal(0)) for c in family if (values := values_of(table, c, one))]
                yield from ((family[0], b, a) for a, b in combinations(sums, 2))

    def _is_part(self, table: Table, part: Scene) -> bool:
        """Whether a part of a whole that is said in words is that of two groups, or of two columns of a row."""
        said = part.fraction or self.scene.fraction
        told = [column for column in self.scene.measured(table) if column not in table.rates]
        ratios: list[Decimal] = []
        for one, two in permutations([frozenset(range(len(table.rows))), *self.meant.named(table)], 2):
            pairs = [(Decimal(len(one)), Decimal(len(two)))] if one < two and len(one) > 1 else []
            for column in told if one < two else ():
                pairs += _levels(table, column, one, two)
            ratios += [a / b for a, b in pairs if b]
        for row in self.meant.single(table):
            values = [value for column in told if (value := value_at(table, row, column)) is not None]
            ratios += [a / b for a, b in permutations(values, 2) if b]
        return said is not None and any(abs(ratio - said[1]) <= said[1] * _NEAR for ratio in ratios)

    def _is_so_of_some(self, one: CheckedStatement, table: Table, part: Scene) -> bool:
        """Whether a count, none, all or only holds of some rows that may be meant, and of a condition that is said."""
        conditions, groups = self._conditions(table, part, one), self.meant.told(table)
        if one.key == "count":
            said = next((each for each in self.scene.every_figure if each.figure.start == one.span[0]), None)
            sizes = {len(rows & held) for rows in groups for held in conditions}
            known = said is not None and bool(said.figure.readings) and said.figure.readings[0] in sizes
            return known or (said is not None and not self.meant.is_plain and self.may_come(said, counts=False))
        if one.key == "all" and part.degrees("superlative") and not part.has("at_least", "at_most"):
            return True  # All together, of which one is the least.
        named = self.meant.named(table)
        every = frozenset(range(len(table.rows)))
        each = [rows for one in self.meant.names if (rows := self.scene.rows(one, table))]
        together = frozenset(row for rows in each for row in rows)
        for rows in filter(None, (every, together, *(rows for rows in each if len(rows) > 1))):
            for held in conditions - {rows}:
                inside = rows & held
                if one.key == "only" and inside in named and len(inside) < len(rows):
                    return True
                if (one.key == "none" and not inside) or (one.key == "all" and inside == rows and len(rows) > 1):
                    return True
        return False

    def _is_of_only_row(self, one: CheckedStatement) -> bool:
        """Whether a text stands in a result of one row, which may be said of all others: the month of a report."""
        mine = [mention for mention in self.meant.names if mention.start < one.span[1] and one.span[0] < mention.end]
        only = [table for table in self.page.tables if len(table.rows) == 1]
        if len(only) == len(self.page.tables):
            return False
        return any(self.scene.refs(mention, table) for mention in mine for table in only)


def _is_turned(reckoner: FigureReckoner, table: Table, found: CellReckoning) -> bool:
    """Whether a cell is what is said with the other sign: a retreat of 64 m, of -64."""
    return found.kind == "cell" and found.value < 0 and reckoner.comes_to(table, found._replace(kind="sum"))


def _is_end(table: Table, column: str, row: int, group: Rows) -> bool:
    """Whether a row has the highest or the lowest value of a group."""
    values = values_of(table, column, group)
    return row in values and values[row] in (max(values.values()), min(values.values()))


def _times_together(table: Table) -> Iterator[tuple[int, ...]]:
    """Rows that follow each other in time: the months of a quarter."""
    order = table.in_time if table.is_of_periods else None
    for first, last in combinations(range(len(order) if order is not None else 0), 2):
        yield tuple(order[first : last + 1]) if order is not None else ()


def _apart_in_time(table: Table, row: int, other: int) -> Iterator[CellReckoning]:
    """How long two rows lie apart in each column of days, times or years."""
    for column in (column for column in table.columns if is_timed(table, column) or table.holds_years(column)):
        a, b = value_at(table, row, column), value_at(table, other, column)
        if a is not None and b is not None:
            kind = "difference" if table.holds_years(column) else "span"
            yield CellReckoning("difference" if kind == "difference" else "span", abs(a - b), (row, other), (column,))


def _levels(table: Table, column: str, one: Rows, two: Rows) -> Iterator[tuple[Decimal, Decimal]]:
    """What two groups have of a column: their sums, and their averages."""
    first, second = (list(values_of(table, column, rows).values()) for rows in (one, two))
    if first and second:
        a, b = sum(first, Decimal(0)), sum(second, Decimal(0))
        yield a, b
        yield a / len(first), b / len(second)
