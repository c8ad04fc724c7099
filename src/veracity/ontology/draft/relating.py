"""What was found -> the relations of an ontology: their keys, roles, verbs, and the tables between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from veracity.language.people import means_people
from veracity.language.way_roles import EndRole, end_called
from veracity.ontology.descriptor import Cardinality, Link, Relation
from veracity.ontology.draft.coming_about import stores, verb_of_link
from veracity.ontology.draft.findings import Found, FoundExtremes, FoundRelation, FoundSplit
from veracity.ontology.draft.labels import NameLabels
from veracity.ontology.draft.names import in_list, says, singular, split
from veracity.ontology.draft.proposals import said, through_of
from veracity.ontology.draft.subtypes import inherited, subtypes_of
from veracity.ontology.draft.translated_names import Words


class RelationBuilder:
    """Builds the relations of what was found."""

    def __init__(
        self, found: Found, labels: NameLabels, words: frozenset[str], asked: Mapping[str, dict[str, str]]
    ) -> None:
        self._found, self._labels, self._words, self._asked = found, labels, words, asked
        self._splits = {one.table: one for one in found.splits}
        self._links = {one.table: one for one in found.links}
        self._tables = {one.name: one for one in found.tables}
        self._extremes = [one for one in found.extremes if one.sure]
        pairs = Counter((r.table, r.other) for r in found.relations)
        self._several = {pair for pair, count in pairs.items() if count > 1}
        # Where each points to the other, a city to its state and the state to its capital, the way must be said, too.
        self._mutual = {(one, other) for one, other in pairs if (other, one) in pairs}

    def relations(self) -> Iterator[Relation]:
        """The relations, each with its words."""
        usable = {table.name for table in self._found.tables if not table.profile.problem}
        kinds = subtypes_of(self._found)
        pointed = {one.other for one in self._found.relations if one.table not in kinds}
        # Orders of VIP customers: those of customers who are listed so.
        direct = (one for one in self._found.relations if one.table not in kinds or one.other in pointed)
        for one in (*direct, *inherited(self._found)):
            if {one.table, one.other} <= usable and not self._is_in_link(one):
                split_ = self._splits.get(one.table)
                yield (
                    self._through_split(one, split_)
                    if split_ and one.columns == (split_.reference,)
                    else self._relation(one)
                )
        for table in self._links:
            yield from self._many(table)
        for pair in self._extremes:
            yield self._to_extremes(pair)

    def _to_extremes(self, pair: FoundExtremes) -> Relation:
        """The relation from the extremes of a table (largest, smallest) to what its rows are about."""
        found = (one for one in self._found.relations if one.table == pair.table and one.sure)
        whole = next((one for one in found if set(one.columns) == set(pair.key)), None)
        keys = dict(zip(whole.columns, whole.referred, strict=True)) if whole else {name: name for name in pair.key}
        other = whole.other if whole else pair.table
        return Relation(
            from_entity=extremes_name(pair),
            to_entity=other,
            cardinality=Cardinality.MANY_TO_ONE,
            keys=keys,
            place=self._is_place(other),
        )

    def _is_in_link(self, one: FoundRelation) -> bool:
        """Whether a relation is a half of a table between two others; unless both lead to the same rows in different roles."""
        link = self._links.get(one.table)
        if link is None:
            return False
        return link.symmetric or (one.table, one.other) not in self._several

    def _relation(self, one: FoundRelation) -> Relation:
        role, pair = one.role, (one.table, one.other)
        named = one.part or pair in self._several or (pair in self._mutual and role) or one.table == one.other
        keys = dict(zip(one.columns, one.referred, strict=True))
        return Relation(
            name=(role or "_".join(one.columns)) if named else None,
            from_entity=one.table,
            to_entity=one.other,
            cardinality=Cardinality.ONE_TO_ONE if one.one_to_one else Cardinality.MANY_TO_ONE,
            keys=keys,
            label=self._role_label(one),
            synonyms=self.role_synonyms(one),
            verbs=self._role_verbs(one),
            inverse_verbs=self._verbs(one),
            place=self._is_place(one.other) and not one.one_to_one,
            confirmed=one.sure,
            question={} if one.sure else self._asked.get(f"relation:{one.id}", {}),
        )

    def _role_label(self, one: FoundRelation) -> dict[str, str]:
        """What the other is to this one, where the column's name says it as a noun of its own."""
        if self._is_superior(one) and self._labels.noun(one.role or "")[0].get("en") != "manager":
            return self._labels.pick(said()["superiors"]["label"])
        if (end := self._end(one)) is not None:
            own = {lang: end.noun(one.role or "", lang) for lang in end.label}
            return self._labels.pick({lang: own[lang] or label for lang, label in end.label.items()})
        if not one.role or any(in_list(word, "joins") for word in one.role.split()):
            return {}
        return self._labels.noun(one.role)[0]

    def _end(self, one: FoundRelation) -> EndRole | None:
        """Which of two ends of its rows a relation leads to: the destination of flights, which have an origin, too."""
        pair = [two for two in self._found.relations if (two.table, two.other) == (one.table, one.other)]
        ends = {end_called((two.role or "").split()) for two in pair}
        own = end_called((one.role or "").split())
        return own if own is not None and ends == {own, own.other} else None

    def _is_superior(self, one: FoundRelation) -> bool:
        """Whether a column says who people report to."""
        people = one.table == one.other and self._are_people(one.table)
        return people and one.role in said()["superiors"]["roles"]

    def role_synonyms(self, one: FoundRelation) -> Words:
        """Other words for the role of a relation: a state's capital is also its capital city, a manager a boss."""
        if self._is_superior(one):
            return self._labels.pick({lang: tuple(told) for lang, told in said()["superiors"]["synonyms"].items()})
        if not one.part or not one.role:
            return {}
        own, other = (singular(split(name.rpartition(".")[2], self._words)[-1]) for name in (one.table, one.other))
        return self._labels.pick({"en": (f"{one.role} {other}", f"{own} {one.role}")})

    def _verbs(self, one: FoundRelation) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        role = "manager" if self._is_superior(one) else one.role
        doers: list[Mapping[str, Any]] = [entry for entry in said()["role_doers"] if role in entry["roles"]]
        if role and (end := end_called((role,))) is not None and (doing := end.verbs()):
            doers.append(doing)
        entries = doers
        if not entries and not (one.role and (one.table, one.other) in self._several):
            fitting = self._entries(one)
            entries = [entry for entry in fitting if not (one.role and entry.get("without_role"))]
        between = self._verbs_between(one) if entries and not doers else set()
        for entry in entries:
            for lang in ("en", "de"):
                told = (verb for verb in entry.get(lang, ()) if verb not in between)
                verbs = (verb for verb in told if doers or not self._stores(one.table, verb, lang))
                found[lang] = (*found.get(lang, ()), *verbs)
        other = singular(self._labels.head_of(one.other))
        if not one.role and (one.table, one.other) not in self._several:
            found["en"] = (*found.get("en", ()), *said()["doers"].get(other, ()))
        if one.columns[0].endswith("_by") and (done := split(one.columns[0], self._words)[0]).endswith("ed"):
            found["en"] = (*found.get("en", ()), done)  # reviewed_by: who reviewed it
        return {lang: tuple(dict.fromkeys(words)) for lang, words in self._labels.pick(found).items() if words}

    def _entries(self, one: FoundRelation) -> list[dict[str, Any]]:
        """What is known of verbs for the nouns of two tables."""
        own, other = (singular(self._labels.head_of(name)) for name in (one.table, one.other))
        columns = self._tables[one.table].profile.names if one.table in self._tables else ()
        has = {word for name in columns for word in split(name, self._words)}
        entries = [entry for entry in said()["verbs"] if own in entry["of"] and other in entry["by"]]
        return [entry for entry in entries if has.isdisjoint(entry.get("not_with", ()))]

    def _verbs_between(self, one: FoundRelation) -> set[str]:
        """The verbs that a table of their own tells: who teaches a class stands in the lessons, not in its class teacher."""
        relations = self._found.relations
        tied = {two.table for two in relations if two.other == one.table} - {one.table, one.other}
        doing = (two for two in relations if two.other == one.other and two.table in tied)
        return {
            verb
            for two in doing
            for entry in self._entries(two)
            for lang in ("en", "de")
            for verb in entry.get(lang, ())
        }

    def _stores(self, table: str, verb: str, lang: str) -> bool:
        """Whether a column of the table already says for which rows a verb is true."""
        return table in self._tables and stores(self._tables[table], verb, lang)

    def _role_verbs(self, one: FoundRelation) -> dict[str, tuple[str, ...]]:
        """Verbs that the role of a relation suggests: a trip starts at its start station, people report to their manager."""
        if self._is_superior(one):
            return self._labels.pick({"en": tuple(said()["superiors"]["en"])})
        end = end_called((one.role,)) if one.role else None
        return self._labels.pick(end.verbs_at(one.role)) if end and one.role else {}

    def _is_place(self, table: str) -> bool:
        named = tuple(map(singular, split(table.rpartition(".")[2], self._words)))[-1:]
        return says(named, "places") or says(named, "place_tables")

    def _through_split(self, one: FoundRelation, split_: FoundSplit) -> Relation:
        link = Link(
            entity=link_name(split_),
            from_keys={split_.name: split_.name},
            to_keys={split_.reference: one.referred[0]},
        )
        verbs = self._labels.pick({"en": (one.role,)}) if one.role and split_.reference == one.role else {}
        verbs = self._through(one) or verbs
        return Relation(
            from_entity=one.table,
            to_entity=one.other,
            cardinality=Cardinality.MANY_TO_MANY,
            through=link,
            verbs=verbs,
            inverse_verbs=self._beside(one) if one.beside == "yes" else {},
            place=self._is_place(one.other) and not verbs,
        )

    def _through(self, one: FoundRelation) -> Words:
        found = through_of(one, self._words)
        return self._labels.pick({lang: tuple(found[lang]) for lang in ("en", "de") if lang in found})

    def _beside(self, one: FoundRelation) -> Words:
        found = through_of(one, self._words).get("beside", {})
        return self._labels.pick({lang: tuple(words) for lang, words in found.items()})

    def _neighbours(self, table: str, role: str | None) -> dict[str, tuple[str, ...]]:
        """Verbs for a table of pairs that holds each pair twice, once in each order: borders, is next to."""
        told = said()["neighbours"]
        named = {*split(table.rpartition(".")[2], self._words), *(role or "").split()}
        if named & set(told["words"]):
            return self._labels.pick({lang: tuple(told[lang]) for lang in ("en", "de")})
        return self._labels.pick({"en": (role,)}) if role else {}

    def _many(self, table: str) -> Iterator[Relation]:
        """The relations of two tables that a third one links."""
        one, two = (r for r in self._found.relations if r.table == table)
        link = self._links[table]
        verb = verb_of_link(table, self._words)
        if one.other == two.other and not link.symmetric:
            if verb and (doer := _doer(one, two)):
                yield self._done(*((one, two) if doer is one else (two, one)), verb)
            return
        role = two.role or one.role
        doers = [half for half in (one, two) if self._are_people(half.other)] if verb and one.other != two.other else []
        yield Relation(
            name=role or table if one.other == two.other else None,
            from_entity=one.other,
            to_entity=two.other,
            cardinality=Cardinality.MANY_TO_MANY,
            symmetric=link.symmetric,
            verbs=self._neighbours(table, role)
            if link.symmetric
            else self._tied(two, one, self._by(doers == [one] and verb)),
            inverse_verbs={} if link.symmetric else self._tied(one, two, self._by(doers == [two] and verb)),
            through=Link(
                entity=table,
                from_keys=dict(zip(one.columns, one.referred, strict=True)),
                to_keys=dict(zip(two.columns, two.referred, strict=True)),
            ),
        )

    def _tied(self, own: FoundRelation, other: FoundRelation, by_table: Words) -> Words:
        """Verbs for two things that a table links: taken from the name of that table, otherwise from what the things are."""
        if by_table:
            return by_table
        nouns = [singular(self._labels.head_of(half.other)) for half in (own, other)]
        entries = [entry for entry in said()["verbs"] if nouns[0] in entry["of"] and nouns[1] in entry["by"]]
        found = {lang: tuple(verb for entry in entries for verb in entry.get(lang, ())) for lang in ("en", "de")}
        found["en"] = tuple(dict.fromkeys((*found["en"], *said()["doers"].get(nouns[1], ()))))
        return self._labels.pick({lang: verbs for lang, verbs in found.items() if verbs})

    def _are_people(self, table: str) -> bool:
        return means_people(self._labels.head_of(table))

    def _by(self, verb: str | bool | None) -> Words:
        return self._labels.pick({"en": (verb,)}) if isinstance(verb, str) else {}

    def _done(self, one: FoundRelation, two: FoundRelation, verb: str) -> Relation:
        """A relation between rows of one table, with its verb: papers cite papers."""
        return Relation(
            name=one.table,
            from_entity=one.other,
            to_entity=two.other,
            cardinality=Cardinality.MANY_TO_MANY,
            verbs=self._by(verb),
            through=Link(
                entity=one.table,
                from_keys=dict(zip(one.columns, one.referred, strict=True)),
                to_keys=dict(zip(two.columns, two.referred, strict=True)),
            ),
        )


def _doer(one: FoundRelation, two: FoundRelation) -> FoundRelation | None:
    """Which of two columns names the one that acts: of citing and cited, citing."""
    active = [half for half in (one, two) if _says(half, "ing", "er")]
    passive = [half for half in (one, two) if _says(half, "ed", "ee")]
    return active[0] if len(active) == len(passive) == 1 and active != passive else None


def _says(half: FoundRelation, *endings: str) -> bool:
    words = [*(half.role or "").split(), *split(half.columns[0])]
    return any(word.endswith(endings) for word in words)


def link_name(split_: FoundSplit) -> str:
    """What the pairs of a table that repeats things are called."""
    return f"{split_.table}_{split_.reference}"


def extremes_name(pair: FoundExtremes) -> str:
    """What the largest and smallest of a table are called."""
    return f"{pair.table}_{pair.noun.replace(' ', '_')}"
