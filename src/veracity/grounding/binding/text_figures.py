"""The figures of a text as people say them: clock times, ratios such as 13-of-24, and numbers that say nothing of the data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from veracity.answer.render import list_items
from veracity.language.folding import listed
from veracity.language.numbers import Figure, find_figures

_CLOCK = re.compile(
    r"(?<![0-9.,:])(?P<hour>[0-2]?[0-9])(?:[:.](?P<minute>[0-5][0-9]))?[ \u00a0\u202f]?(?:(?P<half>[ap])\.?[ ]?m(?:\.|(?![a-z]))|uhr(?![a-z])|o'clock|[点时](?P<past>半)?(?!间))",
    re.IGNORECASE,
)
_OPEN_CLOCK = re.compile(
    r"(?<![0-9.,:])(?P<hour>[0-2]?[0-9])(?:[:.](?P<minute>[0-5][0-9]))?\s?(?:-|–|—|to|until|till|bis|至|到)\s?$",
    re.IGNORECASE,
)
_PLAIN_CLOCK = re.compile(r"([0-2]?[0-9]):([0-5]?[0-9])(?::[0-5]?[0-9])?")
_RATIO = re.compile(r"(?:of|for|von|aus)-([0-9]{1,6})", re.IGNORECASE)
_ORDINAL = re.compile(r"[0-9]{1,4}(?:st|nd|rd|th|er|te|ter|tes|ten)", re.IGNORECASE)
_NUMBERED = listed(
    "top step figure fig table section option note page chapter rank ranked schritt abbildung tabelle abschnitt seite kapitel punkt rang platz"
)
_NUMBERED_SIGNS = ("第", "步骤", "图", "表", "方案", "选项", "附注")
_ARTICLES = listed("der die das dem den des im am zum vom beim ins")
_ORDINAL_AFTER = re.compile(r"\.\s?[A-Za-zÄÖÜäöü]")
_OUT_OF = re.compile(
    r"(?:out of(?: a possible)?|von(?: maximal)?|auf einer skala von 1 bis|on a scale of 1 to|满分|/|from 1 to)\s?$",
    re.IGNORECASE,
)
_SCALES = frozenset(map(Decimal, (5, 10, 100)))
_STARS = re.compile(r"\s?(?:stars?|sternen?|points? scale|分制|颗星|星)", re.IGNORECASE)
_IDIOMS = re.compile(
    r"24\s?/\s?7|24 hours a day|7 days a week|365 days|covid\s?-\s?19|7天24小时|24小时|50\s?/\s?50|360\s?(?:°|degrees?|grad)|"
    r"(?<![a-z])(?:b2b|b2c|3d|2d|4k|5g|4g|mp3|mp4|h2o|co2|web\s?2\.0|g7|g8|g20)(?![a-z])|\[[0-9]{1,2}\]",
    re.IGNORECASE,
)
_IN_IDIOMS = frozenset({"24", "7", "365", "19", "50", "360", "2.0"})
_ADDRESS = re.compile(r"://\S{0,200}$")
_MIDDAY = 12


class Spoken:
    """The figures of a text, and which of them are no figures of data."""

    def __init__(self, text: str, locale: str) -> None:
        self.text = text
        found = find_figures(text, locale)
        self.minutes: dict[int, int] = {}
        """Start of a time -> the minute of the day."""
        if clocks := list(self._clocks(text)):
            covered = {at for clock in clocks for at in range(clock.start, clock.end)}
            found = sorted(
                (*clocks, *(one for one in found if one.start not in covered)), key=lambda figure: figure.start
            )
        self.figures: list[Figure] = [self._mended(figure) for figure in found]
        self.items = list_items(text)
        """Where the numbers of list items stand."""
        self._has_address = "://" in text

    def _clocks(self, text: str) -> Iterator[Figure]:
        """Times with a mark: 5 pm, 17 Uhr, 下午5点; and the first one of 8-10 pm."""
        for match in _CLOCK.finditer(text):
            hour, minute = int(match["hour"]), int(match["minute"] or (30 if match["past"] else 0))
            half = (match["half"] or "").lower()
            if hour > 24 or (half and not 1 <= hour <= _MIDDAY):
                continue
            if first := _OPEN_CLOCK.search(text[max(0, match.start() - 12) : match.start()]):
                start = max(0, match.start() - 12) + first.start()
                yield self._clock(
                    start,
                    start + len(first["hour"]) + (3 if first["minute"] else 0),
                    int(first["hour"]),
                    int(first["minute"] or 0),
                    half,
                )
            yield self._clock(match.start(), match.end(), hour, minute, half)

    def _clock(self, start: int, end: int, hour: int, minute: int, half: str) -> Figure:
        hour = hour % _MIDDAY + (_MIDDAY if half == "p" else 0) if half else hour
        self.minutes[start] = hour * 60 + minute
        return Figure(start, end, self.text[start:end], "time")

    def _mended(self, figure: Figure) -> Figure:
        if figure.kind == "time" and figure.start not in self.minutes:
            self.minutes.update((figure.start, minute) for minute in clock_times(figure.text)[:1])
        if figure.kind == "label" and (ratio := _RATIO.fullmatch(figure.text)):
            digits = ratio[1]
            start = figure.end - len(digits)
            return replace(figure, start=start, text=digits, kind="number", readings=(Decimal(digits),), decimals=(0,))
        return figure

    def is_idle(self, figure: Figure) -> bool:
        """Whether a figure says nothing of the data: 24/7, the 5 of `4 out of 5`, an ordinal, [1]."""
        if self._in_idiom(figure):
            return True
        before = self.text[max(0, figure.start - 40) : figure.start]
        if figure.kind == "label":
            return _ORDINAL.fullmatch(figure.text) is not None or figure.text.lower().startswith(("top-", "top "))
        if figure.kind != "number" or figure.percent:
            return False
        after = self.text[figure.end : figure.end + 20]
        if figure.readings[0] in _SCALES and _OUT_OF.search(before):
            return (
                before.rstrip().endswith("/")
                or _STARS.match(after) is not None
                or not re.match(r"[\s-]?\w", after)
                or before.rstrip().endswith("of")
            )
        led = before.rstrip(" \u00a0#-").rpartition(" ")[2].lower().rstrip(".")
        if led in _NUMBERED or before.endswith(_NUMBERED_SIGNS):
            return True
        return led in _ARTICLES and _ORDINAL_AFTER.match(after) is not None

    def _in_idiom(self, figure: Figure) -> bool:
        """Whether a figure is a part of a fixed expression, of a mark such as [1], or of an address in the web."""
        if self._has_address and _ADDRESS.search(self.text[max(0, figure.start - 200) : figure.start]):
            return True
        marked = self.text[figure.start - 1 : figure.start] == "["
        if figure.kind != "label" and figure.text not in _IN_IDIOMS and not marked:
            return False
        first = max(0, figure.start - 12)
        found = (match.span() for match in _IDIOMS.finditer(self.text[first : figure.end + 16]))
        return any(first + start <= figure.start and figure.end <= first + end for start, end in found)


def clock_times(text: str) -> list[int]:
    """The times that a text says, as minutes of the day: 8:0-22:0, 9 am to 5 pm."""
    if marked := [m for m in _CLOCK.finditer(text) if m["half"]]:
        times = []
        for match in marked:
            hour = int(match["hour"]) % _MIDDAY + (_MIDDAY if match["half"].lower() == "p" else 0)
            times.append(hour * 60 + int(match["minute"] or 0))
        return times
    return [int(hour) * 60 + int(minute) for hour, minute in _PLAIN_CLOCK.findall(text) if int(hour) <= 24]


def spelt(figure: Figure) -> bool:
    """Whether a number word is a figure wherever it stands: ninety-five is, two is not."""
    value = figure.readings[0]
    return value > 12 and value not in _LONE


_LONE = frozenset(map(Decimal, (100, 1000, 10**4, 10**6, 10**8, 10**9, 10**12)))
"""`hundreds of`, `a million`: as often a manner of speaking."""
