"""What the guard says: to the person who asked, plainly and with what to do; and to whoever repairs an answer, exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veracity.contracts import clip
from veracity.grounding.contracts import Finding, Severity
from veracity.language.locale import pick

if TYPE_CHECKING:
    from veracity.grounding.case import GuardCase

_LONGEST_TEXT = 200
_QUOTED = 60

# --- for the person who asked: by rule. No figure and no name of the answer is repeated: it may be made up.

_HELD_BACK: dict[str, dict[str, str]] = {
    "required_tools": {
        "de": "Diese Antwort wurde zurückgehalten: Sie nennt Daten, ohne dass in den Daten nachgesehen wurde. Stellen Sie die "
        "Frage noch einmal; hilft das nicht, nennen Sie die Tabelle oder Datei, um die es geht.",
        "en": "This answer was held back: it states data, but nobody looked into the data. Ask again; if that does not help, "
        "name the table or file that you mean.",
        "zh": "这个回答已被拦截：它给出了数据，却没有查询过数据源。请再问一次；如果仍然如此，请说明要查询哪张表或哪个文件。",
    },
    "failed_tool": {
        "de": "Diese Antwort wurde zurückgehalten: Die Abfrage der Daten ist fehlgeschlagen, und ohne sie lässt sich nichts belegen. "
        "Versuchen Sie es später noch einmal; bleibt es dabei, melden Sie es der Person, die die Daten betreut.",
        "en": "This answer was held back: the data could not be read, and without it nothing can be proven. Try again later; if it "
        "stays like this, tell the person who looks after the data.",
        "zh": "这个回答已被拦截：查询数据失败，无法给出有依据的内容。请稍后再试；如果一直如此，请联系数据管理员。",
    },
    "placeholder": {
        "de": "Diese Antwort wurde zurückgehalten: Sie enthielt erfundene Beispieleinträge statt echter Daten. Stellen Sie die Frage "
        "noch einmal, am besten mit dem Namen der Tabelle oder Datei.",
        "en": "This answer was held back: it held made-up sample entries instead of real data. Ask again, best with the name of the "
        "table or file.",
        "zh": "这个回答已被拦截：其中是编造的示例内容，而不是真实数据。请再问一次，最好说明表名或文件名。",
    },
    "nothing": {
        "de": "Diese Antwort wurde zurückgehalten: Sie verwechselt null, einen fehlenden Wert und eine leere Auswahl. Fragen Sie noch "
        "einmal, ob der Wert erfasst ist und wie gross er ist.",
        "en": "This answer was held back: it confuses zero, a missing value and an empty selection. Ask again whether the value is "
        "recorded, and what it is.",
        "zh": "这个回答已被拦截：它混淆了“零”“没有记录”和“没有结果”。请再问一次：该值是否有记录，是多少。",
    },
    "wrong_count": {
        "de": "Diese Antwort wurde zurückgehalten: Eine genannte Anzahl passt nicht zu dem, was gefunden wurde. Fragen Sie noch einmal "
        "nach der Anzahl oder nach der ganzen Liste.",
        "en": "This answer was held back: a number of things that it states does not fit what was found. Ask again for the number, or "
        "for the whole list.",
        "zh": "这个回答已被拦截：其中所说的数量与查到的不符。请再次询问数量或完整列表。",
    },
    "incomplete_list": {
        "de": "Diese Antwort wurde zurückgehalten: Sie nennt eine Liste vollständig, die es nicht ist. Fragen Sie nach der Anzahl oder "
        "nach einem kleineren Ausschnitt.",
        "en": "This answer was held back: it calls a list complete that is not. Ask for the number, or for a smaller part.",
        "zh": "这个回答已被拦截：它声称列表完整，但实际并不完整。请询问总数，或缩小范围再问。",
    },
    "unbound_figure": {
        "de": "Diese Antwort wurde zurückgehalten: Eine Angabe darin steht so nicht in den Daten. Fragen Sie noch einmal, am besten mit "
        "Namen und Zeitraum.",
        "en": "This answer was held back: something in it is not what the data says. Ask again, best with a name and a period.",
        "zh": "这个回答已被拦截：其中有数字或日期在数据中没有依据。请再问一次，最好说明对象和期间。",
    },
    "ambiguous_figure": {
        "de": "Diese Antwort wurde zurückgehalten: Bei einer Angabe ist nicht klar, wozu sie gehört. Fragen Sie genauer: wer oder was, "
        "und für welchen Zeitraum.",
        "en": "This answer was held back: it is not clear what one of its figures belongs to. Ask more exactly: who or what, and for "
        "which period.",
        "zh": "这个回答已被拦截：其中某个数字不清楚属于哪一项。请问得更具体一些：对象是谁或什么，哪个期间。",
    },
    "unbound_name": {
        "de": "Diese Antwort wurde zurückgehalten: Sie nennt etwas, das in den Daten nicht vorkommt. Fragen Sie noch einmal, oder "
        "prüfen Sie die Schreibweise.",
        "en": "This answer was held back: it names something that the data does not hold. Ask again, or check the spelling.",
        "zh": "这个回答已被拦截：其中提到的名称在数据中不存在。请再问一次，或检查名称的写法。",
    },
    "expression": {
        "de": "Diese Antwort wurde zurückgehalten: Eine Angabe darin lässt sich nicht aus den Daten berechnen. Stellen Sie die Frage "
        "noch einmal oder einfacher.",
        "en": "This answer was held back: something in it cannot be computed from the data. Ask again, or more simply.",
        "zh": "这个回答已被拦截：其中有内容无法由数据计算得出。请再问一次，或换一种更简单的问法。",
    },
    "no_answer": {
        "de": "Es kam keine lesbare Antwort. Stellen Sie die Frage noch einmal oder kürzer.",
        "en": "There was no readable answer. Ask again, or more briefly.",
        "zh": "没有得到可读的回答。请再问一次，或问得更简短。",
    },
    "internal_error": {
        "de": "Diese Antwort konnte nicht geprüft werden und wurde deshalb zurückgehalten. Versuchen Sie es noch einmal; bleibt es "
        "dabei, melden Sie es der Person, die das System betreut.",
        "en": "This answer could not be checked and was therefore held back. Try again; if it stays like this, tell the person who "
        "looks after the system.",
        "zh": "这个回答无法完成核查，因此已被拦截。请再试一次；如果一直如此，请联系系统管理员。",
    },
}

# --- for whoever repairs the answer: message and suggestion

_FINDINGS: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "nothing_called": (
        {
            "de": "Es wurde kein Werkzeug aufgerufen, trotzdem nennt die Antwort Daten.",
            "en": "No tool was called, but the answer states data.",
            "zh": "没有调用任何工具，回答却给出了数据。",
        },
        {
            "de": "Zuerst die Daten abfragen, dann antworten.",
            "en": "Query the data first, then answer.",
            "zh": "请先查询数据，再回答。",
        },
    ),
    "tool_missing": (
        {
            "de": "Die Antwort nennt Daten aus {source}, aber dort lief kein erfolgreicher Aufruf von {tools}.",
            "en": "The answer states data of {source}, but {tools} did not succeed there.",
            "zh": "回答给出了 {source} 的数据，但没有成功调用 {tools}。",
        },
        {"de": "Zuerst aufrufen: {tools}.", "en": "Call first: {tools}.", "zh": "请先调用：{tools}。"},
    ),
    "call_failed": (
        {
            "de": "Der letzte Aufruf von {source} ({tool}) ist fehlgeschlagen, trotzdem nennt die Antwort Daten.",
            "en": "The last call of {source} ({tool}) failed, but the answer states data.",
            "zh": "{source} 的最后一次调用（{tool}）失败了，回答却给出了数据。",
        },
        {
            "de": "Den Aufruf wiederholen, oder sagen, dass die Abfrage fehlgeschlagen ist.",
            "en": "Make the call again, or say that the query failed.",
            "zh": "请重新调用，或者说明查询失败。",
        },
    ),
    "failed_result": (
        {
            "de": "«{text}» beruft sich auf {result}, aber dieser Aufruf ist fehlgeschlagen.",
            "en": "“{text}” cites {result}, but that call failed.",
            "zh": "“{text}”引用了 {result}，但该调用失败了。",
        },
        {
            "de": "Den Aufruf wiederholen, oder sagen, dass die Abfrage fehlgeschlagen ist.",
            "en": "Make the call again, or say that the query failed.",
            "zh": "请重新调用，或者说明查询失败。",
        },
    ),
    "placeholder": (
        {
            "de": "«{text}» sieht erfunden aus und steht in keinem Ergebnis.",
            "en": "“{text}” looks made up and stands in no result.",
            "zh": "“{text}”像是编造的，任何结果中都没有。",
        },
        {
            "de": "Die Einträge nennen, die im Ergebnis stehen, oder sagen, dass es keine gibt.",
            "en": "Name the entries that the result holds, or say that there are none.",
            "zh": "请写出结果中的真实条目，或者说明没有数据。",
        },
    ),
    "slot": (
        {
            "de": "«{text}» ist eine Lücke, die niemand ausgefüllt hat.",
            "en": "“{text}” is a gap that nobody filled in.",
            "zh": "“{text}”是没有填写的模板占位符。",
        },
        {
            "de": "Die Angabe aus dem Ergebnis einsetzen, oder sagen, dass sie fehlt.",
            "en": "Put in what the result holds, or say that it is missing.",
            "zh": "请填入结果中的内容，或者说明没有该数据。",
        },
    ),
    "unbound_figure": (
        {
            "de": "«{text}» steht so nicht in den Ergebnissen.",
            "en": "“{text}” is not what the results say.",
            "zh": "“{text}”在结果中没有依据。",
        },
        {
            "de": "Die Angabe aus dem Ergebnis nehmen und Zeile und Spalte nennen, oder sie weglassen.",
            "en": "Take the figure from the result and name its row and column, or leave it out.",
            "zh": "请使用结果中的数值并写明对应的行和列，否则请删去。",
        },
    ),
    "other_figure": (
        {
            "de": "«{text}» ist nicht, was die Daten sagen; sie sagen {nearest}.",
            "en": "“{text}” is not what the data says; it says {nearest}.",
            "zh": "“{text}”与数据不符；数据是 {nearest}。",
        },
        {"de": "{nearest} schreiben.", "en": "Write {nearest}.", "zh": "请改为 {nearest}。"},
    ),
    "figure_elsewhere": (
        {
            "de": "«{text}» steht in den Daten an einer anderen Stelle als hier gesagt.",
            "en": "“{text}” stands in the data, but not where this says.",
            "zh": "“{text}”在数据中，但不属于这里所说的行和列。",
        },
        {
            "de": "Zeile und Spalte nennen, zu denen die Angabe gehört, oder die richtige Angabe nehmen.",
            "en": "Name the row and column that it belongs to, or take the right figure.",
            "zh": "请写明它所属的行和列，或改用正确的数值。",
        },
    ),
    "figure_of_question": (
        {
            "de": "«{text}» ist eine Angabe der Frage, keine der Daten.",
            "en": "“{text}” is a figure of the question, not of the data.",
            "zh": "“{text}”是问题中的数字，不是数据。",
        },
        {
            "de": "Eine Angabe aus dem Ergebnis nennen.",
            "en": "State a figure of the result.",
            "zh": "请写结果中的数值。",
        },
    ),
    "wrong_unit": (
        {
            "de": "«{text}» steht hier in einer anderen Währung oder Einheit als in den Daten; sie sagen {nearest}.",
            "en": "“{text}” is given in another currency or unit than in the data, which says {nearest}.",
            "zh": "“{text}”的币种或单位与数据不同；数据是 {nearest}。",
        },
        {"de": "{nearest} schreiben.", "en": "Write {nearest}.", "zh": "请改为 {nearest}。"},
    ),
    "figure_denied": (
        {
            "de": "Was der Satz über «{text}» sagt oder ausnimmt, belegt keine Zelle.",
            "en": "No cell bears out what this denies or excepts about “{text}”.",
            "zh": "这里对“{text}”的否定或排除在数据中没有依据。",
        },
        {
            "de": "Sagen, was die Daten zeigen, nicht, was sie nicht zeigen.",
            "en": "Say what the data shows, not what it does not.",
            "zh": "请直接写数据显示的内容。",
        },
    ),
    "claim_wrong": (
        {
            "de": "Der erklärte Ausdruck für «{text}» ergibt das nicht. {hint}",
            "en": "The expression declared for “{text}” does not come to that. {hint}",
            "zh": "为“{text}”声明的表达式得不到该结果。{hint}",
        },
        {
            "de": "Den Ausdruck oder die Angabe berichtigen.",
            "en": "Correct the expression or the figure.",
            "zh": "请改正表达式或数值。",
        },
    ),
    "ambiguous_figure": (
        {
            "de": "«{text}» könnte zu mehreren Zellen gehören.",
            "en": "“{text}” could belong to several cells.",
            "zh": "“{text}”可能对应多个单元格。",
        },
        {
            "de": "Im selben Satz sagen, zu welcher Zeile und Spalte die Angabe gehört.",
            "en": "Say in the same sentence which row and column it belongs to.",
            "zh": "请在同一句中写明它属于哪一行、哪一列。",
        },
    ),
    "unbound_name": (
        {
            "de": "«{text}» steht weder in den Ergebnissen noch in der Frage.",
            "en": "“{text}” stands neither in the results nor in the question.",
            "zh": "“{text}”既不在结果中，也不在问题中。",
        },
        {
            "de": "Nur nennen, was im Ergebnis steht.",
            "en": "Name only what the result holds.",
            "zh": "只能写结果中有的名称。",
        },
    ),
    "misspelt_name": (
        {
            "de": "«{text}» steht weder in den Ergebnissen noch in der Frage.",
            "en": "“{text}” stands neither in the results nor in the question.",
            "zh": "“{text}”既不在结果中，也不在问题中。",
        },
        {"de": "Ist «{nearest}» gemeint?", "en": "Did you mean “{nearest}”?", "zh": "是指“{nearest}”吗？"},
    ),
    "count_of_items": (
        {
            "de": "«{text}» sagt {said}, aufgezählt sind {real}.",
            "en": "“{text}” says {said}, but {real} are listed.",
            "zh": "“{text}”说有 {said} 个，但列出了 {real} 个。",
        },
        {
            "de": "Die Zahl an die Liste anpassen, oder die fehlenden Einträge nennen.",
            "en": "Make the number fit the list, or list what is missing.",
            "zh": "请让数量与列表一致，或补上缺少的条目。",
        },
    ),
    "count_of_rows": (
        {
            "de": "«{text}» sagt {said}, das Ergebnis hat {real}.",
            "en": "“{text}” says {said}, but the result has {real}.",
            "zh": "“{text}”说有 {said} 个，但结果中有 {real} 个。",
        },
        {
            "de": "Die Anzahl aus dem Ergebnis nennen: {real}.",
            "en": "State the number that the result has: {real}.",
            "zh": "请写结果中的数量：{real}。",
        },
    ),
    "rows_left_out": (
        {
            "de": "Die Liste nennt sich vollständig, lässt aber {missing} von {real} Einträgen weg.",
            "en": "The list calls itself complete but leaves out {missing} of {real} entries.",
            "zh": "列表声称完整，但 {real} 条中漏了 {missing} 条。",
        },
        {
            "de": "Alle {real} nennen, oder sagen, dass es ein Ausschnitt ist.",
            "en": "List all {real}, or say that it is a part.",
            "zh": "请列出全部 {real} 条，或者说明只是一部分。",
        },
    ),
    "rows_cut_off": (
        {
            "de": "Die Liste nennt sich vollständig, aber das Ergebnis {result} ist abgeschnitten.",
            "en": "The list calls itself complete, but the result {result} was cut off.",
            "zh": "列表声称完整，但结果 {result} 被截断了。",
        },
        {
            "de": "Sagen, dass es mehr gibt, oder mit engeren Filtern neu abfragen.",
            "en": "Say that there are more, or query again with narrower filters.",
            "zh": "请说明还有更多数据，或缩小条件重新查询。",
        },
    ),
    "null_as_zero": (
        {
            "de": "«{text}»: In {column} steht kein Wert; das ist weder null noch keiner.",
            "en": "“{text}”: {column} holds no value, which is neither zero nor none.",
            "zh": "“{text}”：{column} 没有值，这既不是零也不是没有。",
        },
        {
            "de": "Sagen, dass kein Wert erfasst ist.",
            "en": "Say that no value is recorded.",
            "zh": "请说明没有记录该值。",
        },
    ),
    "value_as_missing": (
        {
            "de": "«{text}»: In {column} steht ein Wert: {value}.",
            "en": "“{text}”: {column} holds a value: {value}.",
            "zh": "“{text}”：{column} 有值：{value}。",
        },
        {"de": "{value} nennen.", "en": "State {value}.", "zh": "请写出 {value}。"},
    ),
    "rows_as_nothing": (
        {
            "de": "«{text}»: Das Ergebnis {result} hat {real} Zeilen.",
            "en": "“{text}”: the result {result} has {real} rows.",
            "zh": "“{text}”：结果 {result} 有 {real} 行。",
        },
        {
            "de": "Die Zeilen nennen, oder sagen, warum sie nicht gemeint sind.",
            "en": "Name the rows, or say why they are not meant.",
            "zh": "请写出这些记录，或说明为什么不算。",
        },
    ),
    "figure_of_nothing": (
        {
            "de": "«{text}»: Die Abfrage hat keine Zeilen gefunden.",
            "en": "“{text}”: the query found no rows.",
            "zh": "“{text}”：查询没有找到任何记录。",
        },
        {
            "de": "Sagen, dass nichts gefunden wurde; das ist nicht null.",
            "en": "Say that nothing was found; that is not zero.",
            "zh": "请说明没有找到数据；这不等于零。",
        },
    ),
    "expression": (
        {
            "de": "Der Ausdruck «{text}» lässt sich nicht berechnen: {hint}",
            "en": "The expression “{text}” cannot be computed: {hint}",
            "zh": "表达式“{text}”无法计算：{hint}",
        },
        {"de": "{suggestion}", "en": "{suggestion}", "zh": "{suggestion}"},
    ),
    "result_unreadable": (
        {
            "de": "Ein Ergebnis ist nicht lesbar: {hint}",
            "en": "A result cannot be read: {hint}",
            "zh": "结果无法读取：{hint}",
        },
        {"de": "Zeilen und Spalten angeben.", "en": "Give rows and columns.", "zh": "请提供行和列。"},
    ),
    "empty": (
        {"de": "Die Antwort ist leer.", "en": "The answer is empty.", "zh": "回答是空的。"},
        {"de": "Eine Antwort schreiben.", "en": "Write an answer.", "zh": "请写出回答。"},
    ),
    "too_long": (
        {
            "de": "Die Antwort hat mehr als {most} Zeichen.",
            "en": "The answer has more than {most} characters.",
            "zh": "回答超过 {most} 个字符。",
        },
        {"de": "Kürzer antworten.", "en": "Answer more briefly.", "zh": "请缩短回答。"},
    ),
    "internal_error": (
        {
            "de": "Die Prüfung «{check}» ist abgebrochen ({error}); ungeprüft geht nichts hinaus.",
            "en": "The check “{check}” broke off ({error}); nothing gets out unchecked.",
            "zh": "检查“{check}”中断（{error}）；未经核查的内容不会放行。",
        },
        {
            "de": "Noch einmal versuchen und den Fehler melden.",
            "en": "Try again, and report the error.",
            "zh": "请重试并报告该错误。",
        },
    ),
}


def held_back(rule: str, lang: str) -> str:
    """What the person who asked reads in place of an answer."""
    return pick(_HELD_BACK[rule], lang)


def finding(
    case: GuardCase,
    rule: str,
    span: tuple[int, int] | None,
    *,
    key: str | None = None,
    text: str | None = None,
    **values: object,
) -> Finding:
    """A finding in the asker's language; a rule that is only to be warned about warns."""
    said = text if text is not None else case.text[span[0] : span[1]] if span else ""
    severity = Severity.WARN if rule in case.config.warn else Severity.BLOCK
    return written_finding(rule, case.lang, span, key=key or rule, text=said, severity=severity, **values)


def written_finding(
    rule: str,
    lang: str,
    span: tuple[int, int] | None,
    *,
    key: str,
    text: str = "",
    severity: Severity = Severity.BLOCK,
    **values: object,
) -> Finding:
    """A finding, its gaps filled."""
    message, suggestion = _FINDINGS[key]
    filled = {"text": clip(" ".join(text.split()), _QUOTED), **values}
    return Finding(
        rule=rule,
        span=span,
        text=text[:_LONGEST_TEXT],
        message=pick(message, lang).format(**filled),
        suggestion=pick(suggestion, lang).format(**filled).strip() or None,
        severity=severity,
    )
