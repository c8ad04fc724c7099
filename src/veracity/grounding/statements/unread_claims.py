"""What a sentence claims and no check has read: it is marked, neither borne out nor contradicted.

A sentence is supported only if its claims were verified. `Only`, a superlative, a comparison, a part of a whole or a number word
that no statement accounts for is such a claim, and so is a sentence about the data of which nothing was checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from veracity.answer.values import Arg
from veracity.grounding.binding.cue_words import SUBJECTS
from veracity.grounding.statements.cues import FOLLOWED, NUMBER_WORDS, cue
from veracity.grounding.statements.differences import is_gap
from veracity.grounding.statements.flags import FULL
from veracity.grounding.statements.named_together import EQUAL, NEITHER
from veracity.grounding.statements.orders import AND_MORE, TIMES
from veracity.grounding.statements.other_measures import (
    is_other_average,
    is_per_other_unit,
    is_per_unread,
    is_year_of_other_column,
    says_other_measure,
)
from veracity.grounding.statements.rankings import TOP
from veracity.grounding.statements.rest_of_rows import claims_of_rest
from veracity.grounding.statements.scene import SOME_TIMES, CheckedStatement, Scene
from veracity.grounding.statements.several_compared import OTHERS_TOGETHER, STILL_MORE
from veracity.grounding.statements.superlatives import RANGE
from veracity.grounding.statements.understood import UnderstoodWords
from veracity.grounding.statements.unread_parts import (
    RANKS,
    cells_as_distances,
    counts_unread,
    has_unread_part,
    holds_of_some_only,
    is_end_of_other_row,
    is_highest_elsewhere,
    is_on_time_unread,
    is_ranked_by_unread,
    is_second_superlative_unread,
    leaves_out_unread,
    says_both,
    says_only_how_many,
    says_place,
)
from veracity.language.numbers import MONTHS

_ONLY = re.compile(
    r"(?<![a-z])(?:the only|the sole|einzig\w*|als einzige\w*|nobody else|no other)(?![a-z])|(?:只有|仅有)(?!约?[0-9一二两三四五六七八九十百])|唯一"
)
_NO_SUPERLATIVE = re.compile(r"(?:at (?:the )?|am wenigsten )$")
_LEAST = frozenset({"least", "most", "meisten", "best", "besten"})
_HALF_SO = re.compile(r"(?<![a-z])(?:halb so|half as|half the|half of|haelfte)(?![a-z])|一半")
_ALL = re.compile(
    rf"(?<![a-z])(?:all|alle|allen|saemtliche[nr]?|both|beide[nr]?)(?: of)?(?: the| der| our)? (?:{NUMBER_WORDS}|[0-9]{{1,3}})(?![a-z0-9])|"
    r"(?<![a-z])saemtliche[nr]? [a-z]"
)
_JUST_SO_MANY = re.compile(
    rf"(?<![a-z])(?:(?:just|only|exactly|nur|genau|lediglich) (?:one|einer?|eine[nms])|the (?:{NUMBER_WORDS})(?: [a-z]+){{1,2}} (?:that|which|who|whose|where))(?![a-z])|"
    rf"(?<![a-z])die (?:{NUMBER_WORDS}) [a-z]+, (?:die|deren|bei denen|in denen)(?![a-z])|(?:只有|仅有?)一(?!半)"
)
"""Just one patient, the two vacancies that were filled: so many rows are such, and no more."""
_NONE_OF = re.compile(
    r"(?<![a-z])(?:none of|not one of|keine[rs]? (?:der|dieser|von)|not all|nicht alle|no other|keine? andere[nrsm]?)(?![a-z])|没有一|无一|没有(?:其他|别的)"
)
_THAN_ANY = re.compile(
    r"(?<![a-z])(?:than|als)(?: (?:in|at|on|of|for|an|auf|bei|von))?(?: the)? (?:any|every|all) (?:of the )?others?(?![a-z])|"
    r"(?<![a-z])als(?: (?:in|an|auf|bei|von))? (?:jede[rnms]?|alle[nr]?|irgendeine?[rnms]?) andere[rnms]?(?![a-z])|比(?:其他|其它|任何)"
)
_FOLLOWS = re.compile(
    rf"{FOLLOWED}|(?<![a-z])(?:the one (?:before|after) (?:that|it)|es fehl(?:en|t)|(?:only )?behind|(?:nur )?hinter)(?![a-z])|其次是|紧随其后的?是|接下来[的]?是|"
    r"(?<![a-z])(?:next (?:is|was|comes|came|up is)|(?:danach|dann|darauf) (?:folgt|folgen|kommt|kommen))(?![a-z])"
)
_RELATED = frozenset(
    {
        "trend",
        "change",
        "comparison",
        "superlative",
        "rank",
        "count",
        "only",
        "all",
        "none",
        "share",
        "unread",
        "together",
    }
)
_BOUND = re.compile(r" (?:than|als) (?:[a-z]{2,4} )?(?:[0-9$€£]|half|twice|haelfte)")
"""More than 50 is a bound, and no comparison."""
_KEYS = {
    "all": frozenset({"all", "count", "total", "none", "reckoning", "trend", "row"}),
    "only": frozenset({"only", "count", "all"}),
    "sole": frozenset({"only", "all"}),
    "together": frozenset({"together"}),
    "top": frozenset({"superlative", "rank", "count", "all", "none", "only", "share"}),
    "more": frozenset({"comparison", "superlative", "rank"}),
    "superlative": RANKS,
    "any": frozenset({"superlative", "rank", "comparison"}),
    "part": frozenset({"comparison", "share", "change", "trend", "difference"}),
    "rest": frozenset({"all", "only", "none", "not_all", "count"}),
    "none": frozenset({"none", "count", "all", "only", "comparison", "trend", "not_all"}),
    "neither": frozenset({"none", "all", "other_row", "row", "comparison", "trend"}),
    "full": frozenset({"none", "count", "all", "only"}),
    "moved": _RELATED | {"difference", "reckoning"},
    "compared": _RELATED | {"difference", "reckoning", "row", "other_row", "range", "not_all"},
}
_BY_WORDS = (
    ("more", STILL_MORE),
    ("compared", EQUAL),
    ("neither", NEITHER),
    ("full", FULL),
    ("all", _ALL),
    ("sole", _ONLY),
    ("only", _JUST_SO_MANY),
    ("together", OTHERS_TOGETHER),
    ("top", TOP),
    ("any", _THAN_ANY),
    ("none", _NONE_OF),
)
"""Claims that a word alone makes."""
_OF_ALL_ROWS = frozenset({"reckoning", "total", "count", "all"})
"""What is said of all rows, unless a word that nobody understands names some of them."""
_FEWEST_WORDS = 3
_MOST_UNREAD = 2
"""So many words may be unknown in a sentence that is only right in its names."""
_MOST_WORDS = 24


def unread_claims(
    scene: Scene, words: UnderstoodWords, done: Sequence[CheckedStatement], *, related: bool
) -> Iterator[CheckedStatement]:
    """The claims of a sentence that none of these statements is about; without a word that relates values it has none but numbers."""
    of_all = _is_said_of_all(scene)
    keys = {one.key for one in done} | ({"all"} if of_all else set()) | _keys_of_figures(scene)
    open_parts = related and (_has_open_part(scene, done) or _is_half_moved(scene, done))
    if related and (
        open_parts
        or is_other_average(scene)
        or any(not keys & _KEYS[kind] for kind in _claims(scene))
        or _is_half_compared(scene, done)
        or _is_less_at_other_time(scene)
        or _is_range_of_reckoned(scene, done)
        or _adds_unread(scene, words, done)
        or leaves_out_unread(scene, words)
        or is_on_time_unread(scene, done)
        or is_second_superlative_unread(scene, done)
        or is_highest_elsewhere(scene, done)
    ):
        yield CheckedStatement("not_checkable", scene.span, "unread")
        return
    if (
        (not any(one.key in _KEYS["moved"] for one in done) and says_other_measure(scene))
        or _follows_unread(scene, done)
        or has_unread_part(scene, words, done)
        or says_only_how_many(scene, words, done)
        or says_both(scene, done)
        or is_year_of_other_column(scene)
        or is_per_other_unit(scene)
        or is_per_unread(scene, words)
        or _says_month_of_nothing(scene)
        or (
            all(one.truth != "contradicted" for one in done)
            and (holds_of_some_only(scene) or is_end_of_other_row(scene))
        )
        or is_ranked_by_unread(scene, words, done)
        or says_place(scene, done)
        or counts_unread(scene, words, done)
    ):
        yield CheckedStatement("not_checkable", scene.span, "unread")
        return
    yield from cells_as_distances(scene)
    yield from _unread_numbers(scene, done, keys)
    figures = any(scene.line.start <= start < scene.line.end for start in scene.bound)
    right = all(one.truth == "supported" for one in done)
    said = right and figures
    in_names = right and bool(done) and not figures and len(words.unread_words) > _MOST_UNREAD
    narrowed = any(one.key in _OF_ALL_ROWS for one in done) and not scene.names and words.unread_name(scene.line)
    if (
        (not done and (_goes_on_moving(scene) or _is_about_data(scene) or _is_labelled(scene)))
        or (said and words.unread_claim(of_all=of_all))
        or narrowed
        or in_names
    ):
        yield CheckedStatement("not_checkable", scene.span, "unread")
        return
    yield from _unread_denials(scene, done)
    yield from _unread_names(scene, words, done)


def _unread_numbers(scene: Scene, done: Sequence[CheckedStatement], keys: set[str]) -> Iterator[CheckedStatement]:
    """The number words that no statement accounts for, and that are not how many rows there are."""
    numbers = [one for one in scene.every_figure if one.figure.kind == "word" and one.figure.start not in scene.bound]
    settled = {start for one in done for start in one.settles} if numbers else set()
    spans = [one.span for one in done if one.span != scene.span]
    for one in numbers[:_MOST_WORDS]:
        figure = one.figure
        covered = any(start <= figure.start < end for start, end in spans)
        told = (
            covered
            or figure.start in settled
            or _is_named(scene, figure.start)
            or _is_in_part(scene, figure.start, done)
        )
        number = int(figure.readings[0]) if figure.readings and not told else 0
        measured = one.meaning.unit is not None or scene.page.text[figure.end : figure.end + 1] in "年月天日岁"
        measured = measured and not _is_span_of_rows(scene, number)
        if number > 1 and (measured or is_gap(scene, one) or not _is_number_of_rows(scene, number, keys)):
            yield CheckedStatement("not_checkable", (figure.start, figure.end), "unread")


def _has_open_part(scene: Scene, done: Sequence[CheckedStatement]) -> bool:
    """Whether one of several parts of a sentence says a part of a whole that nothing read: half of A, a third of B."""
    told = scene.parts_of_wholes
    read = [one.span for one in done if one.key in _KEYS["part"] and one.span != scene.span]
    return len(told) > 1 and not all(
        any(part.line.start <= start < part.line.end for start, _end in read) for part in told
    )


def _is_half_moved(scene: Scene, done: Sequence[CheckedStatement]) -> bool:
    """Whether one of several parts of a sentence says that a row rose or fell, and nothing was read of it: while B slipped to 3,200."""
    timed = scene.table is not None and scene.table.number in scene.page.index.families
    told = [part for part in scene.clauses if timed and part.names and part.has("up", "down")]
    spans = [one.span for one in done if one.key in _KEYS["moved"]]
    return len(told) > 1 and not all(
        any(start < part.line.end and part.line.start < end for start, end in spans) for part in told
    )


def _unread_denials(scene: Scene, done: Sequence[CheckedStatement]) -> Iterator[CheckedStatement]:
    """Parts of a sentence that deny something of a row that they name, and of which nothing was read: the maze never was."""
    denies = scene.has("negated") or _THERE_IS_NO.search(scene.folded) is not None
    for part in scene.clauses if denies and len(scene.clauses) > 1 else ():
        start, end = part.line.start, part.line.end
        read = any(start < one.span[1] and one.span[0] < end for one in done)
        told = bool(part.names) and (part.has("negated") or _THERE_IS_NO.search(part.folded) is not None)
        figures = any(
            part.is_bound(one) and not _only_names(part, part.bound[one.figure.start].provenance.args)
            for one in part.figures
        )
        if told and not figures and not read:
            yield CheckedStatement("not_checkable", part.span, "unread")


_THERE_IS_NO = re.compile(
    r"(?<![a-z])(?:there (?:is|are|was|were) no|has no|have no|had no|es gibt kein\w{0,2}|hat kein\w{0,2}|without)(?![a-z])"
)


def _unread_names(scene: Scene, words: UnderstoodWords, done: Sequence[CheckedStatement]) -> Iterator[CheckedStatement]:
    """Parts of a sentence that only say a name that nothing holds: it is heated with gas; ..."""
    for part in scene.clauses if len(scene.clauses) > 1 else ():
        start, end = part.line.start, part.line.end
        read = any(start < one.span[1] and one.span[0] < end and one.span != scene.span for one in done)
        if not part.figures and not read and words.unread_name(part.line):
            yield CheckedStatement("not_checkable", part.span, "unread")


def _keys_of_figures(scene: Scene) -> set[str]:
    """That a figure was reckoned, where the binding did it."""
    bound = (scene.bound[one.figure.start].provenance for one in scene.figures if scene.is_bound(one))
    return (
        {"reckoning"}
        if any(one.kind == "derived" and not (one.expression or "count").startswith("count") for one in bound)
        else set()
    )


def _comparatives(scene: Scene) -> int:
    """How many comparisons with something else a sentence makes: besser als in Bern; more than 50 is none."""
    found = scene.degrees("comparative")
    told = sum(bool(_THAN.search(scene.folded, one.stop)) and not _BOUND.match(scene.folded, one.stop) for one in found)
    return told + (_THAN_ZH.search(scene.folded) is not None)


_THAN = re.compile(r"(?<![a-z])(?:than|als)(?![a-z])")
_THAN_ZH = re.compile(r"比(?!例|率|重)[^，。；]{1,16}[还更](?:要)?[多少高低贵长短快慢大小]")


def _is_half_compared(scene: Scene, done: Sequence[CheckedStatement]) -> bool:
    """Whether a sentence compares in a second thing that nothing read: more stops than A and carried more passengers."""
    said = AND_MORE.search(scene.folded)
    return (
        said is not None
        and _THAN.search(scene.folded, 0, said.start()) is not None
        and sum(one.key == "comparison" for one in done) < 2
    )


_THE_OTHER_WAY = re.compile(
    r"(?<![a-z])(?:less|more|fewer|lower|higher|weniger|mehr|hoeher|tiefer|umgekehrt|the opposite|the reverse)\s*[.!;]?\s*$|(?:更[多少高低]|相反)。?$"
)


def _is_less_at_other_time(scene: Scene) -> bool:
    """Whether a sentence ends with a comparison at another time, which nothing reads: in January more than B, in February less."""
    times = {ref.column for one in scene.columns if scene.page.is_period(one) for ref in one.columns}
    return len(times) > 1 and _THE_OTHER_WAY.search(scene.folded) is not None


def _is_range_of_reckoned(scene: Scene, done: Sequence[CheckedStatement]) -> bool:
    """Whether what was reckoned for two rows is said to be the least and the most: cost per click ranges from 3 in A to 50 in B."""
    keys, table = {one.key for one in done}, scene.table
    told = "reckoning" in keys and "range" not in keys and RANGE.search(scene.folded) is not None
    return told and table is not None and len(scene.subjects(table)) > 1


def _follows_unread(scene: Scene, done: Sequence[CheckedStatement]) -> bool:
    """Whether names stand behind a word for who comes next, or is missing, and nothing ranked them: followed by B, hinter A und C, es fehlen D und E."""
    found = _FOLLOWS.search(scene.folded)
    if found is None or scene.has("up", "down"):
        return False
    end = scene.original(*found.span())[1]
    named = [one for one in scene.names if one.start >= end]
    read = any(
        one.key in ("comparison", "difference") or (one.key == "rank" and one.span[0] >= end)
        for one in done
        if one.span[1] > end
    )
    alone = found.group().endswith(("behind", "hinter"))  # Who is behind one other is second, which is read.
    return len(named) > alone and not read


_ADDED = frozenset({"and", "und", "plus", "sowie"})


def _adds_unread(scene: Scene, words: UnderstoodWords, done: Sequence[CheckedStatement]) -> bool:
    """Whether a total is of a column and of something that nothing understands: parts and labour."""
    said = scene.page.words
    return any(one.key == "total" and one.truth == "supported" for one in done) and any(
        said[one.last + 1 : one.last + 2] and said[one.last + 1] in _ADDED and one.last + 2 in words.strange_words
        for one in scene.columns
    )


def _is_said_of_all(scene: Scene) -> bool:
    """Whether a figure was bound to the same cell of all rows: all five teams played 18 matches."""
    size = len(scene.table.rows) if scene.table is not None else 0
    bound = (scene.bound[one.figure.start].provenance for one in scene.figures if scene.is_bound(one))
    return size > 1 and any(len(one.args) == size and len({arg.column for arg in one.args}) == 1 for one in bound)


def _claims(scene: Scene) -> Iterator[str]:
    """The kinds of claims that a sentence makes."""
    part = _HALF_SO.search(scene.folded) or TIMES.search(scene.folded)
    if part is not None or scene.fraction is not None:
        yield "part"
    if scene.table is None or len(scene.table.rows) < 2:
        return
    timed = scene.table.is_of_periods or scene.table.number in scene.page.index.families
    if (timed and scene.has("up", "down")) or _says_moved_to(scene):
        yield "moved"
    if _comparatives(scene):
        yield "compared"
    yield from (kind for kind, pattern in _BY_WORDS if pattern.search(scene.folded) is not None)
    if not list(claims_of_rest(scene, scene.table)) and _is_only_named(scene):
        yield "sole"
    yield from claims_of_rest(scene, scene.table)
    for one in scene.degrees("superlative"):
        word = scene.folded[one.start : one.stop]
        led = _NO_SUPERLATIVE.search(scene.folded, 0, one.start) is not None
        if not led and not (
            word in _LEAST and scene.folded[one.stop : one.stop + 4].lstrip().startswith(("of", "der"))
        ):
            yield "superlative"


_BEGINS_ONLY = re.compile(
    r"(?:^|[.;,:!?，。；：] ?)(?:and |but |und |aber )?(?:only|nur|einzig|lediglich|allein)(?![a-z])|(?:只有|仅有)"
)
_NEAR_ONLY = re.compile(r"(?:(?!an? |one |eine? |einen |einer |eines )[^,，;；0-9]){0,30}", re.IGNORECASE)


def _is_only_named(scene: Scene) -> bool:
    """Whether a part of a sentence begins by saying that something is true of one row only: only the contract with A has been signed."""
    text = scene.page.text
    for found in _BEGINS_ONLY.finditer(scene.folded):
        end = scene.original(found.end() - 1, found.end())[1]
        if any(end <= one.start and _NEAR_ONLY.fullmatch(text[end : one.start].lstrip()) for one in scene.names):
            return True
    return False


_TO_SO_MUCH = re.compile(r"\s*(?:back )?(?:to|auf)(?![a-z])|[至到]")


def _says_moved_to(scene: Scene) -> bool:
    """Whether a verb says that something rose or fell to a figure: slipped to 3,200."""
    verbs = (one for kind in ("up", "down") for one in cue(kind).finditer(scene.folded))
    return any(_TO_SO_MUCH.match(scene.folded, one.end()) for one in verbs) and bool(scene.figures)


def _is_number_of_rows(scene: Scene, number: int, keys: set[str]) -> bool:
    """Whether a number word says how many rows there are, or how many are named; or belongs to a statement that was read."""
    table = scene.table
    named = {row for one in scene.names if table is not None for row in scene.rows(one, table)}
    related = bool(keys & (_KEYS["superlative"] | {"comparison"}))
    others = len(table.rows) - len(named) if table is not None and named and _OTHERS.search(scene.folded) else 0
    return related or any(number == len(one.rows) for one in scene.page.tables) or number in (len(named), others)


def _is_span_of_rows(scene: Scene, number: int) -> bool:
    """Whether so many rows are one time each: over the four years."""
    table = scene.table
    timed = table is not None and table.in_time is not None and number == len(table.rows)
    return timed and not scene.has("average")


_OTHERS = re.compile(r"(?<![a-z])(?:others?|remaining|anderen?|andern|uebrigen)(?![a-z])|其余|其他|另外")


def _is_named(scene: Scene, start: int) -> bool:
    return any(one.start <= start < one.end for one in (*scene.names, *scene.columns))


def _is_in_part(scene: Scene, start: int, done: Sequence[CheckedStatement]) -> bool:
    """Whether a number word is that of a part of a whole, or of some times: three quarters, the first two months."""
    parts = [part.original(*part.fraction[0].span()) for part in scene.parts_of_wholes if part.fraction is not None]
    timed = any(one.key in _KEYS["moved"] for one in done)
    parts += [scene.original(*one.span()) for one in SOME_TIMES.finditer(scene.folded) if timed]
    return any(first <= start < end for first, end in parts)


def _is_about_data(scene: Scene) -> bool:
    """Whether a sentence states something of rows or columns, and has no figure by which it was checked."""
    text = scene.text.strip()
    if text.startswith("|") or text.endswith((":", "：", "?", "？")) or scene.line.listed:
        return False
    line = scene.line
    within = (one.provenance.args for start, one in scene.bound.items() if line.start <= start < line.end)
    figures = any(args and not _only_names(scene, args) for args in within)
    # What the only row of a result says needs no other word.
    told = any(len(scene.page.tables[ref.table].rows) == 1 for one in scene.names for ref in one.names)
    words = line.last - line.first - sum(one.last + 1 - one.first for one in scene.names)
    return words + len(scene.names) >= _FEWEST_WORDS and bool(scene.names or scene.columns) and not (figures or told)


_IN_MONTH = frozenset({"in", "im", "during", "from", "von", "since", "seit"})


def _says_month_of_nothing(scene: Scene) -> bool:
    """Whether a month is said over results that hold no time at all, and which nobody asked about: in March there were three."""
    page, line = scene.page, scene.line
    if any(table.days or table.is_of_periods for table in page.tables):
        return False
    told = {at for one in (*scene.names, *scene.columns) for at in range(one.first, one.last + 1)}
    return any(
        page.words[at] in MONTHS
        and page.words[at - 1] in _IN_MONTH
        and at not in told
        and not scene.is_known(page.tokens.as_written(at, at))
        for at in range(line.first + 1, line.last)
    )


def _goes_on_moving(scene: Scene) -> bool:
    """Whether a sentence only says how what the one before spoke of went on: it has held steady since then."""
    first = scene.page.words[scene.line.first : scene.line.first + 1]
    return scene.has("up", "down", "unchanged") and not scene.figures and not SUBJECTS.isdisjoint(first)


_LABEL = re.compile(r"\s*(?:[-*•]|[0-9]{1,2}[.)])?\s*[^:：]{3,60}[:：]\s*")


def _is_labelled(scene: Scene) -> bool:
    """Whether an entry of a list puts several rows under a name that was not verified: Over budget: A, B and C."""
    label = _LABEL.match(scene.text)
    start = scene.line.start + label.end() if label is not None else 0
    behind = [one for one in scene.names if label is not None and one.start >= start]
    return scene.line.listed and len(behind) > 1 and len(behind) == len(scene.names) and not scene.figures


def _only_names(scene: Scene, args: Sequence[Arg]) -> bool:
    """Whether a figure is a code that names its row: AP-104."""
    naming = {(table.result.data.result_id, column) for table in scene.page.tables for column in table.naming}
    return all((arg.result, arg.column) in naming for arg in args)
