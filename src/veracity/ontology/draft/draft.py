"""`OntologyDraft`: what was found in a source and what a person answered; it becomes an ontology, or its YAML."""

from __future__ import annotations

import re
from functools import cached_property

from veracity.errors import UsageError
from veracity.language.nearest import did_you_mean
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.ontology.draft.answers import with_answers
from veracity.ontology.draft.building import Builder
from veracity.ontology.draft.findings import Found
from veracity.ontology.draft.questions import DraftQuestion, questions_of
from veracity.ontology.draft.vocabulary import vocabulary
from veracity.wire import Wire

_NUMBER = re.compile(r"\d{1,15}(\.\d{1,6})?")
"""From which value on a thing is big may be answered with any number: the round ones that are offered change with the rows."""


class OntologyDraft(Wire):
    """A value: every answer makes a new one. It can be kept as JSON and read again."""

    found: Found
    languages: tuple[str, ...] = ("de", "en", "zh")
    answers: dict[str, str] = {}
    """Answers of a person, by the id of the question."""

    @cached_property
    def settled(self) -> Found:
        """What was found, with the answers in their places."""
        return with_answers(self.found, self.answers, self._words)

    @cached_property
    def _words(self) -> frozenset[str]:
        return vocabulary({table.name: table.profile.names for table in self.found.tables})

    @cached_property
    def questions(self) -> tuple[DraftQuestion, ...]:
        """What only a person can know and nobody has answered yet, most valuable first."""
        return questions_of(self.settled, self.answers, self._words)

    def answered(self, question_id: str, option_id: str) -> OntologyDraft:
        """The draft with one more answer; an earlier answer to the same question is replaced."""
        asked = questions_of(self.found, {}, self._words) + self.questions
        each = questions_of(self.found, {"amounts": "each"}, self._words)
        # What an answer has opened may be answered again, too.
        rest = {place: said for place, said in self.answers.items() if place != question_id}
        opened = questions_of(with_answers(self.found, rest, self._words), rest, self._words)
        question = next((one for one in (*asked, *each, *opened) if one.id == question_id), None)
        if question is None:
            raise UsageError(
                f"The draft asks no question {question_id!r}{did_you_mean(question_id, [q.id for q in asked])}"
            )
        options = [option.id for option in question.options]
        if option_id not in options and not (question.kind == "large" and _NUMBER.fullmatch(option_id)):
            raise UsageError(f"{question_id} is answered with {', '.join(options)}, not {option_id!r}.")
        return OntologyDraft(
            found=self.found, languages=self.languages, answers={**self.answers, question_id: option_id}
        )

    def descriptor(self) -> OntologyDescriptor:
        """The ontology: facts to be used, guesses marked as such."""
        return Builder(self.settled, self.languages, self._words, self.questions).descriptor()

    def yaml(self) -> str:
        """The ontology as YAML: the reason of each class and the evidence of each relation as comments."""
        from veracity.ontology.draft.writing import written

        return written(self.descriptor(), self.settled, self.languages)
