"""The words of the HTML report, in either language."""

from __future__ import annotations

from dataclasses import dataclass

from veracity.requirements.contracts import Criterion, Lang, Severity


@dataclass(frozen=True, slots=True)
class Labels:
    """What the page says around the findings."""

    title: str
    scorecard: str
    mean: str
    requirements: str
    passed: str
    failed: str
    excused: str
    criteria_title: str
    criteria: dict[Criterion, str]
    rules_title: str
    findings: str
    verdicts: dict[str, str]
    severities: dict[Severity, str]
    model: str
    disputed: str
    confirmed: str
    after: str
    duplicates: str
    bands: dict[str, str]
    not_compared: str
    no_duplicates: str
    questions: str
    requirement: str
    question: str
    suggested: str
    no_questions: str
    passing: str
    nothing: str
    more: str
    left_out: str
    footer: str


LABELS: dict[Lang, Labels] = {
    "de": Labels(
        title="Prüfbericht Anforderungen",
        scorecard="Übersicht",
        mean="Mittel",
        requirements="Anforderungen",
        passed="bestanden",
        failed="unter {mark}",
        excused="bekannt",
        criteria_title="Kriterien",
        criteria={"clarity": "Klarheit", "testability": "Prüfbarkeit", "measurability": "Messbarkeit"},
        rules_title="Befunde nach Regel",
        findings="Befunde",
        verdicts={"pass": "bestanden", "fail": "nicht bestanden"},
        severities={"error": "Fehler", "warning": "Warnung", "info": "Hinweis"},
        model="vom Sprachmodell",
        disputed="Sprachmodell widerspricht",
        confirmed="Sprachmodell stimmt zu",
        after="Vorschlag, mit offenen Stellen",
        duplicates="Mögliche Doppelungen",
        bands={"same": "gleich", "look": "ansehen", "veto": "ähnlich, aber etwas spricht dagegen"},
        not_compared="Nach Doppelungen wurde nicht gesucht.",
        no_duplicates="Keine gefunden.",
        questions="Offene Fragen",
        requirement="Anforderung",
        question="Frage",
        suggested="Mögliche Antworten",
        no_questions="Keine.",
        passing="Ohne Beanstandung",
        nothing="Keine Befunde.",
        more="und {count} weitere",
        left_out="{count} weitere stehen nicht hier; --format json enthält alle.",
        footer="Die Regeln geben Hinweise auf Stellen, kein Urteil über die Sache. Erstellt mit veracity requirements check.",
    ),
    "en": Labels(
        title="Requirements report",
        scorecard="Scorecard",
        mean="mean",
        requirements="requirements",
        passed="pass",
        failed="below {mark}",
        excused="known",
        criteria_title="Criteria",
        criteria={"clarity": "Clarity", "testability": "Testability", "measurability": "Measurability"},
        rules_title="Findings by rule",
        findings="Findings",
        verdicts={"pass": "pass", "fail": "fail"},
        severities={"error": "error", "warning": "warning", "info": "hint"},
        model="by the language model",
        disputed="the language model disagrees",
        confirmed="the language model agrees",
        after="Proposal, with open slots",
        duplicates="Possible duplicates",
        bands={"same": "the same", "look": "look at these", "veto": "alike, but something speaks against it"},
        not_compared="Duplicates were not looked for.",
        no_duplicates="None were found.",
        questions="Open questions",
        requirement="Requirement",
        question="Question",
        suggested="Possible answers",
        no_questions="None.",
        passing="Nothing to object to",
        nothing="No findings.",
        more="and {count} more",
        left_out="{count} more are not shown; --format json has them all.",
        footer="The rules point at places; they do not judge the matter. Made with veracity requirements check.",
    ),
}
