"""Every statement of a text that relates rows, columns and values, each verified by one check.

A sentence, an entry of a list or a row of a table is read by every check of CHECKS; what none of them understands is left to the
rules for figures and names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal

from veracity.grounding.binding.answer_page import AnswerPage
from veracity.grounding.binding.bind import Bound
from veracity.grounding.statements.cell_values import values_of
from veracity.grounding.statements.changes import changes_hold
from veracity.grounding.statements.columns_compared import (
    columns_compared_hold,
    rests_hold,
    targets_hold,
    terms_hold,
    times_compared_hold,
)
from veracity.grounding.statements.counted_parts import breakdowns_hold, so_often_hold
from veracity.grounding.statements.cues import may_relate
from veracity.grounding.statements.described_rows import described_rows_hold
from veracity.grounding.statements.differences import differences_hold, parts_in_rates_hold, shares_of_total_hold
from veracity.grounding.statements.flags import absences_hold, flags_hold, full_hold, gaps_hold, never_hold, undone_hold
from veracity.grounding.statements.listed_cells import listed_cells_hold
from veracity.grounding.statements.named_together import equals_hold, neither_hold
from veracity.grounding.statements.orders import comparisons_hold, ends_compared_hold, figures_compared_hold, ranks_hold
from veracity.grounding.statements.other_readings import Tries
from veracity.grounding.statements.proof import ContradictionProof
from veracity.grounding.statements.quantifiers import quantifiers_hold
from veracity.grounding.statements.rankings import followers_hold, listed_rows_hold, rankings_hold
from veracity.grounding.statements.reckoned_figures import reckoned_figures
from veracity.grounding.statements.repeated_amounts import frequencies_hold, yearly_amounts_hold
from veracity.grounding.statements.row_texts import (
    compounds_stand_in_row,
    months_hold,
    states_hold,
    texts_stand_in_one_row,
    ways_hold,
)
from veracity.grounding.statements.scene import CheckedStatement, Scene
from veracity.grounding.statements.second_readings import second_readings
from veracity.grounding.statements.selections import counts_hold, shares_hold, years_of_lists_hold
from veracity.grounding.statements.several_compared import (
    groups_compared_hold,
    others_together_hold,
    several_compared_hold,
    still_more_hold,
)
from veracity.grounding.statements.spans_said import lateness_holds, spans_said_hold, weekdays_hold
from veracity.grounding.statements.superlatives import ranges_hold, spreads_hold, superlatives_hold
from veracity.grounding.statements.totals import medians_hold, totals_hold
from veracity.grounding.statements.understood import UnderstoodWords
from veracity.grounding.statements.unknown_names import names_are_known, reasons_are_known
from veracity.grounding.statements.unread_claims import unread_claims
from veracity.grounding.statements.whole_columns import whole_columns_hold

StatementCheck = Callable[[Scene], Iterable[CheckedStatement]]

OF_EVERY_SENTENCE: tuple[StatementCheck, ...] = (
    texts_stand_in_one_row,
    compounds_stand_in_row,
    months_hold,
    ways_hold,
    states_hold,
    flags_hold,
    absences_hold,
    gaps_hold,
    never_hold,
    full_hold,
    counts_hold,
    years_of_lists_hold,
    rankings_hold,
    listed_rows_hold,
    totals_hold,
    medians_hold,
    whole_columns_hold,
    breakdowns_hold,
    so_often_hold,
    listed_cells_hold,
    rests_hold,
    terms_hold,
    frequencies_hold,
    yearly_amounts_hold,
    spans_said_hold,
    lateness_holds,
    weekdays_hold,
    names_are_known,
    reasons_are_known,
)
OF_RELATIONS: tuple[StatementCheck, ...] = (
    changes_hold,
    superlatives_hold,
    followers_hold,
    described_rows_hold,
    ranges_hold,
    spreads_hold,
    ranks_hold,
    comparisons_hold,
    ends_compared_hold,
    figures_compared_hold,
    several_compared_hold,
    groups_compared_hold,
    equals_hold,
    neither_hold,
    others_together_hold,
    still_more_hold,
    differences_hold,
    shares_hold,
    shares_of_total_hold,
    parts_in_rates_hold,
    columns_compared_hold,
    times_compared_hold,
    targets_hold,
    quantifiers_hold,
    undone_hold,
)
CHECKS = (*OF_EVERY_SENTENCE, *OF_RELATIONS)
"""Those of the second kind only where a word relates values: rose, highest, more than, half, none."""


def statements_of(
    page: AnswerPage, bound: Sequence[Bound], *, lang: str = "en", is_known: Callable[[str], bool] | None = None
) -> list[CheckedStatement]:
    """What a text says beyond single figures, and whether the data bears it out."""
    if not page.tables or not page.words:
        return []
    by_start = {one.figure.start: one for one in bound}
    found: list[CheckedStatement] = []
    tries = Tries()
    stems = tuple(stem for table in page.tables for stem, _root in table.qualities)
    for line in page.lines:
        scene = Scene(page, line, by_start, lang=lang, is_known=is_known)
        words = page.words[line.first : line.last]
        related = "%" in scene.text or may_relate(words) or _starts_with(words, stems)
        told = [one for check in (CHECKS if related else OF_EVERY_SENTENCE) for one in check(scene)]
        reckoned = list(reckoned_figures(scene, told))
        if related:
            told = second_readings(scene, told, reckoned)
        told += [one.statement for one in reckoned]
        told = [_left_open(scene, one) for one in told]
        understood = UnderstoodWords(scene)
        told = ContradictionProof(scene, understood, tries).weighed(told, reckoned)
        found += [*told, *unread_claims(scene, understood, told, related=related)]
    return found


_OVER_ROWS = frozenset(
    [
        "superlative",
        "rank",
        "comparison",
        "count",
        "all",
        "only",
        "none",
        "not_all",
        "range",
        "spread",
        "total",
        "average",
        "share",
        "difference",
        "trend",
        "change",
        "reckoning",
    ]
)


def _left_open(scene: Scene, one: CheckedStatement) -> CheckedStatement:
    """The statement, but marked where it is about limits such as `<0.2`, or says money in the scale of a column in thousands."""
    if one.key not in _OVER_ROWS or not (_is_about_limits(scene) or _is_in_other_scale(scene, one)):
        return one
    return replace(one, truth="not_checkable")


def _is_about_limits(scene: Scene) -> bool:
    """Whether a column that is named, or measured in a unit that is said, holds limits: which of them is lowest, nobody knows."""
    limited = [(table, column) for table in scene.page.tables for column in table.limited]
    if not limited:
        return False
    named = {(ref.table, ref.column) for mention in scene.columns for ref in mention.columns}
    units = {one.meaning.unit.dimension for one in scene.every_figure if one.meaning.unit is not None}
    return any((table.number, column) in named or units & table.dimensions(column) for table, column in limited)


def _is_in_other_scale(scene: Scene, one: CheckedStatement) -> bool:
    """Whether an amount of money that a statement accounts for is as small as the cells of a column that is in thousands."""
    for said in scene.figures:
        unit, figure = said.meaning.unit, said.figure
        told = figure.start in one.settles or one.span[0] <= figure.start < one.span[1]
        if not told or unit is None or not unit.is_currency or unit.factor != 1 or figure.scale != 1 or figure.percent:
            continue
        sizes = [
            max((abs(value) for value in values_of(table, column).values()), default=Decimal(0))
            for table in scene.page.tables
            for column in table.of_dimension.get(unit.dimension, ())
            if table.columns[column].multiple >= _IN_THOUSANDS
        ]
        if sizes and figure.readings and abs(figure.readings[0]) <= 2 * max(sizes) and not scene.is_bound(said):
            return True
    return False


_IN_THOUSANDS = 1_000


def _starts_with(words: Sequence[str], stems: tuple[str, ...]) -> bool:
    return bool(stems) and any(word.startswith(stems) for word in words)
