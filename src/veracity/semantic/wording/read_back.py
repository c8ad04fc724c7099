"""A semantic query read back in one sentence, each piece of it with the part of the query that it words."""

from __future__ import annotations

from dataclasses import dataclass, replace

from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import (
    Aggregate,
    Comparison,
    Condition,
    Negation,
    OrderBy,
    Related,
    SemanticQuery,
    Shown,
    parts_of,
)
from veracity.semantic.wording.labels import Context, capital, labels_of
from veracity.semantic.wording.phrases import Phrases, context_of, names_home


@dataclass(frozen=True, slots=True)
class ReadBackPiece:
    """A stretch of the sentence that says what was understood."""

    text: str
    parts: tuple[str, ...]
    """The parts of the canonical query that it words, as JSON pointers: `/where/and/0`, `/limit`."""
    before: str = ""
    """What joins it to the piece before it."""


def read_back(query: SemanticQuery, model: SemanticModel, lang: str) -> tuple[ReadBackPiece, ...]:
    """What was understood, in pieces that make one sentence; different queries have different sentences."""
    pieces = Sentences(labels_of(model, lang)).pieces(query.normalized())
    return (replace(pieces[0], text=capital(pieces[0].text)), *pieces[1:])


def sentence(pieces: tuple[ReadBackPiece, ...]) -> str:
    """The pieces as one sentence, without a full stop."""
    return "".join((piece.before if number else "") + piece.text for number, piece in enumerate(pieces))


class Sentences(Phrases):
    """Words for whole queries over one model in one language."""

    def nested(self, query: SemanticQuery) -> str:
        """A query within another one: what it is about, and the rest of it in brackets."""
        head, *rest = self.pieces(query)
        return head.text + (self.say("enclosed", x=sentence(tuple(rest))) if rest else "")

    def over(self, aggregate: Aggregate | None, query: SemanticQuery) -> str:
        """Average revenue per month (2024; without those that have none)."""
        each = tuple(one for one in query.by if not one.apart)
        if len(query.show) != 1 or not each:
            return self.say(f"{aggregate}_over", x=self.nested(query))
        head, *rest = self.pieces(query)
        groups = self.dimensions(each, context_of(query, self.model))
        if (
            aggregate is Aggregate.COUNT and query.having is not None
        ):  # how many products, of those that were never returned
            text = self.say("countDistinct", x=groups)
        else:
            text = self.say(aggregate or "", x=head.text) + self.say("space") + self.say("each", x=groups)
        said = sentence(tuple(piece for piece in rest if piece.parts != ("/by",)))
        if aggregate in (Aggregate.AVG, Aggregate.MEDIAN) and not any(one.complete for one in query.by):
            said += (self.say("semicolon") if said else "") + self.say("only_filled")
        return text + (self.say("enclosed", x=said) if said else "")

    def pieces(self, query: SemanticQuery) -> tuple[ReadBackPiece, ...]:
        """The sentence of a query: what, of which, by what, when, in which order, how many, against what."""
        context = context_of(query, self.model)
        ranked = self._is_ranked(query, context)
        pieces = self._listing(query, context, ranked) if query.lists else self._figures(query, context)
        if query.period is not None:
            pieces.append(self._piece("comma", self.period(query.period, query), "/period"))
        if query.lists and query.show:
            fields = self.say("comma").join(self.shown(shown, context) for shown in query.show)
            pieces.append(self._piece("semicolon", fields, "/show"))
        if query.having is not None:
            text = self.say("having", x=self.condition(query.having, context))
            pieces.append(self._piece("semicolon", text, "/having"))
        pieces += self._ordering(query, context, ranked)
        if query.compare is not None:
            pieces.append(self._comparing(query, context))
        return tuple(pieces)

    def _piece(self, before: str, text: str, *parts: str) -> ReadBackPiece:
        return ReadBackPiece(text, parts, self.say(before))

    # --- what is listed or computed

    def _listing(self, query: SemanticQuery, context: Context, ranked: bool) -> list[ReadBackPiece]:
        if ranked:
            said = self._ranked("", query, context, of=self.labels.entity(context.home or "", several=query.limit != 1))
            head = [ReadBackPiece(said, ("/of", "/order/0", "/limit"))]
        else:
            head = [ReadBackPiece(self.labels.entity(context.home or "", several=True), ("/of",))]
        return head + self._conditions(query.where, context, named=not ranked)

    def _figures(self, query: SemanticQuery, context: Context) -> list[ReadBackPiece]:
        spoken = tuple(one for one in query.by if not one.apart)
        by = self.dimensions(spoken, context)
        group = self.default_group(query)
        if not query.show:
            rows = len(query.by) > 1 and all(one.entity for one in query.by)
            pieces = [ReadBackPiece(self.say("together" if rows else "different", x=by), ("/by",))]
        elif group is not None:
            pieces = [ReadBackPiece(self.labels.segment(group.segment), ("/show", "/where"))]
        else:
            figures = self.say("comma").join(self.shown(shown, context) for shown in query.show)
            pieces = [ReadBackPiece(figures, ("/show",))]
        if query.of is not None and names_home(query, self.model):
            pieces.append(self._piece("space", self.say("of", x=self.labels.entity(query.of, several=True)), "/of"))
        elif query.of is not None:
            pieces[0] = replace(pieces[0], parts=(*pieces[0].parts, "/of"))
        if query.show and spoken:
            pieces.append(self._piece("space", self.say("by", x=by), "/by"))
        counted = (
            bool(context.home)
            and query.show == (Shown.model_construct(aggregate=Aggregate.COUNT, of=context.home),)
            and not query.by
        )
        return pieces + self._conditions(query.where, context, named=counted, said=group)

    def _conditions(
        self, where: Condition | None, context: Context, *, named: bool, said: Condition | None = None
    ) -> list[ReadBackPiece]:
        """The conditions one by one, but for the one that is said already; first the name of what is asked about."""
        parts = parts_of(where)
        places = [f"/where/and/{number}" for number in range(len(parts))] if len(parts) > 1 else ["/where"]
        first = next((n for n, part in enumerate(parts) if named and self._is_name(part, context)), None)
        pieces = []
        if first is not None and isinstance(part := parts[first], Comparison):
            text = self.say("named", x=self.text(str(part.value)))
            pieces.append(self._piece("space" if self.say("space") else "comma", text, places[first]))
        for number, part in enumerate(parts):
            if number != first and part != said:
                # Cities without rivers; cities that border others.
                text = self.condition(part, context)
                clause = self.labels.lang == "en" and named and not pieces and _is_related(part)
                mark = "space" if clause and self._is_clause(text) else "comma"
                pieces.append(self._piece(mark, text, places[number]))
        return pieces

    def _is_clause(self, text: str) -> bool:
        """Whether a condition begins with a word that ties it to the noun: with, without, that; not with a name."""
        heads = {self.say(key, x="", verb="").split()[0] for key in ("related", "unrelated", "does")}
        return text.split(maxsplit=1)[0] in heads if text else False

    def _is_name(self, part: Condition, context: Context) -> bool:
        if (
            not isinstance(part, Comparison)
            or part.op != "="
            or not isinstance(part.value, str)
            or part.via
            or part.grain
        ):
            return False
        thing = self.model.things.get(context.home or "")
        found = self.labels.resolve(part.field, context.home)
        return thing is not None and found is not None and found[0] == context.home and (found[1],) == thing.display

    # --- order and limit

    def _is_ranked(self, query: SemanticQuery, context: Context) -> bool:
        """Whether it is the so many highest or lowest of something."""
        if query.limit is None or len(query.order) != 1 or query.skip:
            return False
        return self.kind(query.order[0].by, context) != "other"

    def _ranked(self, prefix: str, query: SemanticQuery, context: Context, *, of: str = "") -> str:
        order = query.order[0]
        if order.by.aggregate is (Aggregate.MAX if order.descending else Aggregate.MIN) and not of:
            return self._places(query)  # the highest amount by city: nobody says the highest highest one
        dated = self.kind(order.by, context) == "date"
        key = ("latest" if dated else "top") if order.descending else ("earliest" if dated else "bottom")
        one = "_one" if query.limit == 1 else ""
        return self.say(f"{prefix}{key}{one}", n=query.limit, of=of, x=self.shown(order.by, context))

    def _ordering(self, query: SemanticQuery, context: Context, ranked: bool) -> list[ReadBackPiece]:
        pieces = []
        if ranked and not query.lists:
            pieces.append(self._piece("semicolon", self._ranked("group_", query, context), "/order/0", "/limit"))
        elif query.order and not ranked:
            keys = self.say("then").join(self._key(order, context) for order in query.order)
            pieces.append(self._piece("semicolon", self.say("sorted", x=keys), "/order"))
        if query.limit is not None and not ranked:
            pieces.append(self._piece("semicolon", self._places(query), "/limit", *(["/skip"] if query.skip else [])))
        if query.per:
            text = self.say("per", x=self.dimensions(query.per, context))
            pieces.append(self._piece("comma", text, "/per"))
        return pieces

    def _key(self, order: OrderBy, context: Context) -> str:
        text = self.shown(order.by, context)
        return self.say("descending", x=text) if order.descending else text

    def _places(self, query: SemanticQuery) -> str:
        first, limit = query.skip + 1, query.limit or 1
        if first == 1:
            return self.say("first_one") if limit == 1 else self.say("first", n=limit)
        return self.say("place", a=first) if limit == 1 else self.say("places", a=first, b=query.skip + limit)

    def _comparing(self, query: SemanticQuery, context: Context) -> ReadBackPiece:
        compare = query.compare
        assert compare is not None
        if compare.period is not None:
            text = self.say("compared", x=self.period(compare.period, query))
        else:
            facts = self.labels.facts(compare.field, context.home)
            old, new = (self.literal(member, facts) for member in compare.members)
            text = self.say("compared_members", field=self.field(compare.field or "", context), a=new, b=old)
        return self._piece("semicolon", text, "/compare")


def _is_related(condition: Condition) -> bool:
    return isinstance(condition, Related) or (isinstance(condition, Negation) and _is_related(condition.condition))
