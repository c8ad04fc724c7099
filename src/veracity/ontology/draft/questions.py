"""What a person is asked, most valuable first; each answer is one key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path

from veracity.language.locale import LANGUAGES, pick, printable
from veracity.ontology.draft.discounts import is_part_of_one
from veracity.ontology.draft.findings import ColumnClass, ColumnDraft, Found, TableDraft
from veracity.ontology.draft.names import lists, says, split
from veracity.ontology.draft.proposals import through_of
from veracity.ontology.draft.scales import unit_place
from veracity.wire import Wire
from veracity.yaml_file import packaged

_MOST_OPTIONS = 7
_ORDER = (
    *("away", "rows", "relation", "pointer", "short", "currency", "amounts", "amount", "price", "flow"),
    *("measure", "date", "extremes", "display", "size", "beside", "unit", "large"),
)
"""Which rows count comes first: a right class with a wrong figure is the larger danger."""
_GIVEN_FIRST = ("date", "size", "pointer", "short", "unit", "large")


class DraftOption(Wire):
    """One possible answer."""

    id: str
    text: dict[str, str]


class DraftQuestion(Wire):
    """Something that only a person can know."""

    id: str
    kind: str
    text: dict[str, str]
    options: tuple[DraftOption, ...]
    opens: int
    """How many columns, relations and measures can be used once it is answered."""
    about: str
    """The table or `Table.column` that it is about."""
    guess: str | None = None
    """The option that the names and the data speak for."""


def questions_of(found: Found, answers: Mapping[str, str], words: frozenset[str]) -> tuple[DraftQuestion, ...]:
    """What is still open, most valuable first."""
    asked = [one for one in _all(found, answers, words) if one.id not in answers]
    return tuple(sorted(asked, key=lambda one: (_ORDER.index(one.kind), -one.opens)))


def _all(found: Found, answers: Mapping[str, str], words: frozenset[str]) -> Iterator[DraftQuestion]:
    amounts: list[str] = []
    for table in found.tables:
        for column in table.columns:
            place = f"{table.name}.{column.profile.name}"
            verdict = column.verdict
            if verdict.ask == "away":
                yield _question("away", place, ("all", "apart"), column=place, status=verdict.counted_by or "")
            elif verdict.ask == "amount":
                amounts.append(place)
            elif verdict.ask in ("price", "flow"):
                yield _question(
                    verdict.ask, place, ("yes", "no"), guess="yes" if verdict.ask == "price" else None, column=place
                )
        yield from _which_rows(table)
        yield from _of_table(table)
        yield from _of_scale(found, table, words)
    yield from _amounts(found, amounts, answers)
    yield from _of_rows(found)
    for relation in found.relations:
        if not relation.sure:
            own = "+".join(f"{relation.table}.{name}" for name in relation.columns)
            yield _question(
                "relation",
                relation.id,
                ("yes", "no"),
                guess="yes",
                column=own,
                other=relation.other,
                evidence=relation.evidence,
            )
    for measure in found.measures:
        if not measure.sure:
            yield _question(
                "measure",
                f"{measure.table}.{measure.name}",
                ("yes", "no"),
                guess="yes",
                name=measure.label,
                expression=measure.expression,
                table=measure.table,
            )
    yield from _currency(found, words)
    yield from _abbreviations(found, words)


def _abbreviations(found: Found, words: frozenset[str]) -> Iterator[DraftQuestion]:
    """What parts of names stand for that may be short for several words."""
    places: dict[str, list[str]] = {}
    for table in found.tables:
        name = table.name.rpartition(".")[2]
        for place, named in ((table.name, name), *((f"{table.name}.{one}", one) for one in table.profile.names)):
            for word in dict.fromkeys(split(named, words)):
                if word in lists()["perhaps_short"]:
                    places.setdefault(word, []).append(place)
    for word, named_so in places.items():
        meant = {one: dict.fromkeys(LANGUAGES, one) for one in lists()["perhaps_short"][word]}
        told = ", ".join(named_so[:_MOST_OPTIONS])
        yield _question(
            "short", word, ("none",), more=meant, guess=next(iter(meant)), opens=len(named_so), word=word, columns=told
        )


def _of_rows(found: Found) -> Iterator[DraftQuestion]:
    """Where numbers point to, what stands in pairs of columns, and what lies on what."""
    for one in found.pointers:
        options = {name: dict.fromkeys(LANGUAGES, name) for name, _ in one.candidates}
        yield _question("pointer", one.id, ("none",), more=options, column=one.id, evidence=one.evidence)
    for pair in (pair for pair in found.extremes if not pair.sure):
        yield _question(
            "extremes",
            pair.id,
            ("yes", "no"),
            guess="yes",
            opens=4,
            most=pair.most[0],
            least=pair.least[0],
            noun=pair.noun,
            figure=pair.figure,
            figures=f"{pair.most[1]}, {pair.least[1]}",
        )
    for relation in (one for one in found.relations if one.beside == "ask"):
        if any(split_.table == relation.table and relation.columns == (split_.reference,) for split_ in found.splits):
            verbs = {lang: ", ".join(said_) for lang, said_ in through_of(relation, frozenset())["beside"].items()}
            yield _question(
                *("beside", relation.id, ("yes", "no")), table=relation.table, other=relation.other, verbs=verbs
            )


def _of_scale(found: Found, table: TableDraft, words: frozenset[str]) -> Iterator[DraftQuestion]:
    """In which unit figures are, and from which value on a thing is big, where it is said what big is about."""
    asked = set[str]()
    for column in table.columns:
        place = unit_place(table.name, column.profile.name, words)
        if column.verdict.units and place not in asked:
            asked.add(place)
            units = {unit: dict.fromkeys(LANGUAGES, unit) for unit in column.verdict.units}
            named = f"{table.name}.{column.profile.name}"
            yield _question("unit", place, ("none",), more=units, column=named)
    bounds = table.bounds.get(table.big or "", {})
    if bounds and table.large is None:
        names = [split_.name for split_ in found.splits if split_.table == table.name]
        total = table.profile.column(names[0]).distinct if names else table.profile.rows
        options = {
            value: _texts("option_above", value=f"{Decimal(value):,f}", count=f"{count:,}", total=f"{total:,}")
            for value, count in bounds.items()
        }
        yield _question("large", table.name, ("none",), more=options, table=table.name, column=table.big or "")


def _of_table(table: TableDraft) -> Iterator[DraftQuestion]:
    if table.date and not table.date_sure:
        options = {name: {"en": name, "de": name, "zh": name} for name in table.date_candidates[:_MOST_OPTIONS]}
        yield _question("date", table.name, ("none",), more=options, guess=table.date, table=table.name)
    if table.sizes and not table.big:
        options = {name: {"en": name, "de": name, "zh": name} for name in table.sizes[:_MOST_OPTIONS]}
        yield _question("size", table.name, ("none",), more=options, guess=table.sizes[0], table=table.name)
    if table.display and not table.display_sure:
        yield _question(
            "display", table.name, ("yes", "no"), guess="yes", table=table.name, column=", ".join(table.display)
        )


def _which_rows(table: TableDraft) -> Iterator[DraftQuestion]:
    """Which rows count, once for all figures that the same status keeps apart; it is asked of an amount, if there is one."""
    asked: dict[tuple[str, ...], list[ColumnDraft]] = {}
    for column in table.columns:
        if column.verdict.ask == "rows":
            asked.setdefault(column.verdict.over, []).append(column)
    for columns in asked.values():
        first = next((one for one in columns if says(split(one.profile.name), "money")), columns[0])
        rest = [one for one in columns if one is not first]
        yield _rows(table, first, ", ".join(f"{table.name}.{one.profile.name}" for one in (first, *rest)))


def _rows(table: TableDraft, column: ColumnDraft, places: str) -> DraftQuestion:
    """Which rows count: all, or those with one value of the status beside the figure."""
    verdict, place = column.verdict, f"{table.name}.{column.profile.name}"
    status = next(
        (name for name in verdict.over if table.column(name).verdict.kind is not ColumnClass.DATE), verdict.over[-1]
    )
    values = table.profile.column(status).values
    options = {f"= {value}": _texts("option_only", status=status, value=value) for value in values[: _MOST_OPTIONS - 2]}
    return _question(
        "rows",
        place,
        ("all", "apart"),
        more=options,
        opens=1 + places.count(","),
        column=places,
        status=f"{table.name}.{status}",
        values=", ".join(values[:8]),
    )


def _amounts(found: Found, places: Sequence[str], answers: Mapping[str, str]) -> Iterator[DraftQuestion]:
    """Weak amounts as one list; one by one where a person wants that, or where there is only one."""
    if len(places) > 1 and answers.get("amounts") not in ("each", "all", "none"):
        yield _question("amounts", "", ("each", "all", "none"), opens=len(places), columns=", ".join(places))
    elif len(places) == 1 or answers.get("amounts") == "each":
        for place in places:
            table, _, name = place.rpartition(".")
            sure = found.table(table).column(name).verdict.kind is ColumnClass.ADDITIVE
            yield _question("amount", place, ("add", "average", "neither"), guess="add" if sure else None, column=place)


def _currency(found: Found, words: frozenset[str]) -> Iterator[DraftQuestion]:
    """Once for all amounts of money whose currency nobody says."""
    places = [
        f"{table.name}.{column.profile.name}"
        for table in found.tables
        for column in table.columns
        if is_money_without_currency(column, words)
    ]
    if places:
        options = {code: {"en": code, "de": code, "zh": code} for code in ("CHF", "EUR", "USD", "GBP", "CNY")}
        yield _question("currency", "", ("none",), more=options, opens=len(places), columns=", ".join(places[:6]))


def is_money_without_currency(column: ColumnDraft, words: frozenset[str]) -> bool:
    """Whether a column is an amount of money, and nothing says of which."""
    verdict = column.verdict
    figures = (ColumnClass.ADDITIVE, ColumnClass.AVERAGE, ColumnClass.LEVEL, ColumnClass.NUMBER)
    decimal = column.profile.scale is not None or column.profile.type in ("decimal", "float")
    named = says(split(column.profile.name, words), "money")
    named = named and not is_part_of_one(column.profile, split(column.profile.name, words))
    return verdict.kind in figures and named and decimal and not verdict.unit and not verdict.unit_field


def _question(
    kind: str,
    about: str,
    options: Sequence[str],
    *,
    more: Mapping[str, dict[str, str]] | None = None,
    guess: str | None = None,
    opens: int = 1,
    **told: str | Mapping[str, str],
) -> DraftQuestion:
    given = [DraftOption(id=one, text=text) for one, text in (more or {}).items()]
    fixed = [DraftOption(id=one, text=_texts(f"option_{one}")) for one in options]
    return DraftQuestion(
        id=f"{kind}:{about}" if about else kind,
        kind=kind,
        text=_texts(kind, **told),
        options=(*fixed[:1], *given, *fixed[1:]) if kind not in _GIVEN_FIRST else (*given, *fixed),
        opens=opens,
        about=about,
        guess=guess,
    )


def _texts(key: str, **told: str | Mapping[str, str]) -> dict[str, str]:
    """A text in every language; what is filled in may have a language, too."""
    texts: Mapping[str, Mapping[str, str]] = packaged(Path(__file__).with_name("questions.yaml"))
    return {
        lang: text.format(**{name: printable(v if isinstance(v, str) else pick(v, lang)) for name, v in told.items()})
        for lang, text in texts[key].items()
    }
