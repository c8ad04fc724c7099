"""Readings that cannot be meant: rows without a date in the time of that date, half of what is denied, the wrong date, each owner once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from veracity.language.folding import listed
from veracity.language.people import means_people
from veracity.ontology.fields import FieldRole
from veracity.semantic.checking.names import facts_of
from veracity.semantic.graph import SemanticModel, Thing, is_to_one
from veracity.semantic.query import (
    Aggregate,
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    InSegment,
    Negation,
    Related,
    SemanticQuery,
    Transform,
    conditions_in,
    parts_of,
)
from veracity.semantic.reading.asked_first_rules import counts_something_else, leaves_open_which
from veracity.semantic.reading.comparison_phrases import HowAdjective
from veracity.semantic.reading.happening_rules import OFTEN
from veracity.semantic.reading.joined_phrases import CameAbout, Happening, Verb
from veracity.semantic.reading.money import pieces
from veracity.semantic.reading.one_deed import (
    is_dated_beside_its_figure,
    is_dated_by_its_goods,
    is_dated_by_itself,
    is_of_new_people,
)
from veracity.semantic.reading.passed_over import (
    compares_one_by_one,
    contradicts_itself,
    goes_back_and_forth,
    is_best_of_one,
    is_dated_far_away,
    keeps_what_is_told,
    looks_in_another_name,
    reaches_too_far,
    takes_one_for_all,
    tells_something_else,
)
from veracity.semantic.reading.phrases import Attribute, JoiningWord, RowFilter, RowsPhrase, Stored
from veracity.semantic.reading.place_verbs import goes_the_wrong_way
from veracity.semantic.reading.said_phrases import SaidPeriod
from veracity.semantic.reading.scaled_fields import compares_at_another_scale
from veracity.semantic.reading.unsettled import begins, seen_within
from veracity.semantic.reading.word_lists import (
    in_all_languages,
    is_person,
    key_of,
    names_for,
    operators,
    words_of_list,
)
from veracity.semantic.reading.word_senses import Tagged, WordSense
from veracity.sources.source import NUMERIC, ColumnType

_FAR = 2
_LONG_WORD = 6
_WE = listed("we wir uns us 们")
_NEW = listed("new neu neue neuen neuer neues 新")
_WITH = listed("with mit")
_OF_A_WHOLE = listed("in among an am unter")
_ARTICLES = listed("the all our der die das den dem aller allen unseren")
_GAINS = listed("make made making lose lost losing verdient verdienen verloren 赚 亏")
_EARN = listed("earn earned earning earns verdient verdienen verdienten verdiente 赚 挣")


def _lacks_its_date(query: SemanticQuery, _tagged: Tagged, model: SemanticModel) -> bool:
    """Whether rows are meant that have no date, and the time of that date is said: unpaid fees of 2026, by the day of payment."""
    thing = model.things.get(query.of or "")
    if query.period is None or thing is None:
        return False
    date = query.period.field or thing.default_date or ""
    path = date if "." in date else f"{thing.name}.{date}"
    return any(
        isinstance(one, Comparison) and one.op == "missing" and one.field == path for one in parts_of(query.where)
    )


def names_currencies(query: SemanticQuery, model: SemanticModel) -> bool:
    """Whether several currencies are named: their amounts are told apart, and cannot be had together."""
    return any(
        isinstance(one.value, tuple) and len(one.value) > 1 and _holds_currency(one.field, model)
        for one in _compared(query.where)
    )


def _denies_too_little(query: SemanticQuery, tagged: Tagged, _model: SemanticModel) -> bool:
    """Whether what is denied goes on in the next word: not sold online is not unsold, and online."""
    missing = {one.field for one in parts_of(query.where) if isinstance(one, Comparison) and one.op == "missing"}
    values = {(one.field, one.value) for one in parts_of(query.where) if isinstance(one, Comparison) and one.op == "="}
    ends = {
        mention.end
        for mention in tagged.mentions
        if isinstance(mention.phrase, Attribute) and mention.phrase.path in missing
    }
    return any(
        mention.start in ends and any((f"{entity}.{field}", value) in values for entity, field, value in stored.homes)
        for mention in tagged.mentions
        if isinstance(stored := mention.phrase, Stored)
    )


def _keeps_what_is_to_be_shown(query: SemanticQuery, tagged: Tagged, _model: SemanticModel) -> bool:
    """Whether what is to be told of rows is read as a condition: tracks with their genre are not those that have one."""
    words = [token.text for token in tagged.tokens]
    own = {word for key in in_all_languages("whose_own") for word in key}
    if not any(one in _WITH and two in own for one, two in pairwise(words)):
        return False
    return any(
        (isinstance(one, Related) and one.count is None and one.related == SemanticQuery(of=one.related.of))
        or (isinstance(one, Comparison) and one.op == "notMissing")
        for one in parts_of(query.where)
    )


def _takes_the_whole_for_a_part(query: SemanticQuery, tagged: Tagged, _model: SemanticModel) -> bool:
    """Whether what a share is taken of is read as what narrows its part: the share of returns in orders is not that of returns with orders."""
    words = [token.text for token in tagged.tokens]
    for shown in query.show:
        tied = shown.where if shown.transform is Transform.SHARE else None
        if not isinstance(tied, Related) or tied.related.where is not None or tied.count is not None:
            continue
        for mention in tagged.mentions:
            if isinstance(mention.phrase, RowsPhrase) and mention.phrase.entity == tied.related.of:
                before = [word for word in words[: mention.start] if word not in _ARTICLES]
                if before[-1:] and before[-1] in _OF_A_WHOLE:
                    return True
    return False


def goes_by_lines(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether what sold the most is told by how many lines name it, though each line says how many pieces it is of."""
    counted = [order.by.of for order in query.order if order.by.aggregate is Aggregate.COUNT and order.by.via]
    said = [mention.phrase for mention in tagged.mentions]
    named = {phrase.entity for phrase in said if isinstance(phrase, RowsPhrase)}
    often = any(isinstance(phrase, JoiningWord) and phrase.kind in OFTEN for phrase in said)
    lines = (one for one in counted if one and one not in named and one in model.things)
    return not often and any(pieces(model, one) for one in lines)


def _owes_what_it_has(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether what is owed is read as what there is: what we owe the bank is not what lies in it."""
    owes = {word for key in in_all_languages("owes") for word in key}
    if not any(owes.intersection(key_of(token.text)) for token in tagged.tokens):
        return False
    if query.where is None and _tells_what_stood(query, model):
        return True  # the balances of everything
    held = [model.segments[one.segment][1] for one in parts_of(query.where) if isinstance(one, InSegment)]
    return any(key_of(label) in in_all_languages("funds") for one in held for label in one.label.values())


def _acts_on_its_own_date(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether the time of what people did is read as a date of theirs: who worked on 12 July did not join on that day."""
    thing = model.things.get(query.of or "")
    said = (one.phrase for one in tagged.mentions)
    acts = any(isinstance(one, JoiningWord) and key_of(one.text) in in_all_languages("activities") for one in said)
    if not acts or thing is None or not is_person(thing):
        return False
    named = {one.phrase.path for one in tagged.mentions if isinstance(one.phrase, Attribute)}
    dates = {f"{thing.name}.{name}" for name, facts in thing.fields.items() if facts.is_date} - named
    dated = any(isinstance(one, Comparison) and one.field in dates for one in parts_of(query.where))
    return dated or (query.period is not None and f"{thing.name}.{thing.default_date}" in dates)


def _takes_wages_for_earnings(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether what we earned is read as what people are paid: "what did we earn in 2019?" asks for no wages."""
    said = {token.text for token in tagged.tokens}
    return not said.isdisjoint(_WE) and not said.isdisjoint(_EARN) and bool(_amounts_of_people(query, model))


def takes_who_joined(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether people of a time, or their wages, are read as those who joined then: "employees in 2021", "salaries 2019".

    A default date is the owner's word for it, unless it is the first day of people or other rows say who was there then.
    """
    owner = model.things.get(query.of or "")
    if owner is None or not is_person(owner):
        return False
    paid = owner.name in _amounts_of_people(query, model)
    told = paid or query.lists or any(one.of == owner.name for one in query.show)
    if query.period is None or query.period.field is not None:
        return told and _joined_unsaid(query, owner, tagged)
    seen = paid or owner.default_date in begins(owner) or any(seen_within(model, owner.name, query.period))
    return told and seen and _joined_unsaid(query, owner, tagged, owner.default_date)


def _joined_unsaid(query: SemanticQuery, owner: Thing, tagged: Tagged, default: str | None = None) -> bool:
    """Whether a date of people says which of them are meant, though no word does: joined, hired, new."""
    said = [one.phrase for one in tagged.mentions]
    dates = {f"{owner.name}.{name}" for name, facts in owner.fields.items() if facts.is_date}
    named = {one.path for one in said if isinstance(one, Attribute)}
    joined = any(isinstance(one, CameAbout | Verb | RowFilter | Happening) for one in said)
    joined = joined or not _NEW.isdisjoint(token.text for token in tagged.tokens) or _says_the_date(owner, tagged)
    if joined or not dates.isdisjoint(named) or not any(isinstance(one, SaidPeriod) for one in said):
        return False
    compared = {one.field for one in parts_of(query.where) if isinstance(one, Comparison)}
    return not dates.isdisjoint({*compared, f"{owner.name}.{default}"})


def _says_the_date(owner: Thing, tagged: Tagged) -> bool:
    """Whether the noun for people says a date of theirs: sign-ups, by the signup date."""
    letters = "".join(token.text for token in tagged.tokens)
    dates = (names_for(name, facts.declared) for name, facts in owner.fields.items() if facts.is_date)
    words = (word for names in dates for name in names for word in key_of(name))
    return any(len(word) >= _LONG_WORD and word in letters for word in words)


def _amounts_of_people(query: SemanticQuery, model: SemanticModel) -> set[str]:
    """The people whose own amounts are added up or averaged."""
    paths = [shown.field for shown in query.show if shown.field and shown.aggregate is not None]
    amounts = (path for path in paths if facts_of(model, path).column.type in NUMERIC)
    return {home for path in amounts if is_person(model.things[home := path.partition(".")[0]])}


def _averages_a_year(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether how old things are on average is read as the average of the years that they are from."""
    asked = any(isinstance(one.phrase, HowAdjective) for one in tagged.mentions)
    averaged = (Aggregate.AVG, Aggregate.MEDIAN)
    return asked and any(
        shown.aggregate in averaged and shown.field and facts_of(model, shown.field).role is FieldRole.PERIOD
        for shown in query.show
    )


def _goes_on_at_another_time(query: SemanticQuery, tagged: Tagged, _model: SemanticModel) -> bool:
    """Whether what goes on today is asked for another time: members who were active in 2024."""
    goes_on = any(
        isinstance(one, AnyOf) and any(isinstance(part, Comparison) and part.op == "missing" for part in one.conditions)
        for one in (*parts_of(query.where), *(part for shown in query.show for part in parts_of(shown.where)))
    )
    phrases = [one.phrase for one in tagged.mentions]
    active = goes_on and any(isinstance(one, RowFilter) and len(one.where) > 1 and one.before for one in phrases)
    named = {one.path for one in phrases if isinstance(one, Attribute)}
    paths = [one.field for one in parts_of(query.where) if isinstance(one, Comparison)]
    return active and any(isinstance(one, SaidPeriod) for one in phrases) and named.isdisjoint(paths)


def _did_it_at_another_time(query: SemanticQuery, tagged: Tagged, _model: SemanticModel) -> bool:
    """Whether the time of doing anything is read as that of who did it: who has not bought anything in 2024 may have joined before."""
    anything = any(isinstance(one.phrase, JoiningWord) and one.phrase.kind == "anything" for one in tagged.mentions)
    if query.period is None or not anything:
        return False
    deeds = (one.condition if isinstance(one, Negation) else one for one in parts_of(query.where))
    return any(isinstance(one, Related) and one.related == SemanticQuery(of=one.related.of) for one in deeds)


def _takes_a_balance_for_a_gain(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether making money is read as the money that there is at some time."""
    said = {token.text for token in tagged.tokens}
    return _tells_what_stood(query, model) and not said.isdisjoint(_WE) and not said.isdisjoint(_GAINS)


def _tells_what_stood(query: SemanticQuery, model: SemanticModel) -> bool:
    """Whether a figure is what there was at the start or the end of a period."""
    measures = [model.measures[one.measure] for one in query.show if one.measure]
    stood = (model.things[home].fields.get(measure.expression or "") for home, measure in measures)
    return any(facts is not None and facts.declared is not None and bool(facts.declared.moment) for facts in stood)


def _sent_at_another_time(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether the time behind where something was sent is read as another date than that of sending: shipped to Ulm in 2024."""
    aimed, sent = words_of_list("aimed"), words_of_list("sent_words")
    first = {one.start: tagged.tokens[one.start].text for one in tagged.mentions}
    aims = any(isinstance(one.phrase, Stored) and first[one.start] in aimed for one in tagged.mentions)
    said = (one.phrase for one in tagged.mentions if isinstance(one.phrase, Attribute) and first[one.start] in sent)
    thing = model.things.get(query.of or "")
    dates = {one.path for one in said if one.entity == query.of}
    if query.period is None or thing is None or not dates or not aims:
        return False
    return (query.period.field or f"{thing.name}.{thing.default_date}") not in dates


def _happened_far_above(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether what happened is read of what rows only belong to over others: tickets opened in May, by when the shop opened."""
    named = {one.phrase.entity for one in tagged.mentions if isinstance(one.phrase, RowsPhrase)}
    for one in parts_of(query.where):
        if not isinstance(one, Related) or len(one.via) < _FAR or one.related.of in named:
            continue
        thing, way = model.things.get(one.related.of or ""), model.way(query.of or "", one.via)
        dates = {f"{thing.name}.{name}" for name, facts in thing.fields.items() if facts.is_date} if thing else set()
        met = (part.field for part in parts_of(one.related.where) if isinstance(part, Comparison))
        if way and is_to_one(way) and not dates.isdisjoint(met):
            return True
    return False


def _takes_owners_once(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether each is taken once that was asked for each of others: the average plan price of members, where many have one plan."""
    computed = (Aggregate.AVG, Aggregate.MEDIAN, Aggregate.SUM)
    if len(query.show) != 1 or query.show[0].aggregate not in computed or query.show[0].field is None:
        return False
    said = {
        one.phrase.entity for one in tagged.mentions if isinstance(one.phrase, RowsPhrase) and _behind_of(tagged, one)
    }
    for one in parts_of(query.where):
        way = model.way(query.of or "", one.via) if isinstance(one, Related) and one.count is None else None
        if way and isinstance(one, Related) and one.related.of in said and not is_to_one(way):
            return is_to_one(model.back(way))
    return False


def _is_of_several_years(query: SemanticQuery, _tagged: Tagged, model: SemanticModel) -> bool:
    """Whether what stands for one year each is asked for several years together: the inhabitants from 2020 to 2022."""
    period = query.period
    if period is None or period.first is None or period.last is None or period.first.year == period.last.year:
        return False
    if query.compare is not None or any(one.is_dated or one.field for one in query.by):
        return False
    for shown in query.show:
        home = model.measures[shown.measure][0] if shown.measure else (shown.field or "").rpartition(".")[0]
        named = model.measures[shown.measure][1].expression if shown.measure else (shown.field or "").rpartition(".")[2]
        thing = model.things.get(home)
        facts = thing.fields.get(named or "") if thing is not None else None
        year = thing.date_parts.year if thing is not None and thing.date_parts and not thing.date_parts.month else None
        if facts is not None and year in facts.over:
            return True
    return False


def _takes_one_of_the_recent(query: SemanticQuery, tagged: Tagged, _model: SemanticModel) -> bool:
    """Whether several recent ones are asked for, in words that may also mean the latest: 最近的报名有哪些."""
    latest = query.limit == 1 and query.lists and bool(query.order)
    several = any(word in tagged.question for word in operators("zh")["which_several"])
    return latest and several and any(word in tagged.question for word in operators("zh")["recent_or_latest"])


def _costs_by_its_parts(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether what a verb says of rows is read of several others that they have: visits that cost 500, by the price of a medicine."""
    asked = {one.phrase.path for one in tagged.mentions if isinstance(one.phrase, Attribute) and one.phrase.verb}
    for one in parts_of(query.where) if asked else ():
        way = model.way(query.of or "", one.via) if isinstance(one, Related) else None
        if way and not is_to_one(way) and isinstance(one, Related):
            return any(compared.field in asked for compared in _compared(one.related.where))
    return False


def _takes_a_year_for_a_number(query: SemanticQuery, tagged: Tagged, _model: SemanticModel) -> bool:
    """Whether the year beside what rows are called is read as how many of them there are: tickets 2024, haben 2024 Tickets."""
    years = {one.phrase.number for one in tagged.mentions if isinstance(one.phrase, SaidPeriod) and one.phrase.bare}
    counted = (one.count for one in conditions_in(query.where) if isinstance(one, Related) and one.count)
    if any(count.op == "=" and count.value in years for count in counted):
        return True
    rows = {(one.start, one.end) for one in tagged.mentions if isinstance(one.phrase, RowsPhrase)}
    both = {
        one.phrase.path
        for one in tagged.mentions
        if isinstance(one.phrase, Attribute) and (one.start, one.end) in rows and years
    }
    return any(one.field in both and one.value in years for one in _compared(query.where) if one.op == "=")


def _ends_its_choice_too_late(query: SemanticQuery, _tagged: Tagged, model: SemanticModel) -> bool:
    """Whether what people did is said of the last of several values only: customers from Bern or Basel who bought a pass."""
    for either in parts_of(query.where):
        parts = either.conditions if isinstance(either, AnyOf) else ()
        single = {one.field for one in parts if isinstance(one, Comparison)}
        for both in (one for one in parts if isinstance(one, AllOf)):
            done = [one for one in both.conditions if isinstance(one, Related)]
            ways = (model.way(query.of or "", one.via or ()) for one in done)
            again = any(isinstance(one, Comparison) and one.field in single for one in both.conditions)
            if again and any(way and not is_to_one(way) for way in ways):
                return True
    return False


def _takes_medians_of_medians(query: SemanticQuery, _tagged: Tagged, _model: SemanticModel) -> bool:
    """Whether the median is taken of the medians of groups, which nobody asked for."""
    middle = (shown for shown in query.show if shown.aggregate is Aggregate.MEDIAN and shown.rows is not None)
    return any(one.aggregate is Aggregate.MEDIAN for shown in middle if shown.rows for one in shown.rows.show)


def _counts_tallies(query: SemanticQuery, _tagged: Tagged, model: SemanticModel) -> bool:
    """Whether rows are counted of which each tells how many came on a day: 93 entries in July, of three baths on 31 days."""
    counted = [one.of for one in query.show if one.aggregate is Aggregate.COUNT and one.of]
    return any(counts_people(model.things[name]) for name in counted)


def counts_people(thing: Thing) -> bool:
    """Whether each row tells how many people came on a day, so that the rows themselves are not counted."""
    dated = [name for name in thing.key if name in thing.fields and thing.fields[name].is_date]
    if len(thing.key) < 2 or not dated:
        return False
    own = ((facts, names_for(name, facts.declared)) for name, facts in thing.fields.items() if name not in thing.key)
    return any(facts.column.type is ColumnType.INTEGER and any(map(means_people, called)) for facts, called in own)


def _behind_of(tagged: Tagged, noun: WordSense) -> bool:
    """Whether a noun stands behind `of`."""
    before = max((place for place in range(noun.start) if place not in tagged.skipped), default=-1)
    ended = (one.phrase for one in tagged.mentions if one.end == before + 1)
    return any(isinstance(one, JoiningWord) and one.kind == "of" for one in ended)


def _takes_rows_for_a_value(query: SemanticQuery, tagged: Tagged, _model: SemanticModel) -> bool:
    """Whether a noun for rows is read as a value of rows that nobody named: who made a transaction has no notice of the kind transaction."""
    told, named = query.canonical_json(), dict[tuple[int, int], set[str]]()
    fields = {one.phrase.path for one in tagged.mentions if isinstance(one.phrase, Attribute)}
    for one in tagged.mentions:
        if isinstance(one.phrase, RowsPhrase) and one.phrase.bare:
            named.setdefault((one.start, one.end), set()).add(one.phrase.entity)
    said = set().union(*named.values())
    values = {(one.field, one.value) for one in _compared(query.where)}
    for one in tagged.mentions:
        rows = named.get((one.start, one.end), set())
        if isinstance(stored := one.phrase, Stored) and rows and not any(f'"{entity}"' in told for entity in rows):
            used = {home for home in stored.homes if (f"{home[0]}.{home[1]}", home[2]) in values}
            if used and all(home[0] not in said and f"{home[0]}.{home[1]}" not in fields for home in used):
                return True
    return False


def _compared(where: Condition | None) -> Iterator[Comparison]:
    for one in parts_of(where):
        if isinstance(one, Related):
            yield from _compared(one.related.where)
        elif isinstance(one, Comparison):
            yield one


def _holds_currency(path: str, model: SemanticModel) -> bool:
    entity, _, field = path.partition(".")
    return model.things[entity].fields[field].role is FieldRole.CURRENCY


CHECKS: tuple[Callable[[SemanticQuery, Tagged, SemanticModel], bool], ...] = (
    _owes_what_it_has,
    _takes_wages_for_earnings,
    _averages_a_year,
    _lacks_its_date,
    _keeps_what_is_to_be_shown,
    _takes_the_whole_for_a_part,
    _denies_too_little,
    _acts_on_its_own_date,
    _goes_on_at_another_time,
    _sent_at_another_time,
    _did_it_at_another_time,
    _takes_a_balance_for_a_gain,
    _happened_far_above,
    _takes_owners_once,
    _is_of_several_years,
    _takes_one_of_the_recent,
    _costs_by_its_parts,
    _counts_tallies,
    _takes_a_year_for_a_number,
    _ends_its_choice_too_late,
    _takes_medians_of_medians,
    _takes_rows_for_a_value,
    counts_something_else,
    leaves_open_which,
    goes_the_wrong_way,
    tells_something_else,
    takes_one_for_all,
    compares_one_by_one,
    reaches_too_far,
    looks_in_another_name,
    contradicts_itself,
    keeps_what_is_told,
    is_best_of_one,
    is_dated_by_itself,
    is_dated_by_its_goods,
    is_dated_beside_its_figure,
    is_of_new_people,
    compares_at_another_scale,
    is_dated_far_away,
    goes_back_and_forth,
)
"""Each says of a reading that it cannot be meant."""


def is_impossible(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether a reading takes the words for something that they cannot mean."""
    return any(check(query, tagged, model) for check in CHECKS)
