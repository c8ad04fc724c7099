"""What the words of a question leave open in its query, filled in: one query for each way, date or scope that may be meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from veracity.semantic.query import SemanticQuery
from veracity.semantic.reading import means_rules, ratio_rules
from veracity.semantic.reading.ages import or_by_age
from veracity.semantic.reading.best_beside import (
    by_each_measure,
    by_its_grain,
    by_stored_year,
    of_one_row,
    or_by_number,
    told_once,
    with_its_figure,
    with_its_text,
)
from veracity.semantic.reading.by_all_rows import by_all_their_rows
from veracity.semantic.reading.changed_figures import along_both, in_own_unit
from veracity.semantic.reading.compose import Composer
from veracity.semantic.reading.condition_scope import (
    average_of_their_own,
    by_their_role,
    by_what_is_named,
    counted_from_above,
    of_its_own,
)
from veracity.semantic.reading.each_with_none import with_those_without
from veracity.semantic.reading.edits import contradicts
from veracity.semantic.reading.figures_of_groups import added_together, each_in_its_time, either_mean
from veracity.semantic.reading.impossible_readings import is_impossible, names_currencies
from veracity.semantic.reading.mass_nouns import amounts_of
from veracity.semantic.reading.one_deed import each_deed, in_each_time
from veracity.semantic.reading.part_names import for_each_called_so
from veracity.semantic.reading.place_verbs import either_place
from veracity.semantic.reading.row_ends import either_end
from veracity.semantic.reading.share_scope import either_share
from veracity.semantic.reading.spellings import in_every_spelling
from veracity.semantic.reading.state_dates import either_date, in_one_time, on_its_weekday
from veracity.semantic.reading.took_place import each_that_was_held, states_of_holding
from veracity.semantic.reading.ways import (
    added_up,
    each_link,
    each_way,
    either_average,
    either_count,
    happenings,
    through_deeds,
)
from veracity.semantic.reading.word_senses import Tagged
from veracity.semantic.reading.words import WordBook
from veracity.semantic.reading.year_fields import either_year


class QueryCompleter:
    """Fills in what the words of a question leave open."""

    def __init__(self, words: WordBook, composer: Composer) -> None:
        self._words, self._composer = words, composer
        self._held = states_of_holding(words.model, words.values)

    def completed(self, queries: Sequence[SemanticQuery], tagged: Tagged, today: date) -> tuple[SemanticQuery, ...]:
        """The queries with everything filled in; none where that leaves nothing that can be meant."""
        model = self._words.model
        meant = told_once(of_one_row(tuple(dict.fromkeys(self._told(queries, tagged))), model))
        meant = either_end(meant, model)
        meant = in_one_time(by_its_grain(by_stored_year(meant, model)))
        return or_by_age(self._words.still_there(meant, tagged, today), tagged, born=self._words.born, today=today)

    def _told(self, queries: Sequence[SemanticQuery], tagged: Tagged) -> Iterator[SemanticQuery]:
        """The queries with what their words leave open filled in: one for each way, date or scope that may be meant."""
        model, theirs = self._words.model, self._words.says_whose_own(tagged)
        said = {token.text for token in tagged.tokens}
        deeds = (
            timed for query in queries for one in each_deed(query, tagged, model) for timed in in_each_time(one, tagged)
        )
        queries = [one for query in deeds for one in by_all_their_rows(query, tagged, model)]
        amounts = (one for query in queries for one in amounts_of(query, tagged, model))
        whole = (one for query in amounts if (one := ratio_rules.of_the_whole(query, self._composer)) is not None)
        meant = (one for query in whole for one in means_rules.either_means(query, tagged))
        scoped = (own for query in meant for own in average_of_their_own(query, model, said=theirs))
        shared = (one for query in scoped for one in either_share(query, tagged, self._words.turning))
        counted = (counted_from_above(by_their_role(query, model), model) for query in shared)
        years = (year for query in counted for year in either_year(query, model, said))
        spelt = (in_every_spelling(query, self._words.spellings) for query in years if not contradicts(query))
        own = (one for query in spelt for named in by_what_is_named(query, model) for one in of_its_own(named, model))
        placed = (place for query in own for place in either_place(query, tagged, model))
        linked = (one for query in placed for one in each_link(query, model))
        dated = (
            held
            for query in linked
            for day in either_date(on_its_weekday(query, model), model)
            for held in self._words.held_then(day, tagged)
        )
        ordered = (
            one for query in dated for each in by_each_measure(query, tagged) for one in or_by_number(each, tagged)
        )
        timed = (one for query in ordered for one in each_in_its_time(self._composer, query))
        told: Iterator[SemanticQuery] = (
            way for query in timed for one in either_average(query, tagged, model) for way in each_way(one, model)
        )
        if self._words.asks_how_often(tagged):
            told = (done for way in told for done in happenings(way, model))
        elif self._words.counts_what_was_done(tagged):
            by_deeds = through_deeds(tuple(told), self._words.deeds_in(tagged), model)
            told = (one for way in by_deeds for one in either_count(way, model))
        if self._words.says_in_total(tagged):
            told = added_up(tuple(told))
        if self._words.says_each_apart(tagged):
            several = tuple(told)
            told = iter([one for one in several if one.by] or several)
        together = self._words.says_together(tagged)
        told = (one for way in told for one in either_mean(added_together(way) if together else way, tuple(said)))
        apart = (for_each_called_so(way, model) for way in told)
        along = (in_own_unit(one, model) for way in apart if (one := along_both(way)) is not None)
        for one in (
            with_those_without(with_its_text(with_its_figure(way, model), model), tagged, model) for way in along
        ):
            if not is_impossible(one, tagged, model) and not (together and names_currencies(one, model)):
                yield from each_that_was_held(one, tagged, self._held)
