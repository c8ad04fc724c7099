"""Plain sums in a request: read as an expression of the answer package's language, and computed exactly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from veracity.answer.arithmetic import EXACT, QUOTIENT
from veracity.answer.expression import Binary, Negative, Node, Number, evaluate_constant, parse
from veracity.answer.syntax import MAX_DIGITS, MAX_LENGTH, walk
from veracity.contracts import QueryValidationError
from veracity.language.folding import IDEOGRAPHS
from veracity.language.number_words import NUMERALS_ZH, number_said
from veracity.language.numbers import Figure, find_figures
from veracity.routing.words import RuleMatch

PLACES = 10
"""Decimals that are kept of a quotient that never ends; after leading zeros, so many digits."""

_ASKED = re.compile(
    r"(?:(?P<en>(?:(?:can|could)\s++you\s++)?(?:please\s++)?(?:calculate|compute|work\s++out|evaluate|add\s++up|solve|how\s++much\s++(?:is|are|does))(?:\s*+:)?)"
    r"|(?P<de>(?:(?:kannst\s++du|können\s++sie)(?:\s++(?:mir|bitte|mal))*|rechnen?(?:\s++(?:sie|mir|mal|bitte|aus))*|berechnen?(?:\s++(?:sie|mir|mal|bitte))*"
    r"|wie\s?viel\s++(?:ist|sind|gibt|ergibt|macht)|was\s++(?:ergibt|gibt|macht|ergeben))(?:\s*+:)?)"
    r"|(?P<zh>(?:请|帮我|麻烦|给我)*(?:计算|算)(?:一下|一算|算|下)?(?:\s*+[:：])?)"
    r"|(?P<weak>what\s++is|what's|whats|was\s++ist|was\s++sind))?\s*+"
)
_ANSWERED = re.compile(
    r"(?:\s*+(?P<zh>(?:等于|是|得|结果是|=)\s*+(?:多少|几|什么))|\s*+(?P<de>aus|ausrechnen|berechnen|ausgerechnet)|\s*+(?P<sure>=|等于))[\s?？]*+$|[\s?？]*+$"
)
_SIGNS = {
    "+": "+", "-": "-", "*": "*", "/": "/", "(": "(", ")": ")", "×": "*", "·": "*", "⋅": "*", "x": "*", "÷": "/", ":": "/",
    "plus": "+", "minus": "-", "times": "*", "multiplied by": "*", "divided by": "/", "over": "/", "mal": "*", "multipliziert mit": "*",
    "geteilt durch": "/", "dividiert durch": "/", "durch": "/", "加": "+", "加上": "+", "减": "-", "减去": "-", "乘": "*", "乘以": "*", "除以": "/",
}  # fmt: skip
_GERMAN = frozenset({"mal", "multipliziert mit", "geteilt durch", "dividiert durch", "durch", "von", "prozent"})
_ENGLISH = frozenset({"times", "multiplied by", "divided by", "over", "of", "percent", "per cent"})
_TOKEN = re.compile(
    rf"\s*+(?:(?P<said>(?:{'|'.join(sorted((w.replace(' ', r'[ ]+') for w in _SIGNS if len(w) > 1 and w.isascii()), key=len, reverse=True))})(?![^\W_])|[加减](?:上|去)?|乘以?|除以)"
    r"|(?P<colon>(?<=\s):(?=\s))|(?P<sign>[-+*/()×·⋅÷])|(?P<x>x(?=\s*+[0-9(]))"
    rf"|(?P<number>[0-9]+(?:[.,'][0-9]+)*(?![0-9.,']))|(?P<word>[a-zäöüß]+(?:-[a-zäöüß]+)*)|(?P<char>[{NUMERALS_ZH}]+))"
)
_PERCENT = re.compile(
    r"\s*+(?P<part>[0-9]+(?:[.,'][0-9]+)*)\s*+(?P<said>%|prozent|percent|per\s++cent)\s*+(?P<of>of|von|vom)\s++(?P<whole>[0-9]+(?:[.,'][0-9]+)*)"
)
_PERCENT_ZH = re.compile(
    r"\s*+(?P<whole>[0-9]+(?:\.[0-9]+)?)\s*+的\s*+(?:(?P<part>[0-9]+(?:\.[0-9]+)?)\s*+%|百分之(?P<also>[0-9]+(?:\.[0-9]+)?))"
)
_JOINED = re.compile(r"[0-9]+(?:[-/][0-9]+)+")
_DATE = re.compile(
    r"[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}|[0-9]{1,2}[-/][0-9]{1,2}[-/](?:[0-9]{4}|[0-9]{2})|[0-9]{4}[-/](?:[0-9]{2})"
)
_CHINESE = re.compile(f"[{IDEOGRAPHS}]")
_SIGN = re.compile(
    r"[-+*/%×÷·⋅:=]|[0-9]\s*+x|plus|minus|mal|times|durch|divided|multipli|over|prozent|per\s?cent|[加减乘除的]"
)
_LOCALES = {"de": ("de-DE", "de-CH"), "en": ("en",), "zh": ("zh",), "": ("en", "de-DE", "de-CH", "zh")}


def read_arithmetic(text: str) -> RuleMatch | None:
    """The sum that a folded request consists of, and nothing else."""
    if len(text) > MAX_LENGTH or not _SIGN.search(text):
        return None
    asked = _ASKED.match(text)
    end = _ANSWERED.search(text)
    start, stop = (asked.end() if asked else 0), (end.start() if end else len(text))
    body = text[start:stop]
    sure = bool(end and (end["zh"] or end["sure"] or end["de"])) or bool(
        asked and asked.lastgroup not in (None, "weak")
    )
    if _DATE.fullmatch(body.strip()) or (not sure and _JOINED.fullmatch(body.strip())):
        return None  # a date, a range, an id or a phone number is no sum unless it is asked for as one
    language = "zh" if _CHINESE.search(text) else _language(asked, body)
    expression = _percentage(body, language) or _expression(body, language)
    if expression is None or not _is_plain(parse(expression)):
        return None
    return RuleMatch("arithmetic", ((start, start + len(body.rstrip())),), expression)


def _language(asked: re.Match[str] | None, body: str) -> str:
    """The language that the words of a sum show; none for bare signs."""
    form = asked.group().strip() if asked else ""
    said = set(re.findall(r"per cent|multiplied by|divided by|[a-z]+(?: (?:mit|durch))?", body))
    if (asked and asked["de"]) or form.startswith("was") or said & _GERMAN:
        return "de"
    return "en" if (asked and asked["en"]) or form.startswith("what") or said & _ENGLISH else ""


def _percentage(body: str, language: str) -> str | None:
    found = _PERCENT.fullmatch(body) or _PERCENT_ZH.fullmatch(body)
    if found is None:
        return None
    part, whole = found["part"] or found["also"], found["whole"]
    numbers = [_number(part, language), _number(whole, language)]
    return f"{numbers[0]} / 100 * {numbers[1]}" if None not in numbers else None


def _expression(body: str, language: str) -> str | None:
    """Figures and signs only; None for anything else."""
    parts, place, stop = list[str](), 0, len(body.rstrip())
    while place < stop:
        match = _TOKEN.match(body, place)
        if match is None:
            return None
        part: str | None
        if match.lastgroup in ("said", "colon", "sign", "x"):
            part, place = _SIGNS[" ".join(match.group().split())], match.end()
        else:
            part, place = _operand(body, match, language)
        if part is None:
            return None
        parts.append(part)
    if not parts or parts[0] == "+" or sum(part in "+-*/" for part in parts) == 0:
        return None
    return " ".join(parts).replace("( ", "(").replace(" )", ")")


def _operand(body: str, match: re.Match[str], language: str) -> tuple[str | None, int]:
    """A number in digits or words, as far as it goes (1.5 Mio., two hundred and five), and where it ends."""
    start, langs = match.start(match.lastgroup or 0), ([language] if language else ["de", "en"])
    said = {value for lang in langs if (value := number_said(match.group().strip(), lang)) is not None}
    if not said and match.lastgroup == "word":
        return None, match.end()
    found = [_figure_at(body, start, locale) for locale in _LOCALES[language]]
    longest = max((figure.end for figure in found if figure), default=0)
    if match.lastgroup == "number" and start + longest <= match.end():
        return _number(match["number"], language), match.end()
    readings = {reading for figure in found if figure and figure.end == longest for reading in figure.readings}
    if not readings:
        return (format(said.pop(), "f") if len(said) == 1 else None), match.end()
    return (format(readings.pop().normalize(), "f") if len(readings) == 1 else None), start + longest


def _figure_at(body: str, start: int, locale: str) -> Figure | None:
    return next((one for one in find_figures(body[start:], locale) if one.start == 0 and one.readings), None)


def _number(written: str, language: str) -> str | None:
    """A figure with a plain decimal point; None when it can be read in two ways, or is a code."""
    if sum(char.isdigit() for char in written) > MAX_DIGITS or (written[0] == "0" and written[1:2].isdigit()):
        return None
    if written.isdigit():
        return written
    readings = {reading for locale in _LOCALES[language] for reading in _readings(written, locale)}
    return format(readings.pop(), "f") if len(readings) == 1 else None


def _readings(written: str, locale: str) -> tuple[Decimal | None, ...]:
    figures = find_figures(written, locale)
    if len(figures) != 1 or figures[0].text != written or figures[0].kind != "number":
        return (None, Decimal(0))  # no figure: never one reading
    return figures[0].readings


def _is_plain(node: Node | QueryValidationError) -> bool:
    if isinstance(node, QueryValidationError):
        return False
    return all(isinstance(part, Number | Negative | Binary) for part in walk(node))


# --- computing


@dataclass(frozen=True, slots=True)
class Computed:
    """What an expression comes to."""

    value: Decimal
    exact: bool
    places: int | None = None
    """Of a value that is not exact: the decimals that were kept."""


def compute(expression: str) -> Computed | str:
    """The value of an expression of plain numbers, or one sentence that says why there is none. Never raises."""
    node = parse(expression)
    if isinstance(node, QueryValidationError):
        return f"This cannot be computed: {node.hint}"
    if not _is_plain(node):
        return "This cannot be computed: only numbers and the signs + - * / ( ) are plain arithmetic."
    if any(_value(divisor) == 0 for _, divisor in _divisions(node)):
        return "This cannot be computed: a division by zero has no result."
    value = _value(node)
    if value is None:
        return "This cannot be computed: the numbers are too large."
    if all(_ends(division, divisor) for division, divisor in _divisions(node)):
        return Computed(value.normalize(EXACT) if value else Decimal(0), exact=True)
    return _rounded(value)


def _divisions(node: Node) -> Iterator[tuple[Binary, Node]]:
    return ((part, part.right) for part in walk(node) if isinstance(part, Binary) and part.op == "/")


def _value(node: Node) -> Decimal | None:
    found = evaluate_constant(node)
    value = None if isinstance(found, QueryValidationError) else found.value
    return value if isinstance(value, Decimal) else None


def _ends(division: Binary, divisor: Node) -> bool:
    """Whether a quotient is exact: multiplied back, it gives what was divided."""
    quotient, by, divided = _value(division), _value(divisor), _value(division.left)
    return quotient is not None and by is not None and EXACT.multiply(quotient, by) == divided


def _rounded(value: Decimal) -> Computed | str:
    places = PLACES - min(0, value.adjusted() + 1) if value else PLACES
    if value.adjusted() + places + 2 > QUOTIENT.prec:
        return "This cannot be computed: the quotient has too many digits."
    return Computed(value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, EXACT), exact=False, places=places)
