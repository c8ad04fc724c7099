"""Rules for a field compared with the same one of what each row belongs to: who earns more than their manager."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.semantic.query import Comparison, SemanticQuery, Shown
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.comparison_phrases import Comparative, MoreOf
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.joined_phrases import JoinedPhrase
from veracity.semantic.reading.phrases import Attribute, JoiningWord, Role, RowFilter

RULES: Rules = {}
rule = rule_book(RULES)
_THAN = "than_theirs:"
_TIMES = {"earlier": "<", "later": ">"}


@rule(JoiningWord, Role)
def _their_role(c: Composer, word: JoiningWord, role: Role) -> Iterator[MadePhrase]:
    """Ihr Vorgesetzter."""
    if word.kind == "it" and role.start == role.end:
        yield MadePhrase(role)


@rule(Comparative, Role)
@rule(JoiningWord, Role)
def _than_role(c: Composer, more: Comparative | JoiningWord, role: Role) -> Iterator[MadePhrase]:
    """More than their manager; before their manager."""
    if role.start != role.end or role.whose:
        return
    if isinstance(more, JoiningWord):
        if more.kind in _TIMES:
            yield MadePhrase(JoinedPhrase(f"{_THAN}{_TIMES[more.kind]}", role))
        return
    if not more.fields:
        yield MadePhrase(JoinedPhrase(f"{_THAN}{more.op}", role))
    for entity, field in more.fields:
        yield from _compared(c, Attribute(entity, field), more.op, role)


@rule(Attribute, JoinedPhrase, either_way=True)
def _field_than_role(c: Composer, attribute: Attribute, than: JoinedPhrase) -> Iterator[MadePhrase]:
    """Earn more than their manager; hired before their manager, which is about a date."""
    if than.kind.startswith(_THAN) and isinstance(than.phrase, Role):
        yield from _compared(c, attribute, than.kind.removeprefix(_THAN), than.phrase)


@rule(MoreOf, Role)
def _more_than_role(c: Composer, more: MoreOf, role: Role) -> Iterator[MadePhrase]:
    """A higher salary than their manager."""
    if isinstance(more.what, Attribute) and more.times == 1 and role.start == role.end and not role.whose:
        yield from _compared(c, more.what, more.op, role)


def _compared(c: Composer, attribute: Attribute, op: str, role: Role) -> Iterator[MadePhrase]:
    ordered = attribute.plain and c.ordered(attribute.entity, attribute.field)
    if not ordered or attribute.entity != role.start:
        return
    other = SemanticQuery(show=(Shown(field=attribute.path, via=(role.step,)),), of=role.start)
    condition = Comparison.model_validate({"field": attribute.path, "op": op, "value": other})
    yield MadePhrase(RowFilter(role.start, (condition,), verb=True))
