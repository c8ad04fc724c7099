"""The ontology's example questions as prompts: a person picks one, and the agent answers it with one semantic query."""

from __future__ import annotations

from dataclasses import dataclass

from veracity.query.catalog import Catalog
from veracity.tools.semantic import SEMANTIC_TOOL


@dataclass(frozen=True, slots=True)
class QuestionPrompt:
    """A question that surely has an answer."""

    name: str
    question: str
    lang: str

    @property
    def text(self) -> str:
        """What an agent is told."""
        return (
            f"{self.question}\n\nCompose one {SEMANTIC_TOOL} call from the entities, measures and fields of "
            f"veracity://guide/{self.lang}. Tell the person its `answer` as it stands, and nothing that no result holds."
        )


def question_prompts(catalog: Catalog) -> dict[str, QuestionPrompt]:
    """The example questions by the names of their prompts; none without an ontology."""
    examples = catalog.ontology.questions if catalog.ontology else {}
    made = (
        QuestionPrompt(f"{lang}_{number}", asked.question, lang)
        for lang, questions in examples.items()
        for number, asked in enumerate(questions, 1)
    )
    return {one.name: one for one in made}
