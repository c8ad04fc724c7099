"""What the words around a figure say of how it is reckoned: which columns, which way, and by which kind of reckoning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.cue_words import COMPARED
from veracity.grounding.binding.figure_meaning import significant_digits
from veracity.grounding.binding.period_names import period_in_name
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import column_roots
from veracity.grounding.statements.changes import BY_SO_MUCH
from veracity.grounding.statements.differences import of_column_said
from veracity.grounding.statements.reckonings import PERCENT, CellReckoning, Kind
from veracity.grounding.statements.scene import Scene
from veracity.language.folding import listed
from veracity.language.stem import noun_root
from veracity.language.units import Unit, unit_called

_ADJACENT = 3
DISTINCT = 3
"""Digits by which a figure hardly comes about by chance."""
_LARGE, _TEN = 1_000, 10
_NEXT_WORDS = 2
POINTS = re.compile(
    r"\s*%?\s*(?:percentage points?|prozentpunkte?n?|points?|punkte?n?|pp(?![a-z])|个?百分点)", re.IGNORECASE
)
_PLUS = re.compile(r"[+＋]\s*$")
_CUES: dict[Kind, str] = {
    "difference": "reckoned_difference",
    "change": "reckoned_change",
    "share": "reckoned_share",
    "rest": "reckoned_difference",
    "sum": "reckoned_sum",
    "average": "reckoned_average",
    "rate": "reckoned_rate",
    "product": "reckoned_product",
    "spread": "reckoned_spread",
}
_SAID_SO: tuple[tuple[str, frozenset[Kind]], ...] = (
    ("reckoned_average", frozenset({"average", "rate", "span"})),
    ("total", frozenset({"sum", "count", "product", *PERCENT})),
)
"""Words that leave no other kind: the average, in total."""
_OF_WHOLE = re.compile(
    r"\s*(?:%|percent|per cent|prozent)?\s*(?:of|der|des|von|vom|aller|davon|的)(?![a-z])", re.IGNORECASE
)
_THERE_ARE = re.compile(
    r"(?<![a-z])(?:there (?:are|were)|we have|has|have|had|es gibt|gibt es|wir haben|hat|haben|all|alle|the|die|these|unsere|our)\s*$|有$|共$"
)
_PARTLY = re.compile(r"\s*(?:out of|of|der|von den|von diesen|aus)\s", re.IGNORECASE)
_WHICH = re.compile(
    r",?\s*(?:that|which|who|whose|where|with|without|die|der|das|welche|mit|ohne|deren)\s", re.IGNORECASE
)
_IS_SHARE = re.compile(r"占(?:了|到|约|近)?\s*$")
_OF_THE = re.compile(r"(?<![a-z])(?:of the|out of|of|von den|von|der|aus)\s*$")
"""Before a whole: 19 of the 47."""
_SO_MUCH = listed(
    "ueber unter hinter vor more fewer less mehr weniger higher lower longer shorter hoeher tiefer laenger kuerzer empty vacant spare leere left free remaining uebrig frei freie ahead behind over above under below short "
    "missing unsold late early later earlier zu ab 多 少 高 低 差 剩"
)
_APART = listed(
    "under over above below more fewer less ahead behind short higher lower longer shorter mehr weniger hoeher tiefer laenger kuerzer"
)
"""Behind a figure, they make it a distance."""
_PER = re.compile(r"(?<![a-z])(?:pro|per|je|for an?|for each|each|every|jede[rs]?)\s*$|每[\u4e00-\u9fff]?$")
_PER_UNIT = re.compile(
    r"(?<![a-zäöü])(?:(?P<head>pro kopf|per (?:head|capita|person))|(?:pro|per|je|/|a)\s+(?P<unit>[a-zäöü²³]{1,12}))|(?P<sign2>人均)|每(?P<sign>[\u3400-\u9fff])",
    re.IGNORECASE,
)
_SAYS_PER = re.compile(r"(?<![a-z])(?:per|pro|je)(?![a-z])(?! (?:cent|saldo))|每")
_BREAKDOWN = re.compile(r"[^().;,（）]{0,30}[(（][^()（）]*[0-9][^()（）]*[0-9][^()（）]*[)）]")
_HEADS = frozenset(
    map(noun_root, listed("population inhabitants residents people persons einwohner personen 人口 人数"))
)
INCLUDED = re.compile(
    r"(?<![a-z])(?:inklusive|inkl|einschliesslich|including|incl|plus|together with|samt|zuzueglich)(?![a-z])|(?<![a-z])(?:mit|with) [a-z]+ (?:sind|ist|waeren|macht|kommt|kostet|kosten|betraegt|zahlt|it|that|this)(?![a-z])|含"
)
_LED_FROM = re.compile(
    r"(?<![a-z])(?:from|von|vom|after|nach|versus|vs|against|gegenueber)\s*(?:a |the |chf |eur |usd |[$€£] ?)?$|从$|由$|较$"
)
"""Before what was the case at the time before."""
_YEARLY = re.compile(
    r"(?<![a-z])(?:jahres\w*|annual\w*|full year|whole year|ganze[ns]? jahr\w*|year as a whole)(?![a-z])|全年|年度"
)
_NET = re.compile(r"(?<![a-z])(?:on balance|net|netto|per saldo|unter dem strich)(?![a-z])|净")
_SO_THAT = re.compile(r"(?<![a-z])(?:also|das sind|das entspricht|that is|ie|or|by|um)(?: [a-z]+){0,2}\s*$|即|约")
_LEFT = listed(
    "left free remaining vacant available spare empty unused frei freie freien uebrig verbleibend verbleibende leer leere 剩 余 空 缺 差"
)
_FOR_ONE = listed("a an one ein eine einen einer jeder jede jedes each every")
_THE = frozenset({"the", "der", "die", "das"})
_EACH = listed("per pro je each apiece every ratio 每 均")


def is_currency(unit: str) -> bool:
    """Whether the unit of a column is money."""
    known = unit_called(unit)
    return known is not None and known.is_currency


def _measured_in(table: Table, unit: Unit) -> list[str]:
    """The columns that are measured in a unit of this kind, also of a single record."""
    if len(table.rows) > 1:
        return table.of_dimension.get(unit.dimension, [])
    return [column for column in table.figures if unit.dimension in table.dimensions(column)]


class FigureWords:
    """One figure in its sentence."""

    def __init__(self, scene: Scene, said: SaidFigure) -> None:
        self.scene, self.said, self.page = scene, said, scene.page
        figure, bound = said.figure, scene.bound.get(said.figure.start)
        end = figure.end - (1 if figure.text.endswith("%") else 0)
        self.points = POINTS.match(self.page.text, end) is not None
        """Whether it counts percentage points."""
        self.sure = bound is not None and bound.sure and self.names_row()
        """Whether its own words say a cell that says otherwise: then others must say that it is reckoned."""
        self.open = bound is not None and bound.provenance.status == "ambiguous"
        """Whether it stands in a cell, and only the words do not say in which."""
        size = abs(figure.readings[0]) if figure.readings else 0
        told = DISTINCT if size >= _LARGE else 2 if size >= _TEN or figure.percent else 0
        self.says_part = False
        """Whether a word says a part of a whole in its place: fewer than half."""
        self.digits = max(significant_digits(figure), told)
        """By how many digits it differs from others."""

    @property
    def follows_whole(self) -> bool:
        """Whether what stands before it makes it a whole: 19 of the 47."""
        return _OF_THE.search(self.page.tokens.before(self.said.first, 16)) is not None

    @cached_property
    def clause(self) -> Scene:
        start = self.said.figure.start
        return next((one for one in self.scene.clauses if one.line.start <= start < one.line.end), self.scene)

    @cached_property
    def heading(self) -> Scene | None:
        """The line above a list that the figure stands in."""
        line = self.scene.line
        listed = line.listed and line.above >= 0
        return Scene(self.page, self.page.lines[line.above], self.scene.bound, lang=self.scene.lang) if listed else None

    @cached_property
    def sign(self) -> int | None:
        """The sign that is written before the figure."""
        readings = self.said.figure.readings
        if readings and readings[0] < 0:
            return -1
        before = self.page.text[max(0, self.said.figure.start - 2) : self.said.figure.start]
        return 1 if self.said.figure.text[:1] in "+＋" or _PLUS.search(before) else None

    @cached_property
    def way(self) -> str | None:
        """The direction that is said; where a part only says by how much (also um rund 26 %), that of the sentence."""
        so_much = _SO_THAT.search(self.page.tokens.before(self.said.first, 28)) is not None
        for part in (self.clause, self.scene) if so_much else (self.clause,):
            up, down = part.has("reckoned_up", "up"), part.has("reckoned_down", "down")
            if up != down:
                return "up" if up else "down"
        return None

    def told(self, table: Table) -> set[str]:
        """The columns that words, other figures of the sentence, or the unit of the figure say."""
        mentions = [*self.scene.columns, *self.page.carried(self.said, self.page.columns)]
        heading = self.page.heading(self.said)
        mentions += self.page.columns.within(*heading) if heading is not None else []
        refs = [ref for one in mentions if one.end - one.start > 1 for ref in one.columns if ref.table == table.number]
        sure = {ref.column for ref in refs if ref.sure}
        told = (sure or {ref.column for ref in refs}) | set(self.scene.of_figures(table))
        unit = self.said.meaning.unit
        measured = [
            column for column in table.measures if unit is not None and unit.dimension in table.dimensions(column)
        ]
        if not sure.isdisjoint(measured):
            measured = []  # 3,700 kWh more gas: the unit of the electricity, too, but not said of it.
        nouns = {ref.column for ref in self.page.nouns(self.said.figure) if ref.table == table.number}
        if unit is None and self.page.text[self.said.figure.end : self.said.figure.end + 1] == "元":
            money = [column for column in table.figures if (own := table.columns[column].unit) and is_currency(own)]
            nouns |= set(money) if len(money) == 1 else set()
        return told | set(measured) | (nouns if nouns.isdisjoint(told) else set()) | self.each_of(table)

    @property
    def says_net(self) -> bool:
        """Whether what comes in less what goes out is said: net of, 净胜."""
        return _NET.search(self.scene.folded) is not None

    @cached_property
    def says_each(self) -> bool:
        """Whether something is said for one of another: per game."""
        return _SAYS_PER.search(self.scene.folded) is not None

    def one_of(self, table: Table) -> set[str]:
        """The columns of one of which an amount is said: ein Waschgang bringt 6 Franken, an event donor gave CHF 80, a litre costs 1.13."""
        unit, words = self.said.meaning.unit, self.page.words
        if unit is None or not unit.is_currency:
            return set()
        told = [one for one in self.scene.columns if words[one.first - 1] in _FOR_ONE and one.last < self.said.first]
        found = {ref.column for one in told for ref in one.columns if ref.table == table.number}
        for at in range(self.scene.line.first + 1, self.said.first):
            one = unit_called(words[at]) if words[at - 1] in _FOR_ONE or words[at - 1] in _THE else None
            found |= set(table.of_dimension.get(one.dimension, ())) if one is not None else set()
        return found - set(table.of_dimension.get(unit.dimension, ()))

    def each_of(self, table: Table) -> set[str]:
        """The columns for one of which something is said: per clear night, pro Hektar, 每场, per head."""
        found = self.one_of(table)
        for one in self.scene.columns:
            if _PER.search(self.page.tokens.before(one.first, 12)):
                found |= {ref.column for ref in one.columns if ref.table == table.number}
        line = self.scene.line
        for said in _PER_UNIT.finditer(self.page.text, line.start, line.end):
            unit = unit_called(said["unit"]) if said["unit"] else None
            found |= set(_measured_in(table, unit)) if unit is not None else set()
            found |= {column for column in table.figures if said["sign"] and column.startswith(said["sign"])}
            heads = said["head"] is not None or said["sign2"] is not None
            found |= {column for column in table.figures if heads and not _HEADS.isdisjoint(column_roots(column))}
        return found

    def names_row(self) -> bool:
        """Whether a row is named in this part of the sentence, or before it."""
        end = self.clause.line.end
        return any(one.start < end for one in self.scene.names) or not self.scene.names

    def counts_some_rows(self) -> bool:
        """Whether the figure counts rows, fewer than there are, and more is said of which: two of the flights, four flights that left."""
        figure, page = self.said.figure, self.page
        noun = page.noun_of(figure)
        if noun is None or figure.percent or self.said.meaning.unit is not None or figure.readings[0] < 1:
            return False
        naming = (ref.column in page.tables[ref.table].naming for ref in noun.columns)
        refs = [ref for ref, names in zip(noun.columns, naming, strict=True) if names or not page.measured((ref,))]
        fewer = any(figure.readings[0] < len(page.tables[ref.table].rows) for ref in refs)
        text = page.text
        partly = _PARTLY.match(text, figure.end) is not None or _WHICH.match(text, noun.end) is not None
        line = self.scene.line
        plain = _THERE_ARE.search(self.page.tokens.before(self.said.first, 24)) is not None
        goes_on = page.tokens.at(noun.end) + 1 < line.last
        return fewer and (partly or (goes_on and not plain and not self.scene.has("total")))

    def lead_to(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether the last word for a column before the figure, in its part of the sentence, says the column of a cell."""
        page, said = self.page, self.said
        before = [one for one in page.near(said, page.measures) if one.last < said.first]
        if not before or table is None or said.figure.start - before[-1].end > _ADJACENT:
            return False
        if self.sure and self.page.text[before[-1].start].isascii():
            return False
        size = before[-1].end - before[-1].start
        refs = (ref for ref in before[-1].columns if ref.table == table.number and ref.column in found.columns)
        return any(ref.sure and len(ref.column) <= size + 1 for ref in refs)

    def allow(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether no word of this part of the sentence says another kind of reckoning."""
        part = self.scene if len(self.scene.figures) == 1 else self.clause
        if found.kind == "share" and table is not None:
            whole = of_column_said(self.scene, table, self.said)
            if whole and not set(whole) & set(found.columns):
                return False  # 25 % of the revenue is no quarter of the rows.
        if found.kind in ("share", "rest") and BY_SO_MUCH.search(self.page.tokens.before(self.said.first, 28)):
            return False  # Fell by 41 % is no 41 % of it.
        if found.kind in ("sum", "average", "product") and not _APART.isdisjoint(self._right_behind):
            return False  # 2,100 under the budget is no total.
        of_rows = len(found.rows) > 1
        if found.kind in ("cell", "span") or (found.kind == "difference" and of_rows and self.says_left()):
            return True  # In total 990 are left.
        return all(found.kind in kinds for word, kinds in _SAID_SO if part.says_apart(word))

    @property
    def _right_behind(self) -> Sequence[str]:
        return self.page.words[self.said.last + 1 : self.said.last + 2]

    def say_so(self, found: CellReckoning, table: Table | None = None) -> bool:
        """Whether the words right around the figure say that it is reckoned: rose by 5, 5 more, +5, in total, on average."""
        if found.kind in (*PERCENT, "cell", "span") or self.sign is not None:
            return True
        if found.kind == "difference":
            before, behind = (
                self.page.tokens.before(self.said.first, 28),
                self.page.words[self.said.last + 1 : self.said.last + 4],
            )
            return self.says_net or BY_SO_MUCH.search(before) is not None or not _SO_MUCH.isdisjoint(behind)
        if found.kind == "rate":
            each = not _EACH.isdisjoint(self.page.words[self.scene.line.first : self.scene.line.last])
            one = table is not None and found.columns[-1:] and found.columns[-1] in self.one_of(table)
            return each or bool(one) or self.clause.has("reckoned_average")
        if found.kind == "sum" and (
            self.follows_whole
            or self.counts_all(found)
            or self.breaks_down(found)
            or INCLUDED.search(self.scene.folded)
        ):
            return True
        kind = {"sum": "total", "average": "reckoned_average", "product": "total"}.get(found.kind)
        return kind is not None and self.clause.has(kind)

    def breaks_down(self, found: CellReckoning) -> bool:
        """Whether brackets behind the figure say its parts: 21 goals (9 goals and 12 assists)."""
        return not found.columns and _BREAKDOWN.match(self.page.text, self.said.figure.end) is not None

    def counts_all(self, found: CellReckoning) -> bool:
        """Whether the noun of the figure says the very columns that are added: pupils, of pupils.girls and pupils.boys."""
        nouns = {ref.column for ref in self.page.nouns(self.said.figure)}
        return len(nouns) > 1 and nouns == set(found.columns)

    def says_year(self, found: CellReckoning) -> bool:
        """Whether the year is said of which all times are that are added: 173 in 2025, of Q1 2025 to Q4 2025."""
        parts = [period_in_name(column) for column in found.columns]
        years = {one.order[:4] for one in parts if one is not None and "-" in one.order}
        yearly = _YEARLY.search(self.scene.folded) is not None
        return len(parts) > 2 and None not in parts and len(years) == 1 and (yearly or years.pop() in self.scene.folded)

    def goes_back(self, table: Table, found: CellReckoning) -> bool:
        """Whether a cell is that of the time right before one that is said: 97 in the third quarter, up from 58."""
        if not self.leads_from() or self._has_own_time():
            return False
        if self.is_row_before(table, found.rows[:1]):
            return True
        said = {*self.clause.periods(table), *self.scene.periods(table), *self.scene.of_figures(table)}
        families = self.page.index.families.get(table.number, {}).values()
        return any((found.columns[0], now) in pairwise(family) for family in families for now in said)

    def _has_own_time(self) -> bool:
        """Whether a time stands right behind the figure: from 120 in Q2 to 98 in Q4."""
        behind = (one for one in self.scene.columns if 0 < one.first - self.said.last <= _NEXT_WORDS)
        return any(
            self.page.is_period(one) and self.page.segment(one) == self.page.segment(self.said) for one in behind
        )

    def is_row_before(self, table: Table, rows: Sequence[int]) -> bool:
        """Whether a row is of the time right before the one that is named: 57 in W39, up from 29."""
        order = table.in_time if table.is_of_periods else None
        named = {row for _one, row in self.scene.subjects(table)}
        return order is not None and any((rows[0], row) in pairwise(order) for row in named) if rows else False

    def leads_from(self) -> bool:
        """Whether the figure is what something was before: up from 29."""
        return _LED_FROM.search(self.page.tokens.before(self.said.first, 24)) is not None

    def times_compared(self, table: Table) -> set[str]:
        """The times that the sentence only compares with: cheaper than last week."""
        said = (one for one in self.scene.columns if self.page.is_period(one))
        compared = (one for one in said if COMPARED.search(self.page.tokens.before(one.first, 40)))
        return {ref.column for one in compared for ref in one.columns if ref.table == table.number}

    def says_left(self) -> bool:
        """Whether a word beside the figure says that so much is left: 11 free places, noch 40 übrig, 还剩."""
        words, at = self.page.words, self.said
        near = {*words[max(self.clause.line.first, at.first - 3) : at.first], *words[at.last + 1 : at.last + 4]}
        return not _LEFT.isdisjoint(near)

    def goes_on(self, table: Table, found: CellReckoning) -> bool:
        """Whether a cell is of the time after the one that another part of the sentence compares with: 1.40 less than last week, now 12.60."""
        compared = self.times_compared(table) if not self.clause.periods(table) else set()
        families = self.page.index.families.get(table.number, {}).values()
        return any((before, found.columns[0]) in pairwise(family) for family in families for before in compared)

    def is_of_whole(self) -> bool:
        """Whether a share is said to be one: 40 % of, 占40%."""
        figure, text = self.said.figure, self.page.text
        behind = _OF_WHOLE.match(text, figure.end) is not None
        return behind or _IS_SHARE.search(text, max(0, figure.start - 4), figure.start) is not None

    def have_cue(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether a word says that something is reckoned in this way."""
        if found.kind in ("span", "cell", "count"):
            return True
        parts = [one for one in (self.clause, self.scene, self.heading) if one is not None]
        if found.kind == "rate" and table is not None and found.columns and found.columns[-1] in self.one_of(table):
            return True
        if found.kind == "share" and not found.columns and len(found.rows) == 1:
            return self.says_part or self.is_of_whole()  # A 10 % discount is no row of ten.
        if found.kind == "share":
            return self.says_part or self.is_of_whole() or not any(one.has("reckoned_change") for one in parts)
        if found.kind == "sum" and (
            self.counts_all(found)
            or self.breaks_down(found)
            or self.says_year(found)
            or INCLUDED.search(self.scene.folded)
            or (self.follows_whole and len(found.columns) == len(found.rows) + 1 == 2)
        ):
            return True
        if found.kind == "sum" and table is not None and len(found.rows) == len(table.rows) > 1:
            return not self.scene.has("reckoned_average")
        return any(one.has(_CUES[found.kind]) for one in parts)

    def say_several_times(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether the heading of a list says several times of a measure, and the cell is of one of them: June -> July."""
        said = set(self.heading.periods(table)) if self.heading is not None and table is not None else set()
        families = self.page.index.families.get(table.number, {}).values() if table is not None else ()
        return any(len(said & set(family)) > 1 and found.columns[0] in said & set(family) for family in families)
