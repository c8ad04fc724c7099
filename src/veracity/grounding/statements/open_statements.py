"""Whether a statement that a check called wrong may be true in a way that was not read: of other rows, of some of them, or of what nothing knows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cached_property

from veracity.grounding.statements.cues import NUMBER_WORDS
from veracity.grounding.statements.of_them import of_them
from veracity.grounding.statements.other_readings import OtherReadings
from veracity.grounding.statements.scene import CheckedStatement, Scene
from veracity.grounding.statements.understood import UnderstoodWords
from veracity.language.folding import folded_text, listed

_MOST_UNREAD = 1
"""So many words of a clause may be unknown where its claim is still read for certain;"""
_MORE_WORDS = 12
"""and one more for so many words."""
_ORDERING = frozenset({"trend", "comparison", "superlative", "rank"})
_NEXT = 2
_NO_LEVELS = {
    "trend": ("sum", "whole", "difference", "change", "cell"),
    "comparison": ("difference", "change", "cell"),
    "superlative": ("whole",),
    "rank": ("whole",),
}
"""What may rise itself, or says by how much: nothing else is spoken of."""
_NAMES = frozenset({"name", "row", "other_row", "often"})
_LEADS_TO = re.compile(r"\s*(?:(?:in|an|bei|auf|at|on|for|by|um|für) )?", re.IGNORECASE)
"""Only 140 m, nur in vier Orten."""
_IS_NOT = re.compile(r"(?:不是|并非)[^，。；]{1,12}的")
"""主要品类不是绿茶的目的地."""
_AMONG = re.compile(
    r"(?<![a-z])(?:among|amongst|within|unter den|bei den)(?: the)? (?!(?:the|all|alle)(?![a-z]))[a-z]+,"
)
"""Among the women, B came first."""
_ACROSS = re.compile(
    r"(?<![a-z])(?:across|over|in) all(?![a-z])|(?<![a-z])(?:ueber alle|in allen|aller)(?![a-z]).{0,40}(?:zusammen|insgesamt)"
)
"""A total, not each of them: across all districts."""
_SO_IS = re.compile(
    r"[,;] (?:and )?(?:so|as) (?:is|are|was|were|did|do|does|has|have)(?![a-z])|[,;] (?:und )?ebenso(?![a-z])|，[^，。]{0,8}也"
)
"""And so is one that is still live: that is no row of them."""
_MORE_THAN = re.compile(
    rf"(?<![a-z])(?:than|als)(?![a-z])(?! (?:[0-9$€£]|half|twice|{NUMBER_WORDS}))|(?:超过|多于|少于|高于|低于)(?!约?[0-9一二两三四五六七八九十])"
)
_CUES = ("all", "none", "only", "negated", "up", "down", "more_than", "less_than", "beats")
_RELATIONS = frozenset({"count", "all", "none", "only", "not_all", "comparison", "superlative", "rank", "share"})
"""They are as often misread as wrong where a word of their part was not understood, or where a sentence of several parts does not name their row."""
_OF_SOME_ROWS = frozenset({"only", "all", "none", "count"})
_NONE_OF_THEM = re.compile(
    r"(?<![a-z])(?:neither|none of (?:them|these|those|the two)|keine[rs]? (?:davon|von ihnen|der beiden)|weder)(?![a-z])|[都均](?:没|未|不)"
)
_THE = re.compile(
    r"(?<![a-z])(?:the|these|all|our|your|my|die|der|den|alle[nr]?|diese[nr]?|ihre[nr]?|unsere[nr]?)\s*$|这|所有|全部"
)
_OF_THEM = re.compile(
    r"(?:其中有?|(?<![a-z])(?:of (?:them|which|these|those),?|davon|darunter|von diesen) (?:are |is |were |sind |ist |waren )?)$"
)
_PART_OF_ALL = re.compile(
    r"(?:%|percent|prozent|half|thirds?|quarters?|haelfte|drittel|viertel) (?:of )?(?:all|aller|alle[rn]?)(?![a-z])|占(?:所有|全部)"
)
_THEY = listed("both they these beide sie diese all alle 两 它 他 她 这 均 都")
_FIRST_OF = re.compile(
    rf"(?<![a-z])(?:(?:the|die|der|den)(?: (?:{NUMBER_WORDS}|beiden|both))? (?:ersten|letzten|obersten|untersten|first|last)|(?:first|last) (?:two|three|four|five)) "
    r"(?!(?:year|month|quarter|week|day|jahr|monat|quartal|woche|tag)\w{0,2}(?![a-z]))[a-z]+"
)
"""The first two classes: some of the rows."""
_NEAR_PART = 20
_OF_THOSE = re.compile(r"(?<![a-z])(?:davon|darunter|of (?:them|these|those)|von (?:ihnen|diesen|denen))(?![a-z])|其中")


class OpenStatements:
    """The statements of one sentence that were called wrong, and what else the sentence may say."""

    def __init__(self, scene: Scene, words: UnderstoodWords, others: OtherReadings) -> None:
        self.scene, self.page, self.words, self.others = scene, scene.page, words, others

    def is_open(self, one: CheckedStatement, open_: set[int], levels: Mapping[int, str]) -> bool:
        """Whether a statement that was called wrong may be true in a way that was not read."""
        start, end = self._around(one)
        parts = [part for part in self.scene.clauses if part.line.start < end and start < part.line.end]
        if any(self._is_caused(one, part) for part in parts) or self._is_denied_of_some(one):
            return True
        if one.key in _RELATIONS and self._relates_more_than_once and not self._names_its_row(parts):
            return True
        # It is said of what was reckoned, not of a column; or of a figure that was not understood.
        apart = {at for at, kind in levels.items() if one.key in _ORDERING and kind not in _NO_LEVELS.get(one.key, ())}
        if any(start <= at < end for at in (open_ | apart) - one.settles - {one.span[0]}):
            return True
        table = self.scene.table
        together = one.key in _ORDERING and table is not None and any(part.has("total") for part in parts)
        if together and table is not None and len({row for _name, row in self.scene.subjects(table)}) > 1:
            return True  # It is said of what several rows come to.
        return (
            self._may_mean_less(one)
            or self.others.may_hold(one)
            or self.words.unread(start, end) > self._allowed(one, start, end)
        )

    @cached_property
    def _relates_more_than_once(self) -> bool:
        """Whether several parts of the sentence relate something: all three are closed, and none of them was late."""
        told = (part for part in self.scene.clauses if part.has(*_CUES) or _relates(part))
        return sum(1 for _part in told) > 1

    def _names_its_row(self, parts: Sequence[Scene]) -> bool:
        """Whether the part that makes a statement names its row, all parts are about one row, or the later is about the rows of the first."""
        table = self.scene.table
        if table is None:
            return False
        own = len(parts) == 1 and any(parts[0].is_key(name, table) and not name.compared for name in parts[0].names)
        alone = len({row for _name, row in self.scene.subjects(table)}) == 1
        return own or alone or of_them(self.scene, table) is not None

    def _is_caused(self, one: CheckedStatement, part: Scene) -> bool:
        """Whether a cause is said, which is no name of the data: driven by the weather, but not driven by Sato."""
        cause = part.says("cause")
        if cause is None or one.key not in _NAMES:
            return cause is not None
        return self.page.text[part.original(cause.start(), cause.end())[1] : one.span[0]].strip() != ""

    def _is_denied_of_some(self, one: CheckedStatement) -> bool:
        """Whether a count is of rows that are not something, or none is said of rows that are named before: A and B, and neither was paid."""
        if one.key in ("rank", "superlative") and _AMONG.search(self.scene.folded):
            return True
        if one.key == "all" and (self._is_predicate_unread() or _PART_OF_ALL.search(self.scene.folded)):
            return True
        if one.key == "superlative" and self._is_of_unread(one):
            return True
        if one.key == "all" and (_ACROSS.search(self.scene.folded) or _SO_IS.search(self.scene.folded)):
            return True
        if one.key in _OF_SOME_ROWS and (self._compares_with_unknown(one) or self._is_narrowed()):
            return True
        if one.key == "only" and self.words.noun_of_rows and not (one.settles or self.scene.every_figure):
            return True  # On the ground floor there is only A: where that is, nothing says.
        if (one.key == "count" and self._goes_on(one)) or (one.key in _OF_SOME_ROWS and self._refers_back()):
            return True
        if one.key == "count":
            before = folded_text(self.page.text[max(self.scene.line.start, one.span[0] - _NEAR_PART) : one.span[0]])
            return (
                _IS_NOT.search(self.scene.folded) is not None
                or self._counts_names(one)
                or _OF_THEM.search(before) is not None  # of those that were counted before
            )
        table = self.scene.table
        if one.key != "none" or table is None or len({row for _name, row in self.scene.subjects(table)}) < _NEXT:
            return False
        return any(not part.names and _NONE_OF_THEM.search(part.folded) for part in self.scene.clauses)

    def _refers_back(self) -> bool:
        """Whether it is said of some that the sentence before spoke of: two are at level 0. Only H-1 of them is repaired."""
        found = _OF_THOSE.search(self.scene.folded)
        if found is None or self.page.lines[0].first == self.scene.line.first:
            return False
        start = self.scene.original(*found.span())[0]
        before = [one for one in self.scene.names if one.end <= start]
        return not any(len(self.scene.rows(one, table)) > 1 for table in self.page.tables for one in before)

    def _goes_on(self, one: CheckedStatement) -> bool:
        """Whether a part only says for which rows what the part before says holds, too: in Bern all three are active, in Basel one."""
        table, parts = self.scene.table, self.scene.clauses
        at = next((number for number, part in enumerate(parts) if one.span[0] < part.line.end), 0)
        if not at or table is None:
            return False
        own, before = (
            {ref.column for name in part.names for ref in part.refs(name, table)} for part in (parts[at], parts[at - 1])
        )
        return bool(own) and own < before

    def _is_narrowed(self) -> bool:
        """Whether a word that was not understood says which rows are meant: all three [critical] tickets; no camp for the [lower school]."""
        if not self.scene.names and (self.words.unread_name(self.scene.line) or self._takes_up_rows()):
            return True
        if not self.scene.names and _FIRST_OF.search(self.scene.folded):
            return True
        table = self.scene.table
        nouns = {
            one.first
            for one in self.scene.columns
            for ref in one.columns
            if table is not None and ref.table == table.number and (ref.column == "*" or ref.column in table.naming)
        }
        words = self.scene.page.words
        return any(at + 1 in nouns and words[at].isascii() for at in self.words.strange_words)

    def _is_of_unread(self, one: CheckedStatement) -> bool:
        """Whether no word says the column of a superlative, and one that was not understood may: faded the most."""
        table = self.scene.table
        parts = [part for part in self.scene.clauses if part.line.start < one.span[1] and one.span[0] < part.line.end]
        told = [part for part in parts if part.degrees("superlative")]
        strange = set(self.words.strange_words)
        for part in told:
            at = self.page.tokens.at(part.original(*part.degrees("superlative")[0][:2])[0])
            if {at - 1, at - 2} & strange and self.page.words[at] == "most":
                return True  # By what it [faded] the most, nothing says.
        return table is not None and any(
            not part.measured(table)
            and not part.figures
            and not any(degree.adjective.of or degree.adjective.days for degree in part.degrees("superlative"))
            and self.words.unread(part.line.start, part.line.end) > 0
            for part in told
        )

    def _takes_up_rows(self) -> bool:
        """Whether the sentence begins with a word for rows of the one before: both have no smart meter."""
        words = self.page.words[self.scene.line.first : self.scene.line.first + 1]
        return self.page.lines[0].first != self.scene.line.first and not _THEY.isdisjoint(words)

    def _is_predicate_unread(self) -> bool:
        """Whether the last word of a sentence was not understood, which says what is so of all: all lines are [low-floor]."""
        line = self.scene.line
        last = max((at for at in range(line.first, line.last) if self.page.words[at].isalnum()), default=-1)
        return last in self.words.strange_words

    def _counts_names(self, one: CheckedStatement) -> bool:
        """Whether as many rows are named as are counted: two had fewer than before, A and B."""
        table = self.scene.table
        said = next((each for each in self.scene.every_figure if each.figure.start == one.span[0]), None)
        named = {row for name in self.scene.names for row in self.scene.rows(name, table)} if table is not None else ()
        more = self.scene.degrees("comparative") or self.scene.compared_so()
        return bool(more) and said is not None and len(named) > 1 and len(named) in said.figure.readings

    def _compares_with_unknown(self, one: CheckedStatement) -> bool:
        """Whether something is compared with what no word for a column says: more girls than boys, where only girls are counted."""
        table = self.scene.table
        parts = [part for part in self.scene.clauses if part.line.start < one.span[1] and one.span[0] < part.line.end]
        if table is None:
            return False
        related = any(
            _MORE_THAN.search(part.folded) and not part.figures and len(part.measured(table)) < _NEXT for part in parts
        )
        both = one.key == "only" and any(len(part.measured(table)) >= _NEXT and part.has("all") for part in parts)
        return related or both  # All purchased seats are assigned.

    def _may_mean_less(self, one: CheckedStatement) -> bool:
        """Whether the words say no more than how many rows there are (the four jobs), or how little something is (only 140 m)."""
        if one.key == "only":
            found = self.scene.says("only")
            behind = self.scene.original(found.start(), found.end())[1] if found is not None else -1
            words = (each for each in self.scene.every_figure if each.figure.kind == "word")
            starts = (each.figure.start for each in (*self.scene.figures, *words) if each.figure.start >= behind >= 0)
            return any(_LEADS_TO.fullmatch(self.page.text, behind, start) for start in starts)
        table, said = (
            self.scene.table,
            next((f for f in self.scene.every_figure if f.figure.start == one.span[0]), None),
        )
        if one.key != "count" or table is None or said is None or Decimal(len(table.rows)) not in said.figure.readings:
            return False
        return _THE.search(self.page.tokens.before(said.first, 12)) is not None

    def _around(self, one: CheckedStatement) -> tuple[int, int]:
        """The parts of the sentence that a statement is made in; for a name, from the name before it."""
        if one.key in _NAMES:
            before = [name.end for name in self.scene.names if name.end <= one.span[0]]
            return max(before, default=self.scene.line.start), one.span[0]
        parts = [part for part in self.scene.clauses if part.line.start < one.span[1] and one.span[0] < part.line.end]
        return parts[0].line.start, parts[-1].line.end

    def _allowed(self, one: CheckedStatement, start: int, end: int) -> int:
        """How many words between two places may be unknown; none in a relation that is only one part of a sentence."""
        said = sum(bool(part.names or part.columns) for part in self.scene.clauses)
        if one.key in _RELATIONS and said > 1:
            return 0
        return _MOST_UNREAD + self.words.size(start, end) // _MORE_WORDS


def _relates(part: Scene) -> bool:
    """Whether a part of a sentence compares something, or calls it the most or the least."""
    return bool(part.degrees("superlative") or part.degrees("comparative") or part.compared_so())
