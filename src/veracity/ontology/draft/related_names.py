"""What people call a table by the table that points to it: the category of a product is a product category, an Absenzgrund is the Grund."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from veracity.ontology.draft.findings import Found, TableDraft
from veracity.ontology.draft.labels import NameLabels, long_form, more_words
from veracity.ontology.draft.names import in_list, is_noun, lists, same_noun, singular, words_for
from veracity.ontology.draft.translated_names import Words

_SHORTEST_HEAD = 4
_LONGEST_PLURAL = 2


def related_names(found: Found, labels: NameLabels) -> dict[str, Words]:
    """Further names of tables, from the names of those that point to them."""
    told: dict[str, Words] = {}
    named = {table.name: labels.words_of(table.name.rpartition(".")[2]) for table in found.tables}
    for one in found.relations:
        own, other = named[one.table], named[one.other]
        told_apart = one.role and not "".join(other).endswith(one.role.split()[0])
        if not one.sure or one.table == one.other or told_apart:
            continue
        if len(own) == len(other) == 1 and singular(other[0]) in words_for("kinds_of_things"):
            told[one.other] = more_words(told.get(one.other, {}), _both(labels, own[0], other[0]))
        elif head := _behind(own, other):
            called = any(same_noun([head], words) for words in named.values())
            label, more = labels.noun(head)
            if not called and label:
                names = more_words({lang: (text,) for lang, text in label.items()}, more)
                told[one.other] = more_words(told.get(one.other, {}), names)
    for table in found.tables:
        names = more_words(_by_own_key(found, table, labels, named), _by_columns(found, table, labels, named))
        if names:
            told[table.name] = more_words(told.get(table.name, {}), names)
    return told


def _by_own_key(found: Found, table: TableDraft, labels: NameLabels, named: Mapping[str, Sequence[str]]) -> Words:
    """A table of trainings whose key is called course number is one of courses; not where it points elsewhere, or a table is called so."""
    if table.key is None or len(table.key.columns) != 1:
        return {}
    key = table.key.columns[0]
    words = labels.words_of(key)
    # Others point to it by that name: rows of geographics whose key is the city name are cities.
    known = any(one.other == table.name and one.columns == (key,) and one.sure for one in found.relations)
    number = in_list(words[-1], "identifiers") or words[-1] in words_for("filed_under")
    if len(words) != 2 or not (number or (known and words[-1] == "name")):
        return {}
    pointing = any(one.table == table.name and key in one.columns for one in found.relations)
    called = any(same_noun([words[0]], [word]) for other in named.values() for word in other)
    several = _ends_in(named[table.name][-1], words[0])
    # Bad-ID, where other tables point to it by that name: a row of baeder is a Bad.
    if pointing or called or not (is_noun(words[0]) or several or (known and words[0].isalpha() and len(words[0]) > 2)):
        return {}
    label, more = labels.noun(words[0])
    told = more_words({lang: (text,) for lang, text in label.items()}, more)
    return more_words(told, {"de": (several.capitalize(), words[0].capitalize())}) if several else told


def _by_columns(found: Found, table: TableDraft, labels: NameLabels, named: Mapping[str, Sequence[str]]) -> Words:
    """Accounts that sign up and have an industry are customers, where no other table and no column is called so."""
    entry = lists()["called_also"].get(singular(long_form(named[table.name][-1])), {})
    columns = {name: set(labels.words_of(name)) for name in table.profile.names}
    said = {singular(long_form(word)) for words in named.values() for word in words}
    said |= {
        singular(long_form(word))
        for one in found.tables
        for name in one.profile.names
        for word in labels.words_of(name)
    }
    if not entry or not set(entry["beside"]) & set().union(*columns.values()) or entry["noun"] in said:
        return {}
    label, more = labels.noun(entry["noun"])
    return more_words({lang: (text,) for lang, text in label.items()}, more)


def _ends_in(name: str, noun: str) -> str:
    """The last part of a compound that is a noun or its plural: the gesuche of baugesuche, where the key is a gesuch_nr."""
    place = name.find(noun)
    return name[place:] if place > 0 and len(name) - place - len(noun) <= _LONGEST_PLURAL else ""


def _both(labels: NameLabels, own: str, other: str) -> Words:
    """Product category, Produktkategorie."""
    first, last = labels.noun(singular(own))[0], labels.noun(singular(other))[0]
    told: Words = {}
    if "en" in first and "en" in last:
        told["en"] = (f"{first['en']} {last['en']}",)
    if "de" in first and "de" in last:
        told["de"] = tuple(f"{first['de']}{joint}{last['de'].lower()}" for joint in ("", "s", "en", "n"))
    return told


def _behind(own: tuple[str, ...], other: tuple[str, ...]) -> str:
    """What stands behind the name of the one in the name of the other, where it is a noun of ours."""
    if len(own) == 1 and len(other) == 1:
        stem = singular(own[0])
        stem = stem.removesuffix("en") if other[0].startswith(stem.removesuffix("en")) else stem
        head = other[0].removeprefix(stem) if other[0].startswith(stem) else ""
        return head if len(head) >= _SHORTEST_HEAD and is_noun(head) else ""
    if (
        len(other) == len(own) + 1
        and same_noun(other[:-1], own)
        and singular(other[-1]) in words_for("kinds_of_things")
    ):
        return singular(other[-1])
    return ""
