"""Figures in text: every locale both ways, dates first, digits of every script, and numbers in words."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from each_case import each
from veracity.language.numbers import LOCALES, Figure, find_figures, format_date, format_number, locale_of

quick = settings(deadline=None, max_examples=300)
locales = st.sampled_from(LOCALES)


def only(text: str, locale: str = "de-CH") -> Figure:
    found = find_figures(text, locale)
    assert len(found) == 1, found
    assert text[found[0].start : found[0].end] == found[0].text
    return found[0]


def numbers(text: str, locale: str = "de-CH") -> list[Decimal]:
    return [reading for figure in find_figures(text, locale) for reading in figure.readings]


# --- writing


@each(
    ("value", "decimals", "expected"),
    [
        ("152400", 2, ("152'400.00", "152.400,00", "152,400.00", "152,400.00")),
        ("-1234567.891", 2, ("-1'234'567.89", "-1.234.567,89", "-1,234,567.89", "-1,234,567.89")),
        ("999", 0, ("999", "999", "999", "999")),
        ("0.5", None, ("0.5", "0,5", "0.5", "0.5")),
        ("1E+6", None, ("1'000'000", "1.000.000", "1,000,000", "1,000,000")),
        ("1E-7", None, ("0.0000001", "0,0000001", "0.0000001", "0.0000001")),
        ("2.345", 2, ("2.35", "2,35", "2.35", "2.35")),
        ("-2.345", 2, ("-2.35", "-2,35", "-2.35", "-2.35")),
        ("-0.001", 2, ("0.00", "0,00", "0.00", "0.00")),
        ("999.999", 2, ("1'000.00", "1.000,00", "1,000.00", "1,000.00")),
    ],
)
def test_numbers_are_written_as_the_locale_does(value: str, decimals: int | None, expected: tuple[str, ...]) -> None:
    assert tuple(format_number(Decimal(value), locale, decimals=decimals) for locale in LOCALES) == expected


def test_codes_are_written_without_grouping_and_large_numbers_without_exponent() -> None:
    assert format_number(Decimal(2025), "de-CH", decimals=0, grouping=False) == "2025"
    assert "E" not in format_number(Decimal("1e308"), "en", decimals=2)


def test_dates_are_written_as_the_locale_does() -> None:
    day = date(2025, 12, 3)
    assert [format_date(day, locale) for locale in LOCALES] == [
        "03.12.2025",
        "03.12.2025",
        "3 December 2025",
        "2025年12月3日",
    ]


@each(
    ("code", "expected"),
    [
        ("de", "de-DE"),
        ("de-CH", "de-CH"),
        ("de_CH.UTF-8", "de-CH"),
        ("de-LI", "de-CH"),
        ("de-AT", "de-DE"),
        ("en-US", "en"),
        ("zh_CN.UTF-8", "zh"),
        ("fr", "en"),
        ("", "en"),
        (None, "en"),
    ],
)
def test_every_code_has_a_locale(code: str | None, expected: str) -> None:
    assert locale_of(code) == expected
    assert locale_of("de", "de-CH") == "de-CH"
    assert all(locale_of(locale) == locale for locale in LOCALES)


# --- reading numbers


@each(
    ("text", "locale", "readings"),
    [
        ("152'400.00", "de-CH", ["152400.00"]),
        ("152’400.00", "de-CH", ["152400.00"]),
        ("152.400,00", "de-DE", ["152400.00"]),
        ("152,400.00", "en", ["152400.00"]),
        ("1.234", "de-DE", ["1234"]),
        ("1.234", "en", ["1.234"]),
        ("1.234", "de-CH", ["1.234", "1234"]),
        ("1,234", "de-DE", ["1.234"]),
        ("1,234", "zh", ["1234"]),
        ("1,234", "de-CH", ["1.234", "1234"]),
        ("25.00", "de-DE", ["25.00"]),
        ("1,5", "en", ["1.5"]),
        ("1.000.000", "en", ["1000000"]),
        ("0.123", "de-CH", ["0.123"]),
        ("1 234 567", "en", ["1234567"]),
        ("1\u00a0234,5", "de-DE", ["1234.5"]),
        ("1\u202f234", "de-DE", ["1234"]),
        ("-5", "en", ["-5"]),
        ("−5", "en", ["-5"]),
        ("+3", "en", ["3"]),
        ("15.2万", "zh", ["152000.0"]),
        ("3亿", "zh", ["300000000"]),
        ("1.5 Mio.", "de-CH", ["1500000.0"]),
        ("2 Tsd.", "de-CH", ["2000"]),
        ("3k", "en", ["3000"]),
        ("4 million", "en", ["4000000"]),
        ("1,2 Milliarden", "de-DE", ["1200000000.0"]),
        ("3 billion", "en", ["3000000000"]),
        ("3 Billionen", "de-DE", ["3000000000000"]),
        ("１２３４", "zh", ["1234"]),
        ("１，２３４．５", "zh", ["1234.5"]),
        ("٣٤", "en", ["34"]),
        ("²", "en", ["2"]),
        ("½", "en", ["0.5"]),
        ("Ⅻ", "en", ["12"]),
        ("CHF500", "de-CH", ["500"]),
        ("500CHF", "de-CH", ["500"]),
    ],
)
def test_a_number_is_read_in_every_way_the_locale_allows(text: str, locale: str, readings: list[str]) -> None:
    assert [str(reading) for reading in only(text, locale).readings] == readings


@each(
    ("text", "expected"),
    [
        ("10-12", [10, 12]),
        ("10–12", [10, 12]),
        ("1020, 1100 und 2000", [1020, 1100, 2000]),
        ("1020,1100,2000", [1020, 1100, 2000]),
        ("1020 500", [1020, 500]),
        ("1020 152'400.00", [1020, 152400]),
        ("102 152'400.00", [102, 152400]),
        ("24/7", [24, 7]),
        ("共152400元", [152400]),
        ("科目1020的余额", [1020]),
        ("12-Monats-Frist", [12]),
        ("(5)", [5]),
        ("1\u200b5", [1, 5]),
    ],
)
def test_numbers_stand_apart_where_nothing_groups_them(text: str, expected: list[int]) -> None:
    assert numbers(text) == expected


@each("text", ["COVID-19", "Q2", "B2B", "1020a", "fi-7", "1.2.3", "007", "3.5pp", "2½", "x²", "ｑ２", "1_000"])
def test_digits_glued_to_letters_are_labels(text: str) -> None:
    assert (only(text).kind, only(text).readings, only(text).text) == ("label", (), text)


@each("text", ["", "Saldo", "ein Konto", "one account", "一共", "十分", "万一", "统一", "m²", "CO₂", "- * '"])
def test_ordinary_words_and_units_are_no_figures(text: str) -> None:
    assert find_figures(text, "de-CH") == find_figures(text, "zh") == []


@pytest.mark.parametrize(
    ("text", "tolerance"),
    [("15.2万", "500"), ("152400", "0.5"), ("152'400.00", "0.005"), ("1.5 Mio.", "50000"), ("3k", "500")],
)
def test_the_tolerance_is_half_of_the_last_displayed_unit(text: str, tolerance: str) -> None:
    assert only(text).tolerance == Decimal(tolerance)


@pytest.mark.parametrize("text", ["12.5%", "12.5 %", "12.5\u202f%", "12.5 Prozent", "12.5％"])
def test_percentages_are_known_as_such(text: str) -> None:
    found = only(text)
    assert (found.percent, found.readings, found.text) == (True, (Decimal("12.5"),), "12.5")


# --- reading dates and times


@each(
    ("text", "locale"),
    [
        ("31.12.2025", "de-CH"),
        ("31. 12. 2025", "de-CH"),
        ("31.12.25", "de-DE"),
        ("2025-12-31", "en"),
        ("2025-12-31T14:30:00Z", "en"),
        ("2025/12/31", "zh"),
        ("12/31/2025", "en"),
        ("31/12/2025", "en"),
        ("31. Dezember 2025", "de-CH"),
        ("31. Dez. 2025", "de-CH"),
        ("31 December 2025", "en"),
        ("31st of December 2025", "en"),
        ("December 31, 2025", "en"),
        ("Dec 31, 2025", "en"),
        ("2025年12月31日", "zh"),
        ("2025年12月底", "zh"),
        ("2025年底", "zh"),
        ("２０２５年１２月３１日", "zh"),
    ],
)
def test_dates_are_read_before_numbers(text: str, locale: str) -> None:
    found = only(text, locale)
    assert (found.kind, found.dates, found.text) == ("date", (date(2025, 12, 31),), text)


def test_a_date_with_two_readings_keeps_both() -> None:
    assert set(only("03/04/2025", "en").dates) == {date(2025, 4, 3), date(2025, 3, 4)}


@pytest.mark.parametrize("text", ["14:30", "9:05", "23:59:59"])
def test_times_are_no_numbers(text: str) -> None:
    assert only(text).kind == "time"


def test_a_day_that_does_not_exist_is_no_date() -> None:
    assert only("45.13.2025").kind == "label"
    assert all(figure.kind != "date" for figure in find_figures("2025-02-30", "en"))


# --- numbers in words


@each(
    ("text", "locale", "expected"),
    [
        ("hundertfünfzigtausend", "de-CH", 150_000),
        ("zweitausendfünfundzwanzig", "de-CH", 2025),
        ("einundzwanzig", "de-CH", 21),
        ("dreissig", "de-CH", 30),
        ("dreißig", "de-DE", 30),
        ("zwei Millionen", "de-CH", 2_000_000),
        ("Eine Milliarde", "de-CH", 10**9),
        ("ein Dutzend", "de-CH", 12),
        ("Tausende", "de-CH", 1000),
        ("null", "de-CH", 0),
        ("dreifach", "de-CH", 3),
        ("twenty-five", "en", 25),
        ("one hundred and fifty thousand", "en", 150_000),
        ("two thousand twenty-five", "en", 2025),
        ("a dozen", "en", 12),
        ("zero", "en", 0),
        ("nineteen", "en", 19),
        ("三十二个", "zh", 32),
        ("一百二十三万四千", "zh", 1_234_000),
        ("三亿五千万", "zh", 350_000_000),
        ("一万亿", "zh", 10**12),
        ("两笔", "zh", 2),
        ("二〇二五年", "zh", 2025),
        ("十二月", "zh", 12),
        ("十万", "zh", 100_000),
        ("百分之二十", "zh", 20),
    ],
)
def test_numbers_in_words_are_figures(text: str, locale: str, expected: int) -> None:
    found = only(text, locale)
    assert (found.kind, found.readings) == ("word", (Decimal(expected),))


@each(
    "text",
    [
        "one",
        "ein",
        "eine",
        "eins",
        "und",
        "Achtung",
        "achten",
        "Einheit",
        "Vierter Stock",
        "一个",
        "第二个",
        "千万不要",
        "三方",
        "NULL",
    ],
)
def test_articles_ordinals_and_words_that_only_look_like_numbers_are_left_alone(text: str) -> None:
    assert find_figures(text, "en") == []


def test_words_that_build_no_number_stand_apart() -> None:
    assert numbers("two and three", "en") == [2, 3]
    assert numbers("zwei, drei oder vier") == [2, 3, 4]


# --- properties


@given(st.decimals(-(10**18), 10**18, places=4), locales, st.integers(0, 4), st.booleans())
@quick
def test_what_is_written_is_read_again(value: Decimal, locale: str, decimals: int, grouping: bool) -> None:
    written = format_number(value, locale, decimals=decimals, grouping=grouping)
    expected = Decimal(format_number(value, "en", decimals=decimals, grouping=False))
    found = only(written, locale)
    assert expected in found.readings
    assert found.text == written
    if locale != "de-CH":
        assert found.readings == (expected,)


@given(st.dates(date(1000, 1, 1)), locales)
@quick
def test_a_date_that_is_written_is_read_again(day: date, locale: str) -> None:
    assert day in only(format_date(day, locale), locale).dates


ALPHABET = st.sampled_from("0123456789.,'’ -+−%abkMioQäöüß年月日万亿二十百零两个½²Ⅻ１，/:_\u00a0\u202f\n()€\0")


@given(st.one_of(st.text(max_size=60), st.text(ALPHABET, max_size=60)), locales)
@quick
def test_spans_are_exact_in_order_and_cover_every_digit(text: str, locale: str) -> None:
    found = find_figures(text, locale)
    place = 0
    for figure in found:
        assert place <= figure.start < figure.end
        assert text[figure.start : figure.end] == figure.text
        assert len(figure.readings) == len(figure.decimals) == len(figure.tolerances)
        place = figure.end
    covered = {at for figure in found for at in range(figure.start, figure.end)}
    loose = [text[at] for at in range(len(text)) if text[at].isdecimal() and at not in covered]
    assert loose == []


@each(
    "piece",
    [
        "1",
        "1,",
        "1 ",
        "1.",
        "1'",
        "a1",
        "a-1",
        "-",
        "'",
        "1'234",
        "1 000 ",
        "½",
        "二",
        "十",
        "zwei ",
        "und",
        "twenty-",
        "31.12.",
        "2025年",
    ],
)
def test_long_adversarial_texts_are_read_to_their_end(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    for locale in LOCALES:
        places = [(figure.start, figure.end) for figure in find_figures(text, locale)]
        assert all(0 <= start < end <= len(text) for start, end in places)
        assert all(end <= start for (_, end), (start, _) in pairwise(places))
