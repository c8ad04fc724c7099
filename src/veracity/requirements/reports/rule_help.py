"""What each rule is about, for whoever meets a finding for the first time: a title, why it matters, and an example."""

from __future__ import annotations

from dataclasses import dataclass

from veracity.requirements.contracts import Lang


@dataclass(frozen=True, slots=True)
class RuleHelp:
    """The help on one rule."""

    title: dict[Lang, str]
    why: str
    before: str = ""
    after: str = ""


RULE_HELP: dict[str, RuleHelp] = {
    "EMPTY": RuleHelp(
        {"de": "Leere Anforderung", "en": "Empty requirement"},
        "There is an id or a place for a requirement, and no text.",
    ),
    "VAGUE": RuleHelp(
        {"de": "Vages Wort", "en": "Vague word"},
        "Two people read it in two ways, and no test can tell who is right.",
        "The platform must be fast.",
        "The platform must answer a search within 2 s for 95 % of requests.",
    ),
    "BENEFITVAGUE": RuleHelp(
        {"de": "Vager Nutzen", "en": "Vague benefit"},
        "The reason given for a requirement stays general. It does not change what is to be built, so it weighs little.",
        "As a user, I want to filter the list, so that I work efficiently.",
        "As a user, I want to filter the list, so that I find my order without paging.",
    ),
    "ESCAPE": RuleHelp(
        {"de": "Hintertür", "en": "Loophole"},
        "It leaves open whether the requirement holds at all.",
        "The system shall, if possible, encrypt the backup.",
        "The system shall encrypt the backup.",
    ),
    "OPEN": RuleHelp(
        {"de": "Offene Aufzählung", "en": "Open-ended list"},
        "Nobody knows when everything on the list has been done.",
        "The system shall export PDF, CSV etc.",
        "The system shall export PDF and CSV.",
    ),
    "TBD": RuleHelp(
        {"de": "Platzhalter", "en": "Placeholder"},
        "Something is not decided yet; what is built on it may have to be built again.",
        "The session shall end after TBD minutes.",
        "The session shall end after 15 minutes without input.",
    ),
    "QUALPRED": RuleHelp(
        {"de": "Eigenschaft ohne Prüfung", "en": "Quality without a test"},
        "It says what something is to be like, and nothing says when it is.",
        "The app must be user-friendly.",
        "A new user shall place a first order without help within 5 minutes.",
    ),
    "NOMETRIC": RuleHelp(
        {"de": "Eigenschaft ohne Zahl", "en": "Quality without a figure"},
        "Without a figure and its unit, a quality cannot be measured.",
        "The system shall respond quickly.",
        "The system shall respond within 300 ms.",
    ),
    "WEAKMODAL": RuleHelp(
        {"de": "Schwaches Modalverb", "en": "Weak modal verb"},
        "'should', 'may' and 'can' oblige nobody, so the requirement can be skipped.",
        "The system should log every login.",
        "The system shall log every login.",
    ),
    "NOMODAL": RuleHelp(
        {"de": "Kein Modalverb", "en": "No modal verb"},
        "Whether this is demanded, or merely so today, stays open.",
        "The server sends a receipt.",
        "The server shall send a receipt.",
    ),
    "MULTI": RuleHelp(
        {"de": "Mehrere Anforderungen in einer", "en": "Several requirements in one"},
        "One of them can be met and the other not: they cannot be tested, planned and traced apart.",
        "The system shall check the order and shall send a receipt.",
        "The system shall check the order. The system shall send a receipt.",
    ),
    "PASSIVE": RuleHelp(
        {"de": "Passiv ohne Akteur", "en": "Passive without an actor"},
        "It does not say who acts. In German specifications passives are usual, so this only informs.",
        "The order must be confirmed.",
        "The clerk must confirm the order.",
    ),
    "COMP": RuleHelp(
        {"de": "Vergleich ohne Bezug", "en": "Comparison without a reference"},
        "Better than what? Without it there is nothing to measure against.",
        "The search must be faster.",
        "The search must answer within 1 s.",
    ),
    "SUP": RuleHelp(
        {"de": "Superlativ ohne Grenze", "en": "Superlative without a bound"},
        "The best possible can always be better; nobody can say when it is reached.",
        "The system shall use the lowest possible memory.",
        "The system shall use at most 200 MB of memory.",
    ),
    "NOAC": RuleHelp(
        {"de": "Keine Akzeptanzkriterien", "en": "No acceptance criteria"},
        "A user story without criteria does not say when it is done.",
        "As a user, I want to reset my password.",
        "... Given a known address, when I ask for a reset, then I get a link within 1 minute.",
    ),
    "FRAGMENT": RuleHelp(
        {"de": "Nur ein Titel", "en": "Only a title"},
        "It names a subject, and nobody who has to do something about it.",
        "Video watermarks",
        "The player shall show the watermark of the owner on every video.",
    ),
    "LONG": RuleHelp(
        {"de": "Lange Anforderung", "en": "Long requirement"},
        "In a long sentence, conditions and exceptions are overlooked.",
    ),
    "NEG": RuleHelp(
        {"de": "Verneinte Forderung", "en": "Negated demand"},
        "That something never happens is hard to test. This only informs.",
        "The system shall not accept weak passwords.",
        "The system shall accept passwords of 12 characters or more.",
    ),
    "ABS": RuleHelp(
        {"de": "Absolutheit", "en": "Absolute"},
        "'all' and 'always' can hardly be tested in full, and often have exceptions. This only informs.",
    ),
    "PRON": RuleHelp(
        {"de": "Unklares Pronomen", "en": "Unclear pronoun"},
        "It may stand for more than one thing. Right too seldom to weigh; this only informs.",
    ),
    "WEAKVERB": RuleHelp(
        {"de": "Blasses Verb", "en": "Weak verb"}, "'support' and 'handle' do not say what happens. This only informs."
    ),
}
OF_A_MODEL = RuleHelp(
    {"de": "Befund eines Sprachmodells", "en": "Finding of a language model"},
    "A language model read the requirement and objects to these words. It changes no score.",
)


def help_on(rule: str) -> RuleHelp:
    """The help on a rule; whatever is no rule of ours is a model's finding."""
    return RULE_HELP.get(rule, OF_A_MODEL)
