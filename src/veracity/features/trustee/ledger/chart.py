"""What the two synthetic companies consist of: charts of accounts, contacts, what they sell and what they pay for.

Every name is an invented company. Amounts are whole francs (or euros).
"""

from __future__ import annotations

from typing import NamedTuple

from veracity.features.trustee.models import AccountClass, ContactType


class Account(NamedTuple):
    """One account of a chart."""

    number: str
    label: str
    account_class: AccountClass
    currency: str = "CHF"
    is_active: bool = True


class Contact(NamedTuple):
    """One customer or vendor."""

    number: str
    name: str
    contact_type: ContactType
    city: str
    country: str


class Sale(NamedTuple):
    """Something sold: how often (weight), for how much, and what the invoice says."""

    account: str
    weight: int
    low: int
    high: int
    texts: tuple[str, ...]


class Cost(NamedTuple):
    """Something bought from a vendor in certain months of the year; `tax` is the input tax kind or nothing."""

    account: str
    vendor: str
    text: str
    low: int
    high: int
    tax: str | None
    cost_center: str | None
    months: tuple[int, ...] = tuple(range(1, 13))


def _contacts(first: int, contact_type: ContactType, rows: tuple[tuple[str, str, str], ...]) -> tuple[Contact, ...]:
    return tuple(
        Contact(str(number), name, contact_type, city, country)
        for number, (name, city, country) in enumerate(rows, start=first)
    )


MONTHS = (
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
)

DEMO_ACCOUNTS = (
    Account("1000", "Kasse", "asset"),
    Account("1010", "PostFinance", "asset"),
    Account("1020", "Bank Kontokorrent", "asset"),
    Account("1021", "Bank Reservekonto", "asset"),
    Account("1050", "Festgeldanlage", "asset"),
    Account("1100", "Debitoren CHF", "asset"),
    Account("1105", "Debitoren EUR", "asset", "EUR"),
    Account("1170", "Vorsteuer MWST Material und Dienstleistungen", "asset"),
    Account("1171", "Vorsteuer MWST Investitionen und Betriebsaufwand", "asset"),
    # The currency position mirrors what is open in EUR, so its balance is negative: it is 1105 seen from the other side.
    Account("1190", "Währungsposition EUR", "asset", "EUR"),
    Account("1191", "Gegenwert Währungsposition EUR", "asset"),
    Account("1200", "Vorräte Handelswaren", "asset"),
    Account("1210", "Vorräte Rohmaterial", "asset", is_active=False),
    Account("1300", "Aktive Rechnungsabgrenzung", "asset"),
    Account("1510", "Mobiliar und Einrichtungen", "asset"),
    Account("1520", "Büromaschinen und Informatik", "asset"),
    Account("1530", "Fahrzeuge", "asset"),
    Account("2000", "Kreditoren CHF", "liability"),
    Account("2030", "Anzahlungen von Kunden", "liability"),
    Account("2200", "Geschuldete MWST", "liability"),
    Account("2201", "Abrechnungskonto MWST", "liability"),
    Account("2261", "Beschlossene Ausschüttungen", "liability"),
    Account("2270", "Kontokorrent Sozialversicherungen", "liability"),
    Account("2300", "Passive Rechnungsabgrenzung", "liability"),
    Account("2400", "Bankdarlehen", "liability"),
    Account("2450", "COVID-19-Kredit", "liability", is_active=False),
    Account("2800", "Aktienkapital", "liability"),
    Account("2950", "Gesetzliche Gewinnreserve", "liability"),
    Account("2970", "Gewinnvortrag", "liability"),
    Account("2979", "Jahresgewinn oder Jahresverlust", "liability"),
    Account("3200", "Handelsertrag Hardware", "revenue"),
    Account("3210", "Handelsertrag Lizenzen", "revenue"),
    Account("3400", "Beratungsertrag", "revenue"),
    Account("3410", "Ertrag Wartung und Support", "revenue"),
    Account("3420", "Schulungsertrag", "revenue"),
    Account("3800", "Skonti und Rabatte", "revenue"),
    Account("4200", "Einkauf Hardware", "expense"),
    Account("4208", "Bestandesänderung Handelswaren", "expense"),
    Account("4210", "Einkauf Lizenzen", "expense"),
    Account("4400", "Bezogene Dienstleistungen", "expense"),
    Account("5000", "Löhne", "expense"),
    Account("5700", "AHV, IV, EO, ALV", "expense"),
    Account("5720", "Berufliche Vorsorge", "expense"),
    Account("5730", "Unfallversicherung", "expense"),
    Account("5740", "Krankentaggeldversicherung", "expense"),
    Account("5800", "Aus- und Weiterbildung", "expense"),
    Account("5820", "Reisespesen", "expense"),
    Account("6000", "Miete Geschäftsräume", "expense"),
    Account("6040", "Reinigung", "expense"),
    Account("6100", "Unterhalt und Reparaturen", "expense"),
    Account("6200", "Fahrzeugaufwand", "expense"),
    Account("6300", "Sachversicherungen", "expense"),
    Account("6400", "Strom und Heizung", "expense"),
    Account("6500", "Büromaterial", "expense"),
    Account("6510", "Telefon und Internet", "expense"),
    Account("6530", "Buchführung und Revision", "expense"),
    Account("6570", "Informatikaufwand", "expense"),
    Account("6600", "Werbung", "expense"),
    Account("6640", "Kundenbetreuung", "expense"),
    Account("6700", "Übriger Betriebsaufwand", "expense"),
    Account("6800", "Abschreibungen Sachanlagen", "expense"),
    Account("6900", "Zinsaufwand", "expense"),
    Account("6940", "Bankspesen", "expense"),
    Account("6949", "Währungsdifferenzen", "expense"),
    Account("7000", "Ertrag Nebenbetrieb Schulungsraum", "revenue"),
    Account("7010", "Aufwand Nebenbetrieb Schulungsraum", "expense"),
    Account("8000", "Betriebsfremder Aufwand", "expense"),
    Account("8100", "Betriebsfremder Ertrag", "revenue"),
    Account("8500", "Ausserordentlicher Aufwand", "expense"),
    Account("8510", "Ausserordentlicher Ertrag", "revenue"),
    Account("8900", "Direkte Steuern", "expense"),
    Account("9000", "Erfolgsrechnung", "closing"),
    Account("9100", "Bilanz", "closing"),
    Account("9200", "Jahresgewinn oder Jahresverlust (Abschluss)", "closing"),
)

DEMO_CUSTOMERS = _contacts(
    10001,
    "customer",
    (
        ("Alpenblick Systeme AG", "Zürich", "CH"),
        ("Bergkristall Pharma AG", "Basel", "CH"),
        ("Rheinfall Maschinenbau AG", "Schaffhausen", "CH"),
        ("Seeblick Kliniken AG", "Luzern", "CH"),
        ("Matterbach Hotels AG", "Zermatt", "CH"),
        ("Aaretal Logistik AG", "Bern", "CH"),
        ("Tannhof Lebensmittel AG", "Winterthur", "CH"),
        ("Uhrwerk Jura SA", "Biel", "CH"),
        ("Gotthard Bauteile AG", "Altdorf", "CH"),
        ("Sonnenrain Pflegezentren AG", "Solothurn", "CH"),
        ("Birsfeld Chemiehandel AG", "Muttenz", "CH"),
        ("Murgtal Textil AG", "Frauenfeld", "CH"),
        ("Lindenplatz Immobilien AG", "Zug", "CH"),
        ("Steinbock Outdoor GmbH", "Chur", "CH"),
        ("Wasserschloss Energie AG", "Brugg", "CH"),
        ("Druckerei Morgenrot AG", "Aarau", "CH"),
        ("Käserei Hochwang Genossenschaft", "Appenzell", "CH"),
        ("Säntisblick Metallbau AG", "St. Gallen", "CH"),
        ("Ticinella Vini SA", "Lugano", "CH"),
        ("Lac Bleu Assurances SA", "Lausanne", "CH"),
        ("Moulin Vert Distribution SA", "Genf", "CH"),
        ("Eichwald Schreinerei GmbH", "Thun", "CH"),
        ("Isartal Medizintechnik GmbH", "München", "DE"),
        ("Schwarzwald Präzision GmbH", "Freiburg im Breisgau", "DE"),
        ("Bodensee Verpackungen GmbH", "Konstanz", "DE"),
        ("Neckarhafen Spedition GmbH", "Stuttgart", "DE"),
        ("Donaublick Verlag GmbH", "Wien", "AT"),
        ("Arlberg Seilbahnen GmbH", "Innsbruck", "AT"),
        ("Vorarlberger Holzwerk GmbH", "Bregenz", "AT"),
    ),
)

DEMO_VENDORS = _contacts(
    20001,
    "vendor",
    (
        ("Seefeld Immobilien AG", "Zürich", "CH"),
        ("Blitzblank Gebäudeservice GmbH", "Zürich", "CH"),
        ("Funkwerk Telekom AG", "Bern", "CH"),
        ("Wolkenhaus Hosting AG", "Zug", "CH"),
        ("Lizenzhof Software GmbH", "München", "DE"),
        ("Stromnetz Limmattal AG", "Dietikon", "CH"),
        ("Schirmwerk Versicherungen AG", "Winterthur", "CH"),
        ("Zahlenwerk Treuhand AG", "Zürich", "CH"),
        ("Papeterie Federkiel AG", "Uster", "CH"),
        ("Plakatkraft Werbung GmbH", "St. Gallen", "CH"),
        ("Garage Sonnental AG", "Dübendorf", "CH"),
        ("Möbelwerk Jura AG", "Biel", "CH"),
        ("Rechenkraft Distribution AG", "Rotkreuz", "CH"),
        ("Bauteilhandel Nordlicht GmbH", "Hamburg", "DE"),
        ("Datenkabel Grosshandel AG", "Aarau", "CH"),
        ("Codeschmiede Engadin GmbH", "Chur", "CH"),
        ("Netzberatung Donau GmbH", "Linz", "AT"),
        ("Bildungswerk Lernpfad AG", "Luzern", "CH"),
        ("Reisebüro Gipfelzeit AG", "Zürich", "CH"),
        ("Gasthof Goldener Anker AG", "Rapperswil", "CH"),
    ),
)

SALES = (
    Sale(
        "3400",
        45,
        2800,
        12400,
        (
            "Beratung Cloud-Migration",
            "Beratung Prozessanalyse",
            "Projektleitung ERP-Einführung",
            "Konzept IT-Sicherheit",
        ),
    ),
    Sale("3410", 20, 400, 2400, ("Wartungsvertrag", "Support nach Aufwand", "Fernwartung Server")),
    Sale("3420", 8, 900, 3400, ("Schulung Büroanwendungen", "Schulung Datenschutz")),
    Sale("3200", 20, 1200, 9000, ("Lieferung Notebooks", "Lieferung Server", "Lieferung Netzwerkkomponenten")),
    Sale("3210", 7, 1000, 5200, ("Jahreslizenzen Buchhaltung", "Lizenzen Virenschutz")),
)

# What a sale on these accounts makes the company buy: on which account, and from whom.
RESALE = {
    "3200": ("4200", ("Rechenkraft Distribution AG", "Bauteilhandel Nordlicht GmbH", "Datenkabel Grosshandel AG")),
    "3210": ("4210", ("Lizenzhof Software GmbH",)),
    "3400": ("4400", ("Codeschmiede Engadin GmbH", "Netzberatung Donau GmbH")),
}

_QUARTERS = (3, 6, 9, 12)
_ADMIN, _CONSULTING, _TRADE = "Verwaltung", "Beratung", "Handel"
# Share of the payroll in percent.
COST_CENTERS = ((_CONSULTING, 62), (_TRADE, 16), (_ADMIN, 22))

RECURRING = (
    Cost("6000", "Seefeld Immobilien AG", "Büromiete", 4600, 4600, None, _ADMIN),
    Cost("6000", "Seefeld Immobilien AG", "Lagermiete", 950, 950, None, _TRADE),
    Cost("6040", "Blitzblank Gebäudeservice GmbH", "Reinigung Büro", 390, 460, "VB", _ADMIN),
    Cost("6510", "Funkwerk Telekom AG", "Telefon und Internet", 360, 520, "VB", _ADMIN),
    Cost("6570", "Wolkenhaus Hosting AG", "Cloud-Hosting", 900, 1400, "VB", _CONSULTING),
    Cost("6570", "Lizenzhof Software GmbH", "Softwarelizenzen Quartal", 2100, 2900, None, _CONSULTING, _QUARTERS),
    Cost("6400", "Stromnetz Limmattal AG", "Strom und Heizung Quartal", 620, 1150, "VB", _ADMIN, _QUARTERS),
    Cost("6530", "Zahlenwerk Treuhand AG", "Buchführung Quartal", 1500, 2100, "VB", _ADMIN, _QUARTERS),
    Cost("6530", "Zahlenwerk Treuhand AG", "Revision Jahresrechnung", 4300, 4700, "VB", _ADMIN, (4,)),
    Cost("6300", "Schirmwerk Versicherungen AG", "Betriebs- und Sachversicherung", 6400, 7200, None, _ADMIN, (7,)),
    Cost("1520", "Rechenkraft Distribution AG", "Ersatz Arbeitsplatzrechner", 11000, 19000, "VB", None, (5,)),
)

OCCASIONAL = (
    Cost("5800", "Bildungswerk Lernpfad AG", "Weiterbildungskurs", 600, 2200, "VB", _CONSULTING),
    Cost("5820", "Reisebüro Gipfelzeit AG", "Geschäftsreise", 280, 1400, None, _CONSULTING),
    Cost("6100", "Blitzblank Gebäudeservice GmbH", "Reparatur Einrichtung", 150, 900, "VB", _ADMIN),
    Cost("6200", "Garage Sonnental AG", "Service und Treibstoff", 180, 1300, "VB", _TRADE),
    Cost("6500", "Papeterie Federkiel AG", "Büromaterial", 90, 620, "VB", _ADMIN),
    Cost("6600", "Plakatkraft Werbung GmbH", "Inserate und Onlinewerbung", 500, 2600, "VB", None),
    Cost("6640", "Gasthof Goldener Anker AG", "Kundenanlass", 220, 1500, "VB", _CONSULTING),
    Cost("6700", "Zahlenwerk Treuhand AG", "Mahn- und Inkassowesen", 80, 400, "VB", None),
)

# Bought in the first weeks: a company does not start in empty rooms.
START_UP = (
    Cost("1510", "Möbelwerk Jura AG", "Erstausstattung Büro", 32000, 36000, "VB", None),
    Cost("1520", "Rechenkraft Distribution AG", "Erstausstattung Informatik", 26000, 30000, "VB", None),
    Cost("1530", "Garage Sonnental AG", "Lieferwagen", 29000, 33000, "VB", None),
    Cost("4200", "Rechenkraft Distribution AG", "Anfangslager Hardware", 28000, 32000, "VM", _TRADE),
)

# Paid from the till, to no vendor in the books.
PETTY_CASH = (
    Cost("5820", "", "Parkgebühren und Billette", 12, 90, None, _CONSULTING),
    Cost("6500", "", "Büromaterial bar", 15, 140, "VB", _ADMIN),
    Cost("6640", "", "Kaffee und Bewirtung", 18, 160, "VB", _ADMIN),
    Cost("6700", "", "Porto und Kleinmaterial", 8, 70, None, None),
)

# The company of the other mandate keeps few accounts, and only those it books on.
OTHER_ACCOUNTS = (
    Account("1000", "Kasse", "asset"),
    Account("1020", "Bank Fremdmandat", "asset"),
    Account("1021", "Bank Sparkonto Fremdmandat", "asset"),
    Account("1100", "Debitoren CHF", "asset"),
    Account("2000", "Kreditoren CHF", "liability"),
    Account("2800", "Aktienkapital", "liability"),
    Account("2970", "Gewinnvortrag", "liability"),
    Account("2979", "Jahresgewinn oder Jahresverlust", "liability"),
    Account("3200", "Handelsertrag", "revenue"),
    Account("3400", "Beratungsertrag", "revenue"),
    Account("5000", "Löhne", "expense"),
    Account("6000", "Miete", "expense"),
    Account("6500", "Verwaltungsaufwand", "expense"),
    Account("9200", "Jahresgewinn oder Jahresverlust (Abschluss)", "closing"),
)

OTHER_CUSTOMERS = _contacts(
    10001,
    "customer",
    (
        ("Fremdhaus Galerie AG", "Basel", "CH"),
        ("Fremdtal Weinhandel GmbH", "Sion", "CH"),
        ("Fremdfeld Gärtnerei AG", "Olten", "CH"),
        ("Fremdwerk Keramik GmbH", "Salzburg", "AT"),
    ),
)

OTHER_VENDORS = _contacts(
    20001,
    "vendor",
    (
        ("Fremdraum Vermietung AG", "Basel", "CH"),
        ("Fremdpapier Bürobedarf GmbH", "Lörrach", "DE"),
    ),
)
