"""The bookings of the demo company at the end of a month, quarter or year.

Each function takes the first day of a month and books only when something is due in it.
"""

from __future__ import annotations

from datetime import date, timedelta

from veracity.features.trustee.ledger.bookings import Books, inflation
from veracity.features.trustee.ledger.chart import MONTHS
from veracity.features.trustee.ledger.journal import Posting, month_end, next_workday

# What 1020 and 1021 close at; a year not listed gets plausible sums.
YEAR_END_BALANCES = {2025: (15_240_000, 2_810_000)}

# By year and month: account, cents (a debit is positive), text.
ONE_OFFS = {
    (2020, 11): ("8510", -1_800_000, "Härtefallbeitrag des Kantons"),
    (2022, 7): ("8500", 640_000, "Wasserschaden im Lager, Selbstbehalt"),
    (2024, 2): ("8510", -320_000, "Versicherungsleistung aus Vorjahren"),
}

# Declining balance, percent a year.
DEPRECIATION = {"1510": 25, "1520": 40, "1530": 40}


def bank_fees(books: Books, month: date) -> None:
    """The fees of both payment accounts."""
    bank, post = books.price(14, 38, month.year), books.price(4, 12, month.year)
    books.journal.book(
        month_end(month),
        f"Kontoführung {MONTHS[month.month - 1]} {month.year}",
        Posting("6940", bank + post),
        Posting("1020", -bank),
        Posting("1010", -post),
        reference=books.journal.reference("BK", month),
    )


def out_of_the_ordinary(books: Books, month: date) -> None:
    """Single events, and a donation every December."""
    events = [ONE_OFFS[month.year, month.month]] if (month.year, month.month) in ONE_OFFS else []
    if month.month == 12:
        events.append(("8000", books.price(400, 900, month.year) * books.volume, "Spende an Bergwaldprojekt"))
    for account, cents, text in events:
        day = books.workday(month)
        books.journal.book(
            day,
            text,
            Posting(account, cents),
            Posting("1020", -cents),
            reference=books.journal.reference("AO", day),
        )


def bank_loan(books: Books, month: date) -> None:
    """Interest and repayment every quarter, until nothing is owed."""
    owed = -books.journal.balance("2400")
    if month.month % 3 or not owed:
        return
    repaid = min(owed, 500_000 * books.volume)
    interest = round(owed * 0.035 / 4)
    books.journal.book(
        month_end(month),
        f"Zins und Amortisation Bankdarlehen {MONTHS[month.month - 1]} {month.year}",
        Posting("6900", interest, "Darlehenszins"),
        Posting("2400", repaid, "Amortisation"),
        Posting("1020", -interest - repaid),
        reference=books.journal.reference("DA", month),
    )


def covid_loan(books: Books, month: date) -> None:
    """Drawn in April 2020, paid back every half-year from September 2021 on."""
    owed = -books.journal.balance("2450")
    if (month.year, month.month) == (2020, 4):
        change, text = 8_000_000, "Auszahlung COVID-19-Kredit"
    elif owed and month >= date(2021, 9, 1) and month.month in {3, 9}:
        change, text = -min(owed, 2_000_000), "Rückzahlung COVID-19-Kredit"
    else:
        return
    books.journal.book(
        month_end(month),
        text,
        Posting("1020", change),
        Posting("2450", -change),
        reference=books.journal.reference("DA", month),
    )


def vat_return(books: Books, month: date) -> None:
    """Every quarter output and input tax are offset, and the difference is paid within sixty days."""
    if month.month % 3:
        return
    output, material, other = (books.journal.balance(account) for account in ("2200", "1170", "1171"))
    due = -output - material - other
    quarter = f"MWST-Abrechnung Q{month.month // 3} {month.year}"
    books.journal.book(
        month_end(month),
        quarter,
        Posting("2200", -output),
        Posting("1170", -material),
        Posting("1171", -other),
        Posting("2201", -due),
        reference=books.journal.reference("MW", month),
    )
    paid = next_workday(month_end(month) + timedelta(days=55))
    books.journal.book(
        paid,
        f"Zahlung {quarter}",
        Posting("2201", due),
        Posting("1020", -due),
        reference=books.journal.reference("MW", paid),
    )


def year_end(books: Books, month: date) -> None:
    """Interest, stock, depreciation, accruals and tax, then the profit goes to equity."""
    if month.month != 12:
        return
    last = month_end(month)
    _interest(books, last)
    _stock_and_depreciation(books, last)
    _accruals(books, last)
    _tax(books, last)
    _profit(books, last)


def _interest(books: Books, last: date) -> None:
    savings, deposit = books.journal.balance("1021") * 4 // 1000, books.journal.balance("1050") * 9 // 1000
    books.journal.book(
        last,
        f"Zinsertrag {last.year}",
        Posting("1021", savings, "Zins Reservekonto"),
        Posting("1020", deposit, "Zins Festgeldanlage"),
        Posting("8100", -savings - deposit),
        reference=books.journal.reference("JA", last),
    )


def _stock_and_depreciation(books: Books, last: date) -> None:
    stock = books.price(28_000, 34_000, last.year) * books.volume
    change = stock - books.journal.balance("1200")
    books.journal.book(
        last,
        f"Bestandesänderung Handelswaren {last.year}",
        Posting("1200", change),
        Posting("4208", -change),
        reference=books.journal.reference("JA", last),
    )
    lost = {account: books.journal.balance(account) * rate // 10_000 * 100 for account, rate in DEPRECIATION.items()}
    books.journal.book(
        last,
        f"Abschreibungen {last.year}",
        Posting("6800", sum(lost.values())),
        *(Posting(account, -amount) for account, amount in lost.items()),
        reference=books.journal.reference("JA", last),
    )


def _accruals(books: Books, last: date) -> None:
    """The insurance runs into next year, the audit of this year comes next year: both are undone on 1 January."""
    prepaid = round(3_400 * inflation(last.year)) * 100 * books.volume
    audit = round(4_500 * inflation(last.year)) * 100 * books.volume
    for day, sign, text in ((last, 1, "Abgrenzung"), (last + timedelta(days=1), -1, "Auflösung Abgrenzung")):
        books.journal.book(
            day,
            f"{text} Versicherungsprämie {last.year}",
            Posting("1300", sign * prepaid),
            Posting("6300", -sign * prepaid, cost_center="Verwaltung"),
            reference=books.journal.reference("JA", day),
        )
        books.journal.book(
            day,
            f"{text} Revision {last.year}",
            Posting("6530", sign * audit, cost_center="Verwaltung"),
            Posting("2300", -sign * audit),
            reference=books.journal.reference("JA", day),
        )


def _tax(books: Books, last: date) -> None:
    tax = max(0, books.journal.profit() * 145 // 1000 // 10_000 * 10_000)
    books.journal.book(
        last,
        f"Rückstellung Steuern {last.year}",
        Posting("8900", tax),
        Posting("2300", -tax),
        reference=books.journal.reference("JA", last),
    )
    paid = next_workday(date(last.year + 1, 9, 20))
    books.journal.book(
        paid,
        f"Zahlung Steuern {last.year}",
        Posting("2300", tax),
        Posting("1020", -tax),
        reference=books.journal.reference("ZA", paid),
    )


def _profit(books: Books, last: date) -> None:
    """Into equity through 9200, not out of revenue and expense: their annual balances stay what the year earned.

    So on 31 December assets equal liabilities, and 9200 shows the year's profit on its normal side, the debit.
    """
    profit = books.journal.profit()
    books.journal.book(
        last,
        f"Jahresergebnis {last.year}",
        Posting("9200", profit),
        Posting("2979", -profit),
        reference=books.journal.reference("JA", last),
    )
    first, meeting = last + timedelta(days=1), next_workday(date(last.year + 1, 5, 14))
    books.journal.book(
        first,
        f"Vortrag Jahresergebnis {last.year}",
        Posting("2979", profit),
        Posting("2970", -profit),
        reference=books.journal.reference("JA", first),
    )
    reserve, dividend = max(0, profit * 5 // 100), max(0, profit * 70 // 100 // 100_000 * 100_000)
    books.journal.book(
        meeting,
        f"Gewinnverwendung {last.year} gemäss Generalversammlung",
        Posting("2970", reserve + dividend),
        Posting("2950", -reserve, "Zuweisung gesetzliche Gewinnreserve"),
        Posting("2261", -dividend, "Dividende"),
        reference=books.journal.reference("GV", meeting),
    )
    paid = next_workday(meeting + timedelta(days=21))
    _move(books, paid, "1020", "1050", dividend)
    books.journal.book(
        paid,
        f"Auszahlung Dividende {last.year}",
        Posting("2261", dividend),
        Posting("1020", -dividend),
        reference=books.journal.reference("ZA", paid),
    )


def treasury(books: Books, month: date) -> None:
    """What the bank account does not need is put on deposit, and taken back when it does; exact at year end."""
    last = month_end(month)
    _move(books, last, "1010", "1020", _round_to(400_000 - books.journal.balance("1010"), 10_000))
    if month.month == 12:
        bank, reserve = YEAR_END_BALANCES.get(
            month.year,
            (
                books.price(115_000, 145_000, month.year) * books.volume,
                books.price(18_000, 30_000, month.year) * books.volume,
            ),
        )
        _move(books, last, "1021", "1020", reserve - books.journal.balance("1021"))
        _move(books, last, "1020", "1050", bank - books.journal.balance("1020"))
        return
    reserve = books.price(20_000, 34_000, month.year) * books.volume
    _move(books, last, "1021", "1020", _round_to(reserve - books.journal.balance("1021"), 10_000))
    # Enough for a month of wages and costs, and for every open invoice.
    usual = 9_500_000 * books.growth(month.year)
    missing = usual - books.journal.balance("2000") - books.journal.balance("1020")
    if abs(missing) > usual / 4:
        _move(books, last, "1020", "1050", _round_to(missing, 100_000))


def _move(books: Books, day: date, account: str, other: str, cents: int) -> None:
    if not cents:
        return
    books.journal.book(
        day,
        f"Übertrag {books.journal.accounts[account].label} / {books.journal.accounts[other].label}",
        Posting(account, cents),
        Posting(other, -cents),
        reference=books.journal.reference("UE", day),
    )


def _round_to(cents: float, step: int) -> int:
    return round(cents / step) * step
