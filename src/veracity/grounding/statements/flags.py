"""What rows are or are not: columns of yes and no, said as adjectives or nouns (organic, elektrisch, has a pool)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from veracity.grounding.binding.cue_words import FUNCTION
from veracity.grounding.binding.mentions import NameMention
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import column_roots, value_at
from veracity.grounding.statements.cues import cue
from veracity.grounding.statements.scene import CheckedStatement, Scene, Truth, judged
from veracity.language.folding import fold, listed
from veracity.language.stem import noun_root

NOT_ENDING = re.compile(
    r"(?<![a-z])(?:not|nicht|isn.t|aren.t|doesn.t|don.t|none|keine?[ns]?|ohne(?: aus)?|without(?: one)?)\s*[.!;,]?\s*$|(?:不是|没有)[。；，]?$"
)
_CROSSED = re.compile("[❌✗✘☒]")
_REACH = 20
_LONG_ENOUGH = 5
_MOST_ROWS = 20_000


def flags_said(scene: Scene, table: Table) -> Iterator[tuple[NameMention, frozenset[int]]]:
    """The words of a sentence for such columns, each with the rows that it is said of; a column said in two words is denied by either."""
    told: dict[tuple[str, int], tuple[NameMention, frozenset[int], bool]] = {}
    for mention in scene.columns:
        if any(name.start == mention.start and name.names for name in scene.names):
            continue  # Six are free, of a status, and of a day from which they are.
        for ref in mention.columns:
            if ref.table == table.number and (rows := table.rows_flagged(ref.column)) is not None:
                denied = _is_denied(scene, mention) != scene.page.is_opposite(mention)
                part = scene.page.segments[mention.first]
                first, _rows, before = told.get((ref.column, part), (mention, rows, False))
                told[ref.column, part] = (first, rows, denied or before)
                break
    for mention, rows, denied in told.values():
        yield mention, _complement(rows, table) if denied else rows


def _complement(rows: frozenset[int], table: Table) -> frozenset[int]:
    return frozenset(range(min(len(table.rows), _MOST_ROWS))) - rows


def _is_denied(scene: Scene, mention: NameMention) -> bool:
    """Whether the word is negated right before: not organic, ohne Pool, has no pool."""
    start = max(scene.line.start, mention.start - _REACH)
    before = fold(scene.page.text[start : mention.start]).text
    found = list(cue("negated").finditer(before)) + list(cue("without").finditer(before))
    return bool(found) and not any(sign in before[max(one.end() for one in found) :] for sign in ",;，；:")


def flags_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """A row that is called organic is that; what only ends with `is not` is said of the word before: A is organic, B is not."""
    table = scene.table
    if table is None:
        return
    if len(table.rows) == 1:
        yield from _of_only_row(scene, table)
        return
    above = _above(scene, table)
    if above is None and next(flags_said(scene, table), None) is None:
        return
    last: frozenset[int] | None = None
    for clause in scene.clauses:
        named = [one for one in clause.names if clause.is_key(one, table) and not one.compared and not one.excluded]
        said = [rows for _mention, rows in flags_said(clause, table)]
        if said:
            last = said[-1]
        elif last is not None and named and NOT_ENDING.search(clause.folded):
            said = [_complement(last, table)]
        elif above is not None and named:
            said = [_complement(above, table) if _CROSSED.search(clause.text) else above]
        for one in named if said and not scene.has("only") else ():
            if _is_behind_bracket(clause, one):
                continue  # A (ohne Laube) und B: what is said in brackets is said of A.
            if not any(clause.rows(one, table) <= rows for rows in said):
                truth: Truth = "contradicted" if _is_surely_said(clause, table) else "not_checkable"
                yield CheckedStatement(truth, (one.start, one.end), "other_row")
            else:
                yield CheckedStatement("supported", (one.start, one.end), "row")


def _is_surely_said(clause: Scene, table: Table) -> bool:
    """Whether another row's yes or no is a contradiction: not where the word stands for a day that is said (the trial ends on 20 January)."""
    told = {ref.column for one in clause.columns for ref in one.columns if ref.table == table.number}
    dated = any(one.figure.dates and clause.is_bound(one) for one in clause.figures)
    if (told - table.naming) & {ref.column for one in clause.names for ref in one.names if ref.table == table.number}:
        return False  # The payout is on hold.
    several = sum(not {ref.column for ref in one.columns}.isdisjoint(table.days) for one in clause.columns) > 1
    return not (several or (dated and told & set(table.days)))


def _is_behind_bracket(clause: Scene, one: NameMention) -> bool:
    """Whether a bracket that was opened in an earlier part of the sentence ends before a name."""
    before = clause.page.text[clause.line.start : one.start]
    return any(sign in before for sign in ")）") and not any(sign in before.partition(")")[0] for sign in "(（")


_OPEN = re.compile(r"(?<![a-z])(?:whether|if|ob|falls|wenn)(?![a-z])|是否|如果|[?？]")
_SAYS_NO = re.compile(r"(?<![a-z])(?:no|nein|none|excluded|ausgeschlossen|ausgenommen)(?![a-z])|否")


def _of_only_row(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """`Glass is covered, theft is not`, of the only thing that was returned: as its columns of yes and no say."""
    for clause in scene.clauses:
        said = [(one, *told) for one in clause.columns for told in _flagged(one, table)]
        said = said or list(_in_compounds(clause, table))
        if len({column for _one, column, _rows in said}) != 1 or _OPEN.search(scene.folded):
            continue
        mention, _column, rows = said[0]
        denied = clause.has("negated", "without") or _SAYS_NO.search(clause.folded) is not None
        denied = denied != scene.page.is_opposite(mention)
        right = (0 in rows) != denied
        yield CheckedStatement(
            "supported" if right else "contradicted", (mention.start, mention.end), "row" if right else "other_row"
        )


def _in_compounds(clause: Scene, table: Table) -> Iterator[tuple[NameMention, str, frozenset[int]]]:
    """Columns of yes and no that begin a German compound: a `Expressantrag`, of the column Express."""
    page = clause.page
    for column in table.columns:
        name, rows = fold(column).text, table.rows_flagged(column)
        if rows is None or len(name) < _LONG_ENOUGH or not name.isalpha():
            continue
        for at in range(clause.line.first, clause.line.last):
            word = page.words[at]
            if word.startswith(name) and len(word) > len(name) + 2:
                yield NameMention(page.tokens.starts[at], page.tokens.ends[at], at, at), column, rows


def _flagged(mention: NameMention, table: Table) -> Iterator[tuple[str, frozenset[int]]]:
    """The only column of yes and no that a word says, and its rows."""
    told = [ref.column for ref in mention.columns if ref.table == table.number]
    if len(told) == 1 and (rows := table.rows_flagged(told[0])) is not None:
        yield told[0], rows


_DENYING = listed(
    "nobody niemand out free frei none nothing nichts no not never without kein keine keinen keiner keinem keines nicht nie ohne 没 无 未"
)
_NONE_BEFORE = re.compile(
    r"(?<![a-z])(?:no|not a single|kein(?:e[rnms]?)?(?: einzige[rnms]?)?|without(?: an?)?|ohne|out of|free of|free from|frei von|(?:nobody|no one|niemand)(?: (?:was|is|has been|has|have|had|hat|haben|wurde|ist))?)\s*$|没有(?:发生|出现)?\s*$|无\s*$"
)
_NONE_BEHIND = re.compile(r"\s+(?:none|nothing|no|not one|keine[nrs]?|nichts)(?![a-z])", re.IGNORECASE)
"""Behind a verb that is a column: escalated none of its tickets."""
_EMPTY = listed("none no nein kein keine n/a null nil 0 - – 无 没有 否")


_PUT_DOWN = listed(
    "listed recorded given entered noted available known assigned eingetragen erfasst hinterlegt vermerkt angegeben verzeichnet vorhanden bekannt zugeteilt"
)
"""No manager is [recorded]."""


def says_none_of(scene: Scene, table: Table) -> Iterator[tuple[NameMention, list[str]]]:
    """The words for columns of which a sentence says that there is none: no fault, kein Sponsor."""
    for mention in scene.columns:
        following = scene.page.words[mention.last + 1 : mention.last + 2]
        ends = mention.last + 1 >= scene.line.last or following[0] in FUNCTION or mention.end >= scene.clause_end
        ends = ends or scene.page.segments[mention.last + 1] != scene.page.segments[mention.last]
        put_down = bool(following) and following[0] in _PUT_DOWN
        ends = ends or put_down
        ends = ends or any(one.first == mention.last + 1 for one in scene.columns)  # no cancelled show
        told = (ref.column for ref in mention.columns if ref.table == table.number and ref.column in table.columns)
        columns = [column for column in told if column not in table.naming]
        verb = _NONE_BEHIND.match(scene.page.text, mention.end) is not None and mention.end < scene.clause_end
        if verb and columns and all(table.rows_flagged(column) is None for column in columns):
            yield mention, columns
            continue
        denied = ends and bool(columns) and _NONE_BEFORE.search(scene.page.tokens.before(mention.first, 16)) is not None
        if denied and (put_down or all(table.rows_flagged(column) is None for column in columns)):
            yield mention, columns


SOLD_OUT = re.compile(
    r"(?<![a-z])(?:out of stock|sold out|ausverkauft|vergriffen|nicht mehr (?:an|auf) lager|nicht vorraetig)(?![a-z])|缺货|售罄|断货|无货"
)
_STOCK = frozenset(map(noun_root, listed("stock inventory bestand lagerbestand lager 库存")))


def _sold_out(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """`The keyboard is out of stock`: none of it is left."""
    stock = [column for column in table.figures if not _STOCK.isdisjoint(column_roots(column))]
    for clause in scene.clauses if len(stock) == 1 else ():
        found = SOLD_OUT.search(clause.folded)
        rows = {row for one, row in clause.subjects(table) if clause.is_key(one, table)}
        if found is not None and rows and not clause.has("only") and not _is_refused(clause, found.start()):
            held = all(value_at(table, row, stock[0]) == 0 for row in rows)
            span = clause.original(found.start(), found.end())
            yield CheckedStatement("supported" if held else "contradicted", span, "none")


def _is_refused(clause: Scene, at: int) -> bool:
    return cue("negated").search(clause.folded[max(0, at - _REACH) : at]) is not None


def absences_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`WT-03 had no fault`: the cells of the rows that are named say none, or nothing."""
    table, words = scene.table, scene.page.words[scene.line.first : scene.line.last]
    if table is not None and SOLD_OUT.search(scene.folded):
        yield from _sold_out(scene, table)
    if not scene.columns or _DENYING.isdisjoint(words):
        return
    named = [row for one, row in scene.subjects(table) if scene.is_key(one, table)] if table is not None else []
    for mention, column in says_not_done(scene, table) if table is not None and named else ():
        assert table is not None
        wrong = any(not is_empty(table.rows[row][column]) for row in named)
        yield CheckedStatement("contradicted" if wrong else "supported", (mention.start, mention.end), "none")
    for mention, columns in says_none_of(scene, table) if table is not None and scene.names else ():
        assert table is not None
        clause = next((one for one in scene.clauses if one.line.start <= mention.start < one.line.end), scene)
        together = rows_together(clause, table) if not named else frozenset[int]()
        if not named and not together:
            continue
        before = [row for one, row in scene.subjects(table) if scene.is_key(one, table) and one.end <= mention.start]
        near = (
            [row for one, row in clause.subjects(table) if clause.is_key(one, table)]
            or before[-1:]
            or named
            or sorted(together)
        )
        wrong = any(not is_empty(table.rows[row][columns[0]]) for row in near)
        yield CheckedStatement("contradicted" if wrong else "supported", (mention.start, mention.end), "none")


_MISSING = re.compile(
    r"(?<![a-z])(?:fehl(?:t|en|te|ten)|missing|lacks?|lacking|not (?:recorded|available|known|given|specified)|nicht (?:erfasst|angegeben|bekannt|vorhanden))(?![a-z])|缺失|缺少|缺乏|未知|没有记录|未记录|未填|没有"
)


def gaps_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`The return count of West is missing in February`: the cells of the rows that these names tell together are empty."""
    table = scene.table
    for part in scene.clauses if table is not None and _MISSING.search(scene.folded) else ():
        assert table is not None
        said = [{ref.column for ref in one.columns if ref.table == table.number} for one in part.columns]
        told = [kept for one in said if (kept := {column for column in one if column not in table.naming})]
        columns = set.intersection(*told) if told else set()
        rows = rows_together(part, table)
        if (
            _MISSING.search(part.folded) is None
            or len(columns) != 1
            or not rows
            or any(map(part.is_bound, part.figures))
        ):
            continue
        empty = [is_empty(table.rows[row][next(iter(columns))]) for row in rows]
        yield from judged(part.span, empty, sure=False, key="none")


def rows_together(scene: Scene, table: Table) -> frozenset[int]:
    """The rows that all names of a sentence tell together: West in February."""
    named = [rows for one in scene.names if not one.compared and not one.excluded and (rows := scene.rows(one, table))]
    return frozenset.intersection(*named) if named else frozenset()


FULL = re.compile(
    r"(?<![a-z])(?<!% )(?<!percent )(?<!prozent )(?<!half )(?<!nearly )(?<!almost )(?<!fast )(?:(?:completely |entirely )?full|fully (?:booked|occupied|used|staffed|loaded|taken)|booked out|ausgebucht|ausgelastet|voll(?: (?:belegt|besetzt|ausgelastet|ausgebucht))?)"
    r"(?=\s?[.,;:!(]|\s?$|\s(?:and|und|while|but|aber)\s)|满员|已满|客满|满座|全满"
)


def rows_full(scene: Scene, table: Table) -> frozenset[int] | None:
    """`is full`, `ausgebucht`: the rows in which the only column that is a part of another is as much as that."""
    if FULL.search(scene.folded) is None or len(table.rows) > _MOST_ROWS:
        return None
    numeric = [c for c in table.figures if table.columns[c].numeric and c not in table.rates]
    alike = [(a, b) for a in numeric for b in numeric if a != b and table.columns[a].unit == table.columns[b].unit]
    pairs = [(a, b) for a, b in alike if table.is_part(a, b)]
    if len(pairs) != 1:
        return None
    part, whole = pairs[0]
    return frozenset(row for row in range(len(table.rows)) if value_at(table, row, part) == value_at(table, row, whole))


def full_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Station is full`: as many of its spaces are taken as there are."""
    table = scene.table
    for clause in scene.clauses if table is not None and FULL.search(scene.folded) else ():
        assert table is not None
        full, found = rows_full(clause, table), FULL.search(clause.folded)
        if full is None or found is None or clause.has("only", "all") or clause.fraction is not None:
            continue  # Three quarters full is not full.
        rows = {row for one, row in clause.subjects(table) if clause.is_key(one, table)}
        denied = _is_refused(clause, found.start())
        if rows:
            right = all((row in full) != denied for row in rows)
            yield CheckedStatement("supported" if right else "contradicted", clause.original(*found.span()), "none")


def undone_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`J-3 is still open`: it has nothing where it would say that it was done."""
    table = scene.table
    for clause in scene.clauses if table is not None and scene.has("undone") else ():
        assert table is not None
        undone, found = rows_undone(clause, table), clause.says("undone")
        if undone is None or found is None or clause.has("only", "all"):
            continue
        rows = {row for one in clause.names for row in clause.rows(one, table) if len(clause.rows(one, table)) == 1}
        if rows:
            span = clause.original(found.start(), found.end())
            yield CheckedStatement("supported" if rows <= undone else "contradicted", span, "none")


_NOT_DONE = re.compile(r"(?<![a-z])(?:not|never|nicht|nie|noch nicht)(?: (?:yet|been|ever|be))*\s*$|未$|没有?$|尚未$")


_UNTIL = re.compile(r"\s+(?:until|till|before|bis|vor)(?![a-z])", re.IGNORECASE)


def says_not_done(scene: Scene, table: Table) -> Iterator[tuple[NameMention, str]]:
    """The columns of days of which a sentence says that it did not happen: has not been cleaned."""
    for mention in scene.columns if not scene.every_figure else ():
        days = [ref.column for ref in mention.columns if ref.table == table.number and ref.column in table.days]
        until = _UNTIL.match(scene.page.text, mention.end) is not None  # What is not due until May is due in May.
        if len(days) == 1 and not until and _NOT_DONE.search(scene.page.tokens.before(mention.first, 20)):
            yield mention, days[0]


_HAS_ONE = re.compile(r"(?<![a-z])(?:has|have|had|hat|haben|hatten?) (?:an?|eine?n?)\s*$|有$")


def rows_with_gaps(scene: Scene, table: Table) -> frozenset[int] | None:
    """The rows that have something, or nothing, in a column with gaps: has a warning, is still open."""
    if len(table.rows) < 2 or len(table.rows) > _MOST_ROWS:
        return None
    for mention in scene.columns:
        columns = {ref.column for ref in mention.columns if ref.table == table.number} & table.columns.keys()
        column = next(iter(columns)) if len(columns) == 1 else ""
        if not column or column in table.figures or not _HAS_ONE.search(scene.page.tokens.before(mention.first, 16)):
            continue
        filled = frozenset(row for row, cells in enumerate(table.rows) if not is_empty(cells[column]))
        if table.rows_flagged(column) is None and 0 < len(filled) < len(table.rows):
            return filled
    return rows_undone(scene, table)


def rows_undone(scene: Scene, table: Table) -> frozenset[int] | None:
    """`remained unsold`, `is still open`: the rows that have nothing in the only column in which some have nothing."""
    if not scene.has("undone") or len(table.rows) < 2 or len(table.rows) > _MOST_ROWS:
        return None
    gaps = [column for column in table.columns if column in table.figures and _some_are_empty(table, column)]
    if len(gaps) != 1:
        return None
    return frozenset(row for row, cells in enumerate(table.rows) if is_empty(cells[gaps[0]]))


def _some_are_empty(table: Table, column: str) -> bool:
    empty = sum(cells[column] is None for cells in table.rows)
    return 0 < empty < len(table.rows)


_NEVER = re.compile(r"(?<![a-z])(?:never(?: (?:was|were|did|has|had))?|nie(?:mals)?)\s*[.!]?\s*$")


def never_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`A was closed for 31 hours; B never was`: B has 0 of what the figure before is."""
    table = scene.table
    if table is None or not _NEVER.search(scene.folded) or len(scene.clauses) < 2:
        return
    before, last = scene.clauses[-2:]
    columns = before.of_figures(table)
    rows = {row for one, row in last.subjects(table) if last.is_key(one, table)}
    if len(columns) == 1 and len(rows) == 1 and not last.figures:
        right = value_at(table, next(iter(rows)), columns[0]) == 0
        yield CheckedStatement("supported" if right else "contradicted", last.span, "none")


def is_empty(cell: object) -> bool:
    """Whether a cell says none, or nothing."""
    return cell is None or str(cell).strip().casefold() in _EMPTY or str(cell).strip() == ""


def _above(scene: Scene, table: Table) -> frozenset[int] | None:
    """What the line above a list says of all its entries: the organic estates are: ..."""
    if not scene.line.listed or scene.line.above < 0:
        return None
    intro = Scene(scene.page, scene.page.lines[scene.line.above], scene.bound, lang=scene.lang)
    if not intro.text.rstrip().endswith((":", "：")) or intro.has("negated", "without"):
        return None
    said = [rows for _mention, rows in flags_said(intro, table)]
    for one in intro.names:
        if one.compared or one.excluded or intro.is_key(one, table):
            return None
        said += [rows] if (rows := intro.rows(one, table)) else []
    return said[0] if len(said) == 1 else None
