"""What people call tables and columns, from their names: words, their other language, singular, and words that are certain."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

from veracity.language.dictionary import chinese_words, dictionary, german_forms
from veracity.language.folding import folded_text
from veracity.language.nearest import spaced
from veracity.language.people import means_people
from veracity.language.stem import stem_of
from veracity.language.verb_forms import is_past_form
from veracity.ontology.draft.findings import ColumnClass, ColumnDraft, TableDraft
from veracity.ontology.draft.flags import FLAG_ENDINGS, called_no, said_by_flag
from veracity.ontology.draft.flow_names import used_words, weather_values
from veracity.ontology.draft.german_labels import german_label, nouns_of_date
from veracity.ontology.draft.listed_things import listed_column, listed_noun
from veracity.ontology.draft.named_things import named_thing
from veracity.ontology.draft.names import (
    GERMAN_DATE,
    in_list,
    is_amount_in,
    is_chinese,
    is_short_for,
    joined,
    lists,
    name_parts,
    same_noun,
    says,
    singular,
    split,
    unit_in,
    without_date_word,
    without_prefix,
    without_unit,
    words_for,
    written_as,
)
from veracity.ontology.draft.plain_names import (
    counted_people,
    from_own_noun,
    is_birthplace,
    is_done_by_measure,
    of_listed_rows,
    of_own_noun,
    own_figure,
    plainer,
    turned_round,
)
from veracity.ontology.draft.proposals import said
from veracity.ontology.draft.translated_names import (
    Words,
    compound_parts,
    english_nouns,
    english_of_chinese,
    further_english,
    german_compounds,
    is_unmistakably_german,
    known_parts,
    rate_parts,
    translated,
)
from veracity.sources.source import ColumnType

_FEWEST_GERMAN = 3
_GERMAN_SHARE = 0.15
_LONG_NOUN = 5
_UMLAUT = re.compile("[äöüÄÖÜß]")


class NameLabels:
    """NameLabels and synonyms of tables and columns, in some languages."""

    def __init__(
        self,
        languages: Sequence[str],
        vocabulary: frozenset[str],
        names: Collection[str] = (),
        spelled: Mapping[str, str] | None = None,
        nouns: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._languages, self._vocabulary, self._spelled = tuple(languages), vocabulary, spelled or {}
        self._tables, self._nouns = {singular(word) for word in vocabulary}, nouns or {}
        known = [name for name in names if _UMLAUT.search(name) or is_unmistakably_german(split(name, vocabulary))]
        # A column called kind or tag is German only where the names around it are.
        self._german = len(known) >= _FEWEST_GERMAN and len(known) >= _GERMAN_SHARE * len(names)

    def words_of(self, name: str) -> tuple[str, ...]:
        """The words of a name, with the abbreviations in full that a person explained."""
        return tuple(part for word in split(name, self._vocabulary) for part in self._spelled.get(word, word).split())

    def head_of(self, table: str) -> str:
        """The last word of a table's name, in full."""
        return long_form(self.words_of(table.rpartition(".")[2])[-1])

    def table(self, table: TableDraft) -> tuple[dict[str, str], Words]:
        """Label and synonyms of a table."""
        name = table.name.rpartition(".")[2]
        words = [word for word in self.words_of(name) if word not in words_for("stop")] or [folded_text(name)]
        if noun := listed_noun(table.profile, self._vocabulary):
            words, name = [noun], noun
        words = [str(lists()["spelled_tables"].get(word, word)) for word in words]
        words = [*(long_form(word) for word in words[:-1]), singular(long_form(words[-1]))]
        label, synonyms = self._told(" ".join(words), self._as_written(name))
        if (whole := self.words_of(name))[1:2] == ("of",) and whole[0] in dictionary():
            synonyms = self._also_called(synonyms, whole[0])  # a member of a club is a member
        for noun in self._nouns.get(table.name, ()):
            synonyms = self._also_called(synonyms, noun)
        return label, synonyms

    def _as_written(self, name: str) -> str:
        """The name of a table as it is written; without the year that it is of."""
        bare = without_prefix(name_parts(name), self._vocabulary)
        return name if bare == name_parts(name) else " ".join(written_as(name, bare)) or name

    def column(self, table: TableDraft, column: ColumnDraft) -> tuple[dict[str, str], Words]:
        """Label and synonyms of a column; what a list is a list of is its name."""
        listed = column.profile.name == listed_column(table.profile, self._vocabulary)
        return (self.name, {}) if listed else self._column(table, column)

    def _column(self, table: TableDraft, column: ColumnDraft) -> tuple[dict[str, str], Words]:
        """Label and synonyms of a column; without the table's name in front, which stays a synonym."""
        name = column.profile.name
        words = self.words_of(name)
        own = self.words_of(table.name.rpartition(".")[2])
        short = self._without_own(words, own, table, column)
        measured = measured_by(words)
        bare = short if measured or is_done_by_measure(short) else without_unit(short)
        if all(word in words_for("counted_by") for word in bare):
            bare = short  # the number of days is more than a number
        whole = bare == words and name.isalpha()  # Bruttolohn is one word, also where there is a table Lohn
        shown = name if whole or bare == words == split(name) else joined(bare)
        label, synonyms = self._told(measured or self._written(bare), shown)
        label = _as_said_of(column, label)
        if short != words or measured:
            synonyms = more_words(
                synonyms, {"zh": (joined(without_unit(words)),)} if is_chinese(words[0]) else {"en": (" ".join(words),)}
            )
        if measured:
            synonyms = self._also_called(synonyms, singular(words[0]))
        if measured or is_done_by_measure(short):
            nouns = lists()["unit_nouns"].get(unit_in(words), {})
            done = {lang: f"{short[0]} {noun}" for lang, noun in nouns.items() if lang != "zh" and not measured}
            told = {lang: (noun, *([done[lang]] if lang in done else ())) for lang, noun in nouns.items()}
            synonyms = more_words(synonyms, self.pick(told))
        if (counted := _counted_in(words)) and counted not in self._tables:
            synonyms = self._also_called(synonyms, counted)
            synonyms = more_words(synonyms, self.pick({"en": (f"{counted} number", f"{counted} count")}))
        if len(words) == 1 and words[0] in words_for("counted_by") and _holds_tallies(table, own):
            # A count of check-ins in a table of them.
            synonyms = more_words(
                more_words(synonyms, {"en": (joined(tuple(map(singular, own))),)}), self.table(table)[1]
            )
        if bare == words and unit_in(words) and words[0] in words_for("counted_by"):
            synonyms = more_words(synonyms, self._units_of(table, words[-1]))
        beside = {singular(split(other, self._vocabulary)[-1]) for other in table.profile.names}
        if short[-1:] == ("density",) and "population" in beside:
            synonyms = more_words(synonyms, {"en": ("population density",), "de": ("Bevölkerungsdichte",)})
        if table.big == name:
            synonyms = more_words(synonyms, self.pick(said()["size_words"]))
        if noun := named_thing(table, column, words, self._vocabulary):
            synonyms = more_words(synonyms, {lang: (text,) for lang, text in label.items()})
            label, more = self.noun(noun)
            synonyms = more_words(synonyms, more)
        return label, self._by_kind(self._plainly_called(synonyms, table, name, own), table, column, short)

    def _without_own(
        self, words: tuple[str, ...], own: Sequence[str], table: TableDraft, column: ColumnDraft
    ) -> tuple[str, ...]:
        """The words of a column's name without those that only say of which table it is."""
        short = _without_table(words, own)
        if short == words and len(words) > 1 and words[0] in self._nouns.get(table.name, ()):
            short = words[1:]  # the order status of customer orders
        short = words if set(short) <= words_for("said_of_days") else short  # read on of meter readings
        if column.verdict.kind is ColumnClass.FLAG and short[-1] in FLAG_ENDINGS:
            short = said_by_flag(short)  # paid flag: paid
        number = len(short) == 1 and short[0] in words_for("filed_under")
        if column.verdict.kind in (ColumnClass.CODE, ColumnClass.KEY) and (short[-1:] == ("id",) or number):
            short = words  # an order number, not just a number
        return short

    def _plainly_called(self, synonyms: Words, table: TableDraft, name: str, own: Sequence[str]) -> Words:
        """Further words of a column by its name alone: without its brackets, with the noun last, without its own table."""
        words, others = self.words_of(name), [other for other in table.profile.names if other != name]
        noun = from_own_noun(words, own, [split(other) for other in others])
        if also := (*plainer(name, words, others), *((noun,) if noun else ()), *turned_round(words)):
            synonyms = more_words(synonyms, self.pick({"en": also}))
        if also := of_listed_rows(words, own):
            synonyms = more_words(synonyms, self.pick({"zh": also}))
        people = counted_people(words) if self._german else ""
        if people and singular(folded_text(people)) not in self._tables:
            synonyms = more_words(synonyms, self.pick({"de": (people, f"Anzahl {people}")}))
        plain = of_own_noun(words, own)
        taken = any(plain in split(other, self._vocabulary) for other in others)
        return self._also_called(synonyms, plain) if plain and not taken else synonyms

    def _written(self, words: Sequence[str]) -> str:
        """The words of a column's name in full; the number of products of `num products`, where no table is called so."""
        counted = [word for word in words[1:] if word != "of"] if words[0] in ("num", "number") else []
        several = bool(counted) and (singular(counted[-1]) != counted[-1] or words[1] == "of")
        known = several and all(map(str.isalpha, counted))
        if known and singular(counted[-1]) not in self._tables:
            return f"number of {' '.join(map(long_form, counted))}"
        return joined(tuple(map(long_form, words)))

    def _by_kind(self, synonyms: Words, table: TableDraft, column: ColumnDraft, short: tuple[str, ...]) -> Words:
        """Further words of a column by what it is: what happened on a date, what a flag says, a total or a rate without that word."""
        name = column.profile.name
        if column.verdict.kind in (ColumnClass.DATE, ColumnClass.YEAR):
            synonyms = more_words(synonyms, self._happened(self.words_of(name)))
            nouns = nouns_of_date(self.words_of(name)) if self._german else ()
            free = tuple(noun for noun in nouns if singular(folded_text(noun)) not in self._tables)
            synonyms = more_words(synonyms, self.pick({"de": free})) if free else synonyms
            if means_people(self.head_of(table.name)):  # the start date of a member: when he joined
                synonyms = more_words(synonyms, self._came_and_went(short, singular(self.head_of(table.name))))
        if column.verdict.kind is ColumnClass.AVERAGE and self._rates(table, short):
            synonyms = more_words(synonyms, self.pick(said()["rating_words"]))
        if column.verdict.kind is ColumnClass.FLAG:
            synonyms = more_words(synonyms, self.pick(said()["flags"].get(" ".join(said_by_flag(short)), {})))
        if (
            column.verdict.kind is ColumnClass.ADDITIVE
            and column.verdict.unit
            and len(bare := without_unit(short)) == 1
        ):
            synonyms = more_words(synonyms, self.pick(used_words(bare[0])))
            if len(short) > 1 and is_amount_in(short, "units_that_add"):  # Glasmenge
                synonyms = more_words(synonyms, self.pick({"de": (f"{bare[0].capitalize()}menge",)}))
        if column.verdict.unit in ("h", "min", "s") and len(short) == 2:
            spent = self.pick(said()["spent_on"].get(short[0], {}))
            synonyms = more_words(more_words(synonyms, self.pick({"en": (f"{short[0]} time",)})), spent)
            if self._is_how_long(table, column):
                synonyms = self._also_called(synonyms, "duration")
        if column.verdict.kind is ColumnClass.CATEGORY and is_birthplace(self.words_of(name)):
            synonyms = more_words(synonyms, self.pick(said()["born_in"]))
        rest = self._less_said(table, column, short)
        others = [self.words_of(other) for other in table.profile.names if other != name]
        if rest and not any(rest[-1] in other for other in others) and rest[-1] not in self._tables:
            synonyms = self._also_called(synonyms, joined(rest))  # the total cost is the cost, where there is no other
        return synonyms

    def _less_said(self, table: TableDraft, column: ColumnDraft, short: tuple[str, ...]) -> tuple[str, ...]:
        """The words of a column's name that people leave it at: the cost of a total cost, the price of a price per night."""
        rest = short[1:] if len(short) > 1 and in_list(short[0], "totals") else ()
        of_numbers = column.verdict.kind is not ColumnClass.CATEGORY
        if len(short) == 3 and short[1] in ("per", "pro", "je") and of_numbers:  # the price per night is the price
            rest = short[:1]
        if column.verdict.kind is not ColumnClass.KEY:
            rest = rest or _without_what_goes_without_saying(without_unit(short))
        if column.verdict.kind is ColumnClass.AVERAGE:
            rest = rest or own_figure(short, self._tables)
        own = self.words_of(table.name.rpartition(".")[2])
        if column.verdict.kind is ColumnClass.ADDITIVE and len(short) == 2 and short[0] in map(singular, own):
            rest = rest or short[1:]  # the order quantity of order items
        return rest

    def _is_how_long(self, table: TableDraft, column: ColumnDraft) -> bool:
        """Whether a column tells how long a row took, beside times that do not: talk minutes, with seconds of waiting."""
        times = [
            one.profile.name
            for one in table.columns
            if one.verdict.unit in ("h", "min", "s") and self.words_of(one.profile.name)[0] not in said()["no_lasting"]
        ]
        return times == [column.profile.name] and self.words_of(times[0])[0] in said()["spent_on"]

    def _units_of(self, table: TableDraft, unit: str) -> Words:
        """The days of absences are absence days, Absenztage."""
        label, _ = self.table(table)
        told: Words = {"en": (f"{label['en']} {unit}", unit)} if "en" in label else {}
        if folded_text(label.get("de", "")) in english_nouns():
            told["de"] = (unit.capitalize(), *(f"{label['de']}{joint}{unit}" for joint in ("", "s", "en")))
        return self.pick(told)

    def _also_called(self, synonyms: Words, noun: str) -> Words:
        label, more = self._told(noun, noun)
        return more_words(more_words(synonyms, {lang: (text,) for lang, text in label.items()}), more)

    def _rates(self, table: TableDraft, words: Sequence[str]) -> bool:
        """Whether a column says how good something was found, in a table of ratings or reviews: its stars are the rating."""
        names = [self.words_of(name) for name in table.profile.names]
        others = [name for name in names if name != tuple(words) and any(word in words_for("ratings") for word in name)]
        rated = len(words) == 1 and words[0] in words_for("ratings")
        own = self.words_of(table.name.rpartition(".")[2])
        called = singular(own[0]) if len(own) == 1 else ""
        return rated and not others and called in words_for("rating_tables") and called not in words_for("ratings")

    def noun(self, words: str) -> tuple[dict[str, str], Words]:
        """Label and synonyms of a noun that stands in the names of columns."""
        return self._told(words, words)

    @property
    def name(self) -> dict[str, str]:
        """What the name of a thing is called."""
        return self.noun("name")[0]

    def adjectives(self, table: TableDraft, column: ColumnDraft, label: Mapping[str, str]) -> dict[str, Any]:
        """The adjectives of a figure or date, where they are certain; people are not as old as what they founded."""
        figures = (ColumnClass.ADDITIVE, ColumnClass.AVERAGE, ColumnClass.LEVEL, ColumnClass.NUMBER)
        kinds = (*figures, ColumnClass.DATE, ColumnClass.YEAR)
        if column.verdict.kind not in kinds:
            return {}
        german = folded_text(label.get("de", "")) if "en" not in label else ""
        chinese = english_of_chinese().get(label.get("zh", ""), "") if "en" not in label else ""
        named = (label.get("en", ""), chinese, german, *compound_parts(german)[-1:], _price_in(label))
        if column.verdict.unit and self._is_how_long(table, column):
            named = (*named, "duration")
        money = [one for one in table.columns if says(self.words_of(one.profile.name), "money")]
        if len(money) == 1 and label.get("en", "").endswith((" price", " fee", " cost")):
            named = (*named, label["en"].rpartition(" ")[2])  # a purchase price, where there is no other
        known: dict[str, dict[str, Any]] = said()["adjectives"]
        found = next((known[name] for name in named if name in known), {})
        if found == known["founded"] and means_people(self.head_of(table.name)):
            found = {}
        found = {lang: words for lang, words in found.items() if lang in self._languages}
        return _with_sizes(found, self.pick(said()["sizes"])) if table.big == column.profile.name else found

    def values(
        self, table: TableDraft, column: ColumnDraft, label: Mapping[str, str]
    ) -> dict[str, dict[str, tuple[str, ...]]]:
        """What people call stored countries, and common words of categories, in other languages."""
        stored = column.profile.values
        if column.verdict.kind is ColumnClass.FLAG:
            return called_no(table, column, self.words_of(column.profile.name), self._languages)
        if column.verdict.kind is not ColumnClass.CATEGORY and column.verdict.kind is not ColumnClass.NAME:
            return {}
        countries = _named_otherwise("countries", stored)
        if len(countries) * 2 >= len(stored) and column.verdict.kind is ColumnClass.CATEGORY:
            found = {value: self.pick(names) for value, names in countries.items()}
            if len(stored) == 1:  # where there is one country only, it is the country
                found = {
                    value: more_words(names, {lang: (word,) for lang, word in label.items()})
                    for value, names in found.items()
                }
        else:
            words = self.words_of(column.profile.name)
            known = _named_otherwise("values", stored) | _decoded(words, stored) | weather_values(words, stored)
            found = {value: self.pick(names) for value, names in known.items()}
        return {value: names for value, names in found.items() if names}

    def pick(self, texts: Mapping[str, Any]) -> dict[str, Any]:
        """Of texts those in the languages that are wanted."""
        return {lang: text for lang, text in texts.items() if lang in self._languages}

    def _came_and_went(self, words: Sequence[str], people: str) -> Words:
        """What people did on the first and the last day; a user signed up when his row was created, a patient did not."""
        found: Words = {}
        for one in said()["people_dates"]:
            if words[:1] and words[0] in one["words"] and people in one.get("of", (people,)):
                found = more_words(found, {lang: tuple(one[lang]) for lang in ("en", "de", "zh") if lang in one})
        return self.pick(found)

    def _happened(self, words: Sequence[str]) -> Words:
        """What happened on a date, by the words of its name: the first that says it, else a participle."""
        same: Mapping[str, Any]
        if (
            len(words) == 3
            and words[1] in words_for("particles")
            and words[2] in ("on", "at")
            and is_past_form(words[0])
        ):
            noun = stem_of(words[0], "en") + words[1]  # signed up at: no signature
            same = next((entry for entry in said()["dates"] if noun in entry["words"]), {})
            told = {lang: tuple(same[lang]) for lang in ("en", "de", "zh") if lang in same}
            return self.pick(more_words({"en": (f"{words[0]} {words[1]}",)}, told))
        for word in words:
            plain = GERMAN_DATE.sub("", word)  # eintrittsdatum: eintritt
            for entry in said()["dates"]:
                if word in entry["words"] or plain in entry["words"]:
                    told = {lang: tuple(entry[lang]) for lang in ("en", "de", "zh") if lang in entry}
                    return self.pick(more_words(told, {"en": _dates_of(word, words, entry)}))
        if len(words) == 2 and words[1] in ("on", "at") and is_past_form(words[0]):
            return self.pick({"en": (words[0],)})  # reviewed on, audited at
        if len(words) == 2 and words[1] == "am":
            return self.pick({"de": (words[0],)})  # geprueft am
        if (happened := without_date_word(words)) and happened not in self._tables:
            same = next((entry for entry in said()["dates"] if happened in entry.get("zh", ())), {})
            told = {lang: tuple(same[lang]) for lang in ("en", "de") if lang in same}
            return self.pick({"zh": (happened,), **told})
        return {}

    def _told(self, words: str, name: str) -> tuple[dict[str, str], Words]:
        """A name in the languages that are sure of it: as it is, and as the dictionary says."""
        if not words.isascii():
            return self._other(name, words)
        german = self._german or is_unmistakably_german(words.split())
        english = words if words in dictionary() and not german else None
        if english is None and german:
            one_word = (english_nouns().get(words.replace(" ", joint)) for joint in ("", "s"))  # geburt datum
            english = next(filter(None, one_word), None) or (words if words in dictionary() else None)
        if english is None and not german and words in further_english():
            return self._told_as(words, further_english()[words])
        several = singular(words) if english is None and not german else ""
        if several in dictionary() and " " not in words:  # a column called beds
            return self._in_plural(words, several)
        if english is None:
            return self._composed(words, name, "de" if german else "en")
        labels, synonyms = translated(english, folded_text(words))
        more = {lang: tuple(found) for lang, found in said()["synonyms"].get(english, {}).items()}
        return self.pick(labels), self.pick(more_words(more, synonyms))

    def _told_as(self, words: str, english: str) -> tuple[dict[str, str], Words]:
        """A further English word of an entry: physician, which the dictionary has as doctor."""
        labels, synonyms = translated(english, english)
        more = {lang: tuple(found) for lang, found in said()["synonyms"].get(english, {}).items()}
        synonyms = more_words(more_words({"en": (english,)}, synonyms), more)
        synonyms["en"] = tuple(one for one in synonyms["en"] if one != words)
        return self.pick({**labels, "en": words}), self.pick(synonyms)

    def _in_plural(self, words: str, noun: str) -> tuple[dict[str, str], Words]:
        """A name in the plural, as it is: beds, Betten."""
        labels, synonyms = translated(noun, noun)
        many = german_forms(dictionary()[noun])[0][1]
        synonyms = more_words(synonyms, {"en": (noun,), "de": (labels["de"],)})
        return self.pick({**labels, "en": words, "de": many}), self.pick(synonyms)

    def _composed(self, words: str, name: str, language: str) -> tuple[dict[str, str], Words]:
        """A name that the dictionary does not have as a whole: as it is, and put together from its parts where it has all of them."""
        label = german_label(spaced(name).replace("_", " ")) if language == "de" else words
        synonyms = {lang: tuple(found) for lang, found in said()["synonyms"].get(words, {}).items()}
        parts = compound_parts(words) if language == "de" else known_parts(words)
        if language == "de" and (one := singular(words)) != folded_text(label):
            synonyms = more_words(synonyms, {"de": (german_label(one),)})
        if rate := rate_parts(words):
            synonyms = more_words(synonyms, {lang: one for lang, one in rate.items() if label not in one})
        if parts:
            entries = [dictionary()[part] for part in parts]
            told: Words = {"en": (" ".join(parts),), "zh": ("".join(chinese_words(entry)[0] for entry in entries),)}
            told["de"] = tuple(german_compounds(entries))
            synonyms = more_words(synonyms, {lang: found for lang, found in told.items() if label not in found})
        return ({language: label} if language in self._languages else {"en": label}), self.pick(synonyms)

    def _other(self, name: str, words: str) -> tuple[dict[str, str], Words]:
        """A name in another script, or with signs."""
        chinese = any("\u4e00" <= sign <= "\u9fff" for sign in words)
        language = "zh" if chinese else "de" if self._german else "en"
        return {language if language in self._languages else "en": spaced(name).replace("_", " ")}, {}


def _holds_tallies(table: TableDraft, own: Sequence[str]) -> bool:
    """Whether the rows of a table are no things of their own: they have no name, and no number that is theirs alone, or are called counts."""
    key = table.key.columns if table.key is not None else ()
    numbered = any(key == (one.profile.name,) and one.profile.type is ColumnType.INTEGER for one in table.columns)
    called = singular(own[-1]) in words_for("counted_by")
    return (called or not numbered) and not any(one.verdict.kind is ColumnClass.NAME for one in table.columns)


def _as_said_of(column: ColumnDraft, label: dict[str, str]) -> dict[str, str]:
    """The label; what is so or not is no noun in German: bezahlt."""
    if column.verdict.kind is not ColumnClass.FLAG or not column.profile.name.islower() or set(label) != {"de"}:
        return label
    return {"de": label["de"][:1].lower() + label["de"][1:]}


def _price_in(label: Mapping[str, str]) -> str:
    """The price that a label is about with what it is for: the price per night, the monthly fee."""
    words = folded_text(label.get("en", label.get("de", ""))).split()
    first, last = ([english_nouns().get(one, one) for one in (words[0], words[-1])]) if len(words) > 1 else ("", "")
    if first and all(word in words_for("priced_by") for word in words[1:]):
        return first if in_list(first, "prices") or first in ("fee", "rent", "fare", "cost") else ""
    for_time = all(word in words_for("per_period") for word in words[:-1])
    return last if last and for_time and last in ("price", "fee", "rent", "fare", "cost") else ""


def _named_otherwise(which: str, stored: Collection[str]) -> dict[str, Words]:
    """Of stored values those that a list knows, with what other languages call them."""
    folded = {str(name).casefold(): names for name, names in said()[which].items()}
    return {
        value: {lang: tuple(names) for lang, names in folded[value.casefold()].items()}
        for value in stored
        if value.casefold() in folded
    }


def _decoded(words: Sequence[str], stored: Collection[str]) -> dict[str, Words]:
    """What signs mean in a column that is called so: F is female where there is nothing but F and M."""
    for entry in said()["coded_values"]:
        meant = {value: entry["values"].get(value.casefold()) for value in stored}
        if words[-1:] and words[-1] in entry["columns"] and stored and all(meant.values()):
            names = _named_otherwise("values", [str(one) for one in meant.values()])
            return {value: more_words({"en": (str(one),)}, names.get(str(one), {})) for value, one in meant.items()}
    return {}


def _dates_of(word: str, words: Sequence[str], entry: Mapping[str, Any]) -> tuple[str, ...]:
    """What English calls the date `hired_on`: hire date; by the words for the same, as far as these are forms of one verb."""
    if len(words) != 2 or words[1] not in ("on", "at") or not is_past_form(word):
        return ()
    same = (
        str(other) for other in entry["words"] if other != word and stem_of(str(other), "en") == stem_of(word, "en")
    )
    return tuple(f"{other} date" for other in (*same, word))


def _with_sizes(one: Mapping[str, Any], sizes: Mapping[str, Any]) -> dict[str, Any]:
    """Adjectives, and big and small."""
    return {
        lang: {
            side: [*one.get(lang, {}).get(side, ()), *sizes.get(lang, {}).get(side, ())] for side in ("more", "less")
        }
        for lang in dict.fromkeys((*one, *sizes))
    }


def measured_by(words: Sequence[str]) -> str | None:
    """What a column measures whose whole name is a unit: milliseconds are a duration."""
    unit = unit_in(words) if len(words) == 1 else None
    return next((what for what, units in lists()["dimensions"].items() if unit in units), None)


def _counted_in(words: Sequence[str]) -> str | None:
    """What a column counts by its name: `anzahl schueler`, `num students`, `student count`; nothing where that is no noun of ours."""
    words = [word for word in words if word != "of"]  # num of staff
    first, last = (words[0], words[-1]) if len(words) == 2 else ("", "")
    noun = last if first in words_for("counted_by") else first if last in words_for("counted_by") else ""
    one = singular(noun)
    plain = noun == last and len(noun) >= _LONG_NOUN and one != noun  # num crimes
    return one if noun and (plain or one in dictionary() or one in english_nouns()) else None


def _without_what_goes_without_saying(words: Sequence[str]) -> tuple[str, ...]:
    """A status code is the status, a fee amount the fee, a unit price the price, a Jahresbudget the budget."""
    if len(words) > 1 and words[-1] in words_for("code_words"):
        return tuple(words[:-1])
    if len(words) == 2 and words[0] in words_for("whole_names") and in_list(words[1], "names"):
        return tuple(words[1:])  # the full name is the name
    if len(words) == 2 and words[-1] in words_for("amount_words") and words[0] in words_for("named_amounts"):
        return tuple(words[:-1])
    if len(words) == 2 and words[0] in ("capacity", "kapazitaet"):
        return tuple(words[:1])  # capacity pallets: the capacity, in pallets
    if len(words) > 1 and words[0] in words_for("goes_without_saying"):
        return tuple(words[1:])
    if len(words) == 2 and words[1] in words_for("said_behind") and in_list(words[0], "money"):
        return tuple(words[:1])  # lohn monat: the Lohn
    head = next((words[-1].removeprefix(one) for one in words_for("said_in_front") if words[-1].startswith(one)), "")
    return (head,) if len(words) == 1 and head in english_nouns() else ()


def _without_table(words: tuple[str, ...], own: Sequence[str]) -> tuple[str, ...]:
    """The words of a column's name without those that only name its table."""
    if without_unit(words) == tuple(own):
        return words  # Kosten CHF of costs
    if len(words) > len(own) and same_noun([long_form(word) for word in words[: len(own)]], list(map(long_form, own))):
        return words[len(own) :]  # cust city of customers: the city
    if len(words) > 1 and is_short_for(words[0], own):
        return words[1:]  # subj name of subjects
    if len(words) == 1 and own and words[0] == f"{own[0][0]}name" and words not in _persons_names():
        return ("name",)  # dname of districts
    if len(words) > 1 and words[-1] == "name" and in_list(words[-2], "places"):
        return words[:-1]  # the name of a country is called country
    return words


@cache
def _persons_names() -> frozenset[tuple[str, ...]]:
    """What the parts of a person's name are called."""
    return frozenset(tuple(words) for which in ("first_names", "last_names") for words in lists()[which])


def long_form(word: str) -> str:
    """A word in full: acct is account."""
    return folded_text(str(lists()["short"].get(word, word)))


def more_words(one: Mapping[str, Sequence[str]], other: Mapping[str, Sequence[str]]) -> Words:
    """Words per language, and further ones."""
    return {
        lang: tuple(dict.fromkeys((*one.get(lang, ()), *other.get(lang, ()))))
        for lang in (*one, *(x for x in other if x not in one))
    }
