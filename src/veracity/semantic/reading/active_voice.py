"""Did we sell, when did she join, which heat with gas: what was done, said as it is stored: sold, joined, heating."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from veracity.language.folding import folded_text
from veracity.language.verb_forms import past_forms

_BY_US = re.compile(r"\b(?:did|do|have) (?:we|you|they) (?P<verb>[a-z]{3,})\b", re.IGNORECASE)
_WHEN = re.compile(
    r"^(?P<when>when|in (?:which|what) (?:year|month)) did (?P<who>.+) (?P<verb>[a-z]{3,})\s*\?*$", re.IGNORECASE
)
_BY_ONE = re.compile(
    r"^(?P<what>(?:how many|which|what) .+?) did (?P<who>(?!we\b|you\b|they\b).+?) (?P<verb>[a-z]{3,})"
    r"(?P<rest>(?: (?:in|on|at|during|since|before|after|between|last|this) .+)?)\s*\?*$",
    re.IGNORECASE,
)
_TAKES = re.compile(
    r"^how (?:long|many days) (?:does|did) it (?:usually )?take(?: on average)?(?: us)? to (?P<verb>[a-z]{3,}) "
    r"(?:an? |the |our )?(?P<what>[\w ]+?)(?: on average)?\s*\?*$",
    re.IGNORECASE,
)
_TOOK = re.compile(
    r"\b(?:took|takes?|needed|needs?) (?P<long>(?:more than|less than|at least|at most|over|under|longer than) "
    r"[\w.]+ (?:days?|weeks?)) to (?:be )?(?P<verb>[a-z]{3,})\b",
    re.IGNORECASE,
)
_WORKED = re.compile(
    r"^how many (?P<what>(?:\w[\w-]* )?(?:hours|days|minutes)) did (?P<who>.+?) (?:work|spend|log|record|do)"
    r"(?P<rest>(?: (?:in|on|for|at|during|since|before|after|between|last|this) .+)?)\s*\?*$",
    re.IGNORECASE,
)
_WHO = {
    "en": re.compile(r"^who (?!is\b|are\b|was\b|were\b)", re.IGNORECASE),
    "de": re.compile(r"^wer (?!ist\b|sind\b|war\b|waren\b)", re.IGNORECASE),
}
_NOBODY = re.compile(r"(?!)")
_WORKS = re.compile(r"\b(?:work(?:ed|s)?|spent|logged|hat gearbeitet|arbeitete|gearbeitet|leistete)\b", re.IGNORECASE)
_BUYERS = re.compile(r"\b(?:customer|client|guest|kunde|klient|gast)", re.IGNORECASE)
_WITH = re.compile(r"\b(?P<verb>[a-zäöü]{3,}?)(?:en|ten|te|t) mit(?: einer| einem)?\b", re.IGNORECASE)


def as_stored(question: str, lang: str, knows: Callable[[str], bool]) -> Iterator[str]:
    """The question with a verb in the form that the data has a word for; nothing where it has none."""
    if lang == "de" and (found := _WITH.search(question)) is not None and knows(noun := f"{found['verb']}ung"):
        yield f"{question[: found.start()]}mit {noun}{question[found.end() :]}"  # heizen mit Gas
    if lang != "en":
        return
    if (found := _BY_US.search(question)) is not None:
        for form in _forms(found["verb"], knows):
            yield f"{question[: found.start()]}were {form}{question[found.end() :]}"
    if (found := _TAKES.search(question)) is not None:
        for form in past_forms(folded_text(found["verb"]), "en"):
            if knows(form):
                yield f"average number of days from {found['what']} to {form}"
    if (found := _TOOK.search(question)) is not None:
        forms = {found["verb"].lower(), *past_forms(folded_text(found["verb"]), "en")}
        for form in sorted(form for form in forms if knows(form)):
            yield f"{question[: found.start()]}were {form} after {found['long']}{question[found.end() :]}"
    if (found := _WHEN.search(question)) is not None:
        for form in past_forms(folded_text(found["verb"]), "en"):
            yield f"{found['when']} was {found['who']} {form}"


def sold_in(question: str, lang: str) -> str | None:
    """How many products did the store sell, as products that were sold in the store."""
    found = _BY_ONE.search(question) if lang == "en" else None
    if found is None or found["verb"].lower() != "sell":
        return None
    return f"{found['what']} were sold in {found['who']}{found['rest']}"


def time_of(question: str, lang: str) -> Iterator[str]:
    """How many hours did Ann work, as the total hours of Ann; did we work, as all of them."""
    found = _WORKED.search(question) if lang == "en" else None
    if found is not None:
        who = "" if found["who"].lower() in ("we", "they", "you", "i", "people", "everybody") else f" of {found['who']}"
        yield f"total {found['what']}{who}{found['rest']}"


def by_name_of_people(question: str, lang: str, people: Sequence[str]) -> Iterator[str]:
    """Who worked most, as which employee worked most, where rows only name people; of staff and customers, the staff works."""
    found = _WHO.get(lang, _NOBODY).match(question)
    if len(people) > 1 and _WORKS.search(question):
        people = [name for name in people if not _BUYERS.search(name)]
    if found is not None and len(people) == 1:
        yield f"{'which' if lang == 'en' else 'welche'} {people[0]} {question[found.end() :]}"


def by_whom(question: str, lang: str, knows: Callable[[str], bool]) -> Iterator[str]:
    """How many orders did Acme place, as orders that were placed by Acme."""
    if lang == "en" and (found := _BY_ONE.search(question)) is not None:
        for form in past_forms(folded_text(found["verb"]), "en"):
            if knows(form):
                yield f"{found['what']} were {form} by {found['who']}{found['rest']}"


def _forms(verb: str, knows: Callable[[str], bool]) -> Iterator[str]:
    """What was done, in the forms that are known, where the verb itself is not."""
    if not knows(folded_text(verb)):
        yield from (form for form in past_forms(folded_text(verb), "en") if knows(form))
