"""Rules for shares: of rows in others, of some rows in a figure, of one figure in another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.graph import is_to_one
from veracity.semantic.query import Aggregate, Condition, InSegment, Negation, Shown, Transform, all_of
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, ShareOf, SharePart, Sorting
from veracity.semantic.reading.joined_phrases import About, AboutEach, JoinedPhrase, MostRows
from veracity.semantic.reading.part_and_whole import is_within
from veracity.semantic.reading.phrases import Attribute, JoiningWord, RowFilter, RowsPhrase
from veracity.semantic.reading.related_rows import steps_of
from veracity.semantic.reading.said_phrases import Phrase, SaidPeriod

RULES: Rules = {}
rule = rule_book(RULES)


# --- what share of a figure


@rule(JoiningWord, FigurePhrase)
@rule(JoiningWord, RowsPhrase)
def _share_of(c: Composer, word: JoiningWord, whole: FigurePhrase | RowsPhrase) -> Iterator[MadePhrase]:
    """What share of revenue, of the invoices."""
    if word.kind != "share":
        return
    if isinstance(whole, RowsPhrase):
        counted = c.summed_noun(whole) if c.is_called_amount(whole.entity) else c.count(whole)
        if counted is not None and whole.bare:
            yield MadePhrase(ShareOf(counted))
    elif not whole.where and len(whole.shown) == 1:
        yield MadePhrase(ShareOf(whole))


@rule(JoiningWord, Attribute)
def _share_of_field(c: Composer, word: JoiningWord, whole: Attribute) -> Iterator[MadePhrase]:
    """What share of the amount."""
    figures = c.totalled(replace(whole, asked=True), RowsPhrase(whole.entity)) if word.kind == "share" else None
    if figures is not None and whole.plain:
        yield MadePhrase(ShareOf(figures))


@rule(ShareOf, JoiningWord)
def _share_word(c: Composer, share: ShareOf, word: JoiningWord) -> Iterator[MadePhrase]:
    if word.kind in ("comes_from", "in", "with"):
        yield MadePhrase(share)


@rule(ShareOf, RowFilter)
def _share_filter(c: Composer, share: ShareOf, filtered: RowFilter) -> Iterator[MadePhrase]:
    for narrowed, marks in c.narrowed(share.figures, filtered.entity, filtered.where, lacks=filtered.lacks):
        assert isinstance(narrowed, FigurePhrase)
        yield MadePhrase(_as_share(share.figures, narrowed.where), marks)


@rule(ShareOf, About)
@rule(ShareOf, RowsPhrase)
def _share_about(c: Composer, share: ShareOf, about: About | RowsPhrase) -> Iterator[MadePhrase]:
    rows = about.rows if isinstance(about, About) else about
    if isinstance(rows, MostRows):
        return
    if isinstance(rows, RowsPhrase) and rows.bare and not rows.named and _have_all(c, share.figures.home, rows.entity):
        return
    without = isinstance(about, About) and about.negated != (about.kind == "without")
    for condition in c.relate(share.figures.home, rows):
        met = Negation(condition=condition) if without else condition
        yield MadePhrase(_as_share(share.figures, (met,)), steps_of(met))


def _have_all(c: Composer, home: str, entity: str) -> bool:
    """Whether each row belongs to one of these, so that the share of those with one says nothing."""
    ways = c.model.ways(home, entity)
    return len(ways) == 1 and bool(ways[0]) and is_to_one(ways[0])


@rule(FigurePhrase, JoiningWord)
def _share_compound(c: Composer, whole: FigurePhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """Umsatzanteil: the share of revenue."""
    if word.kind == "share" and c.order.get("compounds") and not whole.where and _is_plain(whole):
        yield MadePhrase(ShareOf(whole))


@rule(ShareOf, AboutEach)
def _share_each(c: Composer, share: ShareOf, each: AboutEach) -> Iterator[MadePhrase]:
    shown = share.figures.shown[0].model_copy(update={"transform": Transform.SHARE})
    yield from c.divided(replace(share.figures, shown=(shown,)), each)


@rule(ShareOf, SaidPeriod)
def _share_when(c: Composer, share: ShareOf, when: SaidPeriod) -> Iterator[MadePhrase]:
    """What share of the visits in 2026 were emergencies; what share of them fell into 2026 is said with no more words."""
    if when.between or when.moment or when.compared or share.figures.period is not None:
        return
    if c.during(share.figures.home, when.period) is not None:
        yield MadePhrase(ShareOf(replace(share.figures, period=when.period)))


def share_of_time(c: Composer, share: ShareOf) -> FigurePhrase | None:
    """The percentage of visits in 2026, and no more."""
    figures = share.figures
    during = c.during(figures.home, figures.period) if figures.period is not None else None
    return _as_share(replace(figures, period=None), (during,)) if during is not None else None


def _as_share(figures: FigurePhrase, where: tuple[Condition, ...]) -> FigurePhrase:
    shown = figures.shown[0].model_copy(update={"where": all_of(where), "transform": Transform.SHARE})
    return replace(figures, shown=(shown,))


# --- the share of some rows, or of a figure, in something


@rule(JoiningWord, RowFilter)
@rule(JoiningWord, RowsPhrase)
@rule(JoiningWord, FigurePhrase)
@rule(JoiningWord, About)
def _share_part(c: Composer, word: JoiningWord, part: Phrase) -> Iterator[MadePhrase]:
    """The share of emergencies, of Swiss books, of wages."""
    if word.kind != "share":
        return
    if isinstance(part, About):
        if part.kind != "of" or part.negated:
            return
        part = part.rows
    for made in _as_part(part):
        assert isinstance(made.phrase, SharePart)
        yield MadePhrase(replace(made.phrase, of=True), made.marks)


@rule(SharePart, RowFilter)
def _share_of_kind(c: Composer, share: SharePart, filtered: RowFilter) -> Iterator[MadePhrase]:
    """What percentage of complaints were escalated: the rows of a kind are the whole."""
    kind = share.part
    if not share.of or not isinstance(kind, RowFilter) or not kind.noun or kind.entity != filtered.entity:
        return
    whole = c.count(RowsPhrase(kind.entity, where=kind.where))
    if whole is not None and filtered.where != kind.where and not filtered.lacks:
        yield MadePhrase(_as_share(whole, filtered.where))


@rule(RowFilter, JoiningWord)
@rule(RowsPhrase, JoiningWord)
@rule(FigurePhrase, JoiningWord)
def _makes_up(c: Composer, part: Phrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """Emergencies make up."""
    if word.kind == "makes_up":
        yield from _as_part(part)


def _as_part(part: Phrase) -> Iterator[MadePhrase]:
    if isinstance(part, RowFilter):
        if part.before:
            yield MadePhrase(SharePart(part))
    elif isinstance(part, RowsPhrase):
        ordered = part.order or part.limit or part.awaits or part.link or part.period or part.other or part.also
        if part.where and not ordered and not part.figure_word and not part.each:
            yield MadePhrase(SharePart(part))
    elif isinstance(part, FigurePhrase) and _is_plain(part):
        yield MadePhrase(SharePart(part))


def _is_plain(figures: FigurePhrase) -> bool:
    """Whether it is one measure, maybe of some rows and of some time."""
    said = (figures.by, figures.order, figures.compare, figures.direction, figures.having, figures.changes)
    shown = figures.shown[0]
    return len(figures.shown) == 1 and shown.measure is not None and shown.transform is None and not any(said)


@rule(SharePart, About)
@rule(SharePart, RowsPhrase)
def _part_of_rows(c: Composer, share: SharePart, about: About | RowsPhrase) -> Iterator[MadePhrase]:
    """... of the visits; of Swiss books among all books."""
    rows, part = about.rows if isinstance(about, About) else about, share.part
    plain = isinstance(about, RowsPhrase) or (about.kind in ("of", "in") and not about.negated)
    if not plain or not isinstance(rows, RowsPhrase) or isinstance(part, FigurePhrase) or rows.named:
        return
    if rows.entity != part.entity or (isinstance(part, RowsPhrase) and not rows.bare):
        return
    counted = c.count(rows) if rows.limit is None else None
    if counted is not None:
        yield MadePhrase(_as_share(counted, part.where))


@rule(SharePart, JoiningWord)
@rule(RowsPhrase, JoiningWord)
def _part_said_last(c: Composer, share: SharePart | RowsPhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """Visits that are emergencies make up what share: of all visits; in languages that put it so."""
    part = share.part if isinstance(share, SharePart) else share
    if word.kind != "share" or not c.order.get("modifiers_before") or not isinstance(part, RowsPhrase):
        return
    counted = c.count(RowsPhrase(part.entity)) if len(part.where) == 1 and not part.named and not part.period else None
    if counted is not None and not part.order and part.awaits is None:
        yield MadePhrase(_as_share(counted, part.where))


@rule(SharePart, JoinedPhrase)
@rule(SharePart, FigurePhrase)
def _part_of_figure(c: Composer, share: SharePart, right: JoinedPhrase | FigurePhrase) -> Iterator[MadePhrase]:
    """... of repairs in revenue; of wages in expenses."""
    whole = right.phrase if isinstance(right, JoinedPhrase) else right
    again = not isinstance(right, JoinedPhrase) or right.kind == "again"
    if not again or not isinstance(whole, FigurePhrase) or not _is_plain(whole):
        return
    part = share.part
    if isinstance(part, FigurePhrase):
        # The share of wages in expenses, but: what percentage of expenses were wages.
        yield from _ratio(c, part, whole) if isinstance(right, JoinedPhrase) or not share.of else _ratio(c, whole, part)
    elif isinstance(part, RowFilter):
        for narrowed, marks in c.narrowed(replace(whole, where=()), part.entity, part.where):
            assert isinstance(narrowed, FigurePhrase)
            yield MadePhrase(_as_share(whole, narrowed.where), marks)
    else:
        for condition in c.relate(whole.home, part) if part.entity != whole.home else (all_of(part.where),):
            if condition is not None:
                yield MadePhrase(_as_share(whole, (condition,)), c.steps(whole.home, condition, part))


@rule(SharePart, Sorting)
def _part_of_field(c: Composer, share: SharePart, right: Sorting) -> Iterator[MadePhrase]:
    """Der Anteil des Hotels Krone am Betrag: what is added up is a field."""
    by, part = right.by, share.part
    if not isinstance(by, Attribute) or not by.plain or right.descending is not None or isinstance(part, FigurePhrase):
        return
    whole = c.totalled(replace(by, asked=True), RowsPhrase(by.entity))
    if whole is None:
        return
    if isinstance(part, RowFilter):
        for narrowed, marks in c.narrowed(whole, part.entity, part.where):
            assert isinstance(narrowed, FigurePhrase)
            yield MadePhrase(_as_share(whole, narrowed.where), marks)
        return
    for condition in c.relate(whole.home, part) if part.entity != whole.home else (all_of(part.where),):
        if condition is not None:
            yield MadePhrase(_as_share(whole, (condition,)), c.steps(whole.home, condition, part))


def _ratio(c: Composer, part: FigurePhrase, whole: FigurePhrase) -> Iterator[MadePhrase]:
    """One figure in percent of another; a condition behind both may be about both of them."""
    if is_within(whole, part, c.model) and not is_within(part, whole, c.model):
        part, whole = whole, part  # which of them is the part is known, whichever is said first
    if part.home != whole.home:
        yield from _ratio_apart(c, part, whole)
        return
    if part.shown[0].via != whole.shown[0].via or (part.period and whole.period):
        return
    if part.shown == whole.shown and part.where == whole.where:
        return
    period, ends = part.period or whole.period, part.ends or whole.ends
    both = FigurePhrase((_in_percent(part, whole),), whole.home, period=period, ends=ends, edge=(whole.home,))
    yield MadePhrase(both)
    own = tuple(one for one in whole.where if isinstance(one, InSegment))
    said = tuple(one for one in whole.where if one not in own)
    if said and not any(not isinstance(one, InSegment) for one in part.where):
        narrow = _in_percent(part, replace(whole, where=own))
        yield MadePhrase(replace(both, shown=(narrow,), where=said))


def _ratio_apart(c: Composer, part: FigurePhrase, whole: FigurePhrase) -> Iterator[MadePhrase]:
    """Refunds in percent of revenue: figures of two tables, the rows of one of which belong to those of the other; each is of its own time."""
    ways = c.model.ways(whole.home, part.home)
    tied = len(ways) == 1 and (is_to_one(ways[0]) or is_to_one(c.model.back(ways[0])))
    if tied and not (part.where or whole.where) and not (part.period and whole.period):
        ratio, period = _in_percent(part, whole), part.period or whole.period
        yield MadePhrase(FigurePhrase((ratio,), whole.home, period=period, edge=(whole.home,)))


def _in_percent(part: FigurePhrase, whole: FigurePhrase) -> Shown:
    return Shown(ratio=(_alone(part), _alone(whole)), unit="%")


def _alone(figures: FigurePhrase) -> Shown:
    shown = figures.shown[0]
    return shown.model_copy(update={"where": all_of((shown.where, *figures.where))})


# --- in percent


@rule(JoiningWord, FigurePhrase)
def _word_whole(c: Composer, word: JoiningWord, whole: FigurePhrase) -> Iterator[MadePhrase]:
    """As a percentage of revenue."""
    if word.kind == "share_of" and _is_plain(whole):
        yield MadePhrase(JoinedPhrase("share_of", whole))


@rule(FigurePhrase, JoinedPhrase)
def _in_percent_of(c: Composer, part: FigurePhrase, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """Profit as a percentage of revenue."""
    if joined.kind == "share_of" and isinstance(joined.phrase, FigurePhrase) and _is_plain(part):
        yield from _ratio(c, part, joined.phrase)


@rule(Attribute, JoinedPhrase)
def _field_in_percent_of(c: Composer, part: Attribute, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """Refunds as a percentage of revenue: what they come to."""
    plain = replace(part, aggregate=None) if part.aggregate is Aggregate.SUM else part
    if joined.kind == "share_of" and plain.plain and c.adds_up(plain) and isinstance(joined.phrase, FigurePhrase):
        total = c.totalled(replace(plain, asked=True), RowsPhrase(part.entity))
        yield from _ratio(c, total, joined.phrase) if total is not None else ()


@rule(FigurePhrase, JoiningWord, either_way=True)
def _said_in_percent(c: Composer, figures: FigurePhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """The growth per category in percent: it is told so anyway, beside the amounts."""
    if word.kind != "in_percent" or len(figures.shown) > 1:
        return
    shown = figures.shown[0]
    if figures.compare is not None or figures.changes or shown.transform is Transform.SHARE or shown.unit == "%":
        by_amount = any(one.by.transform is Transform.CHANGE for one in figures.order)
        if shown.transform is not Transform.CHANGE and not by_amount:
            yield MadePhrase(figures)


@rule(FigurePhrase, JoiningWord)
def _share_said_last(c: Composer, figures: FigurePhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """... what percentage."""
    shown = figures.shown[0]
    if word.kind == "share" and (shown.transform is Transform.SHARE or (shown.ratio and shown.unit)):
        yield MadePhrase(figures)
