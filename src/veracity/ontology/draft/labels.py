"""What people call tables and columns, from their names: words, their other language, singular, and words that are certain."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from veracity.language.folding import folded_text
from veracity.language.nearest import spaced
from veracity.ontology.draft.findings import ColumnClass, ColumnDraft, TableDraft
from veracity.ontology.draft.names import (
    dictionary,
    in_list,
    lists,
    same_noun,
    singular,
    split,
    unit_in,
    without_unit,
    words_for,
)
from veracity.ontology.draft.proposals import said

_FEWEST_GERMAN = 3
_MOST_PARTS = 3
_SHORTEST_PART = 4
_GERMAN_SHARE = 0.15
Words = dict[str, tuple[str, ...]]


class NameLabels:
    """NameLabels and synonyms of tables and columns, in some languages."""

    def __init__(self, languages: Sequence[str], vocabulary: frozenset[str], names: Collection[str] = ()) -> None:
        self._languages, self._vocabulary = tuple(languages), vocabulary
        self._tables = {singular(word) for word in vocabulary}
        known = [name for name in names if _is_unmistakably_german(split(name, vocabulary))]
        # A column called kind or tag is German only where the names around it are.
        self._german = len(known) >= _FEWEST_GERMAN and len(known) >= _GERMAN_SHARE * len(names)

    def table(self, table: TableDraft) -> tuple[dict[str, str], Words]:
        """Label and synonyms of a table."""
        name = table.name.rpartition(".")[2]
        words = [word for word in split(name, self._vocabulary) if word not in words_for("stop")] or [folded_text(name)]
        words = [*(_long(word) for word in words[:-1]), singular(_long(words[-1]))]
        return self._told(" ".join(words), name)

    def column(self, table: TableDraft, column: ColumnDraft) -> tuple[dict[str, str], Words]:
        """Label and synonyms of a column; without the table's name in front, which stays a synonym."""
        name = column.profile.name
        words = split(name, self._vocabulary)
        own = split(table.name.rpartition(".")[2], self._vocabulary)
        short = words
        if len(words) > len(own) and same_noun(words[: len(own)], own):
            short = words[len(own) :]
        if len(words) > 1 and words[-1] == "name" and in_list(words[-2], "places") and short == words:
            short = words[:-1]  # the name of a country is called country
        measured = measured_by(words)
        if column.verdict.kind in (ColumnClass.CODE, ColumnClass.KEY) and short[-1:] == ("id",):
            short = words
        bare = short if measured else without_unit(short)
        shown = name if bare == words else " ".join(bare)
        label, synonyms = self._told(measured or " ".join(map(_long, bare)), shown)
        if short != words or measured:
            synonyms = more_words(synonyms, {"en": (" ".join(words),)})
        if measured:
            synonyms = self._also_called(synonyms, singular(words[0]))
        if (counted := _counted_in(words)) and counted not in self._tables:
            synonyms = self._also_called(synonyms, counted)
        beside = {singular(split(other, self._vocabulary)[-1]) for other in table.profile.names}
        if short[-1:] == ("density",) and "population" in beside:
            synonyms = more_words(synonyms, {"en": ("population density",), "de": ("Bevölkerungsdichte",)})
        if table.big == name:
            synonyms = more_words(synonyms, self.pick(said()["size_words"]))
        if column.verdict.kind is ColumnClass.DATE:
            synonyms = more_words(synonyms, self._happened(words))
        return label, synonyms

    def _also_called(self, synonyms: Words, noun: str) -> Words:
        label, more = self._told(noun, noun)
        return more_words(more_words(synonyms, {lang: (text,) for lang, text in label.items()}), more)

    def noun(self, words: str) -> tuple[dict[str, str], Words]:
        """Label and synonyms of a noun that stands in the names of columns."""
        return self._told(words, words)

    @property
    def name(self) -> dict[str, str]:
        """What the name of a thing is called."""
        return self.noun("name")[0]

    def adjectives(self, column: ColumnDraft, label: Mapping[str, str], *, big: bool) -> dict[str, Any]:
        """The adjectives of a figure or date, where they are certain."""
        kinds = (ColumnClass.ADDITIVE, ColumnClass.AVERAGE, ColumnClass.LEVEL, ColumnClass.NUMBER, ColumnClass.DATE)
        if column.verdict.kind not in kinds:
            return {}
        found = said()["adjectives"].get(label.get("en", ""), {})
        found = {lang: words for lang, words in found.items() if lang in self._languages}
        return _with_sizes(found, self.pick(said()["sizes"])) if big else found

    def values(self, column: ColumnDraft, label: Mapping[str, str]) -> dict[str, dict[str, tuple[str, ...]]]:
        """What people call stored countries in other languages."""
        countries = said()["countries"]
        folded = {name.casefold(): names for name, names in countries.items()}
        values = [value for value in column.profile.values if value.casefold() in folded]
        if column.verdict.kind is not ColumnClass.CATEGORY or len(values) * 2 < len(column.profile.values):
            return {}
        found = {
            value: self.pick({lang: tuple(names) for lang, names in folded[value.casefold()].items()})
            for value in values
        }
        if len(column.profile.values) == 1:  # where there is one country only, it is the country
            found = {
                value: more_words(names, {lang: (word,) for lang, word in label.items()})
                for value, names in found.items()
            }
        return {value: names for value, names in found.items() if names}

    def pick(self, texts: Mapping[str, Any]) -> dict[str, Any]:
        """Of texts those in the languages that are wanted."""
        return {lang: text for lang, text in texts.items() if lang in self._languages}

    def _happened(self, words: Sequence[str]) -> Words:
        found = (said()["dates"].get(word, {}) for word in words)
        told = {lang: tuple(names) for one in found for lang, names in one.items() if lang in self._languages}
        if not told and len(words) == 2 and words[1] in ("on", "at") and words[0].endswith("ed"):
            told = self.pick({"en": (words[0],)})  # hired on, discharged at
        return told

    def _told(self, words: str, name: str) -> tuple[dict[str, str], Words]:
        """A name in the languages that are sure of it: as it is, and as the dictionary says."""
        if not words.isascii():
            return self._other(name, words)
        german = self._german or _is_unmistakably_german(words.split())
        english = words if words in dictionary() and not german else None
        if english is None and german:
            english = _english().get(words.replace(" ", "")) or (words if words in dictionary() else None)
        if english is None:
            return self._composed(words, name, "de" if german else "en")
        entry = dictionary()[english]
        labels = {"en": english, "de": entry["de"][0], "zh": entry["zh"]}
        plural = {"de": (entry["de"][1],)} if entry["de"][1] != entry["de"][0] else {}
        same = tuple(other for other, told in dictionary().items() if told == entry and other != english)
        synonyms = more_words(
            {lang: tuple(found) for lang, found in said()["synonyms"].get(english, {}).items()},
            plural | ({"en": same} if same else {}),
        )
        return self.pick(labels), self.pick(synonyms)

    def _composed(self, words: str, name: str, language: str) -> tuple[dict[str, str], Words]:
        """A name that the dictionary does not have as a whole: as it is, and put together from its parts where it has all of them."""
        label = spaced(name).replace("_", " ") if language == "de" else words
        synonyms = {lang: tuple(found) for lang, found in said()["synonyms"].get(words, {}).items()}
        parts = compound_parts(words) if language == "de" else _known_parts(words)
        if language == "de" and (one := singular(words)) != words:
            synonyms = more_words(synonyms, {"de": (one,)})
        if parts:
            entries = [dictionary()[part] for part in parts]
            told: Words = {"en": (" ".join(parts),), "zh": ("".join(str(entry["zh"]) for entry in entries),)}
            told["de"] = tuple(_german_compounds(entries))
            synonyms = more_words(synonyms, {lang: found for lang, found in told.items() if label not in found})
        return ({language: label} if language in self._languages else {"en": label}), self.pick(synonyms)

    def _other(self, name: str, words: str) -> tuple[dict[str, str], Words]:
        """A name in another script, or with signs."""
        chinese = any("\u4e00" <= sign <= "\u9fff" for sign in words)
        language = "zh" if chinese else "de" if self._german else "en"
        return {language if language in self._languages else "en": spaced(name).replace("_", " ")}, {}


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
    first, last = (words[0], words[-1]) if len(words) == 2 else ("", "")
    noun = last if first in words_for("counted_by") else first if last in words_for("counted_by") else ""
    one = singular(noun)
    return one if noun and (one in dictionary() or one in _english()) else None


def _long(word: str) -> str:
    return folded_text(str(lists()["short"].get(word, word)))


def more_words(one: Mapping[str, Sequence[str]], other: Mapping[str, Sequence[str]]) -> Words:
    """Words per language, and further ones."""
    return {
        lang: tuple(dict.fromkeys((*one.get(lang, ()), *other.get(lang, ()))))
        for lang in (*one, *(x for x in other if x not in one))
    }


@cache
def _english() -> Mapping[str, str]:
    """German nouns, folded -> the English entry; where two share one, the first."""
    found: dict[str, str] = {}
    for english, entry in dictionary().items():
        for form in entry["de"]:
            found.setdefault(folded_text(form).replace(" ", ""), english)
    return found


def _known_parts(words: str) -> tuple[str, ...]:
    """The words of an English name, where there are several and the dictionary has them all."""
    parts = tuple(word if word in dictionary() else singular(word) for word in words.split())
    return parts if 1 < len(parts) <= _MOST_PARTS and all(part in dictionary() for part in parts) else ()


@cache
def compound_parts(word: str) -> tuple[str, ...]:
    """The English words of a German compound of two nouns that the dictionary has; nothing where it may be cut in two ways."""
    known, found = _english(), set[tuple[str, str]]()
    for place in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        first, last = word[:place].rstrip(" "), word[place:].lstrip(" ")
        stems = (first, *(first.removesuffix(joint) for joint in ("s", "n", "en", "es") if first.endswith(joint)))
        noun = next((known[stem] for stem in stems if stem in known), None)
        if noun is not None and last in known:
            found.add((noun, known[last]))
    return found.pop() if len(found) == 1 else ()


def _german_compounds(entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What German may call something that English calls by two nouns: Stationsname, Probendatum."""
    if len(entries) != 2:
        return
    (one, several), (head, heads) = (entry["de"] for entry in entries)
    for first in dict.fromkeys((one, f"{one}s", several)):
        yield from (f"{first}{last.lower()}" for last in dict.fromkeys((head, heads)))


def _is_unmistakably_german(words: Sequence[str]) -> bool:
    """Whether a name has a word that is German and not English."""
    return any(_is_german(word) and len(word) > 4 and singular(word) not in dictionary() for word in words)


@cache
def _is_german(words: str) -> bool:
    """Whether a name ends in a German word of ours."""
    last = words.rpartition(" ")[2]
    german = {word for word in _english() if len(word) > 4}
    known = {"betrag", "menge", "anzahl", "nummer", "datum", "preis", "name", "nr"}
    if last in dictionary() or last in words_for("both_languages"):
        return False
    return any(last.endswith(word) for word in german | known - {"name"})
