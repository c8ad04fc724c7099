"""What Veracity itself says to people, in their language. Answers come from templates; this is everything around them."""

from __future__ import annotations

from veracity.language.locale import pick

_WORDS: dict[str, dict[str, str]] = {
    "not_covered": {
        "de": "Ich kann das nicht belegen: {mention} ({meaning}) liess sich nicht mit den Daten verbinden.",
        "en": "I cannot back this up: {mention} ({meaning}) could not be tied to the data.",
        "zh": "无法给出有依据的回答：“{mention}”（{meaning}）没有对应到数据。",
    },
    "not_fitting": {
        "de": "Ich kann das nicht belegen: Die gefundenen Zahlen sind nicht das, wonach gefragt war.",
        "en": "I cannot back this up: the figures found are not what was asked for.",
        "zh": "无法给出有依据的回答：找到的数字并不是所问的内容。",
    },
    "blocked": {
        "de": "Die Antwort wurde zurückgehalten: {reason}",
        "en": "The answer was held back: {reason}",
        "zh": "回答已被拦截：{reason}",
    },
    "unbound": {
        "de": "sie enthielt eine Angabe, die nicht aus den Daten berechnet ist.",
        "en": "it held something that was not computed from the data.",
        "zh": "其中有内容不是由数据计算得出。",
    },
    "malformed": {
        "de": "das Modell hat keine lesbare Antwort geschickt.",
        "en": "the model sent no readable answer.",
        "zh": "模型没有给出可读的回答。",
    },
    "mixed_units": {
        "de": "sie vermischte Währungen oder Einheiten.",
        "en": "it mixed currencies or units.",
        "zh": "其中混用了不同的币种或单位。",
    },
    "truncated": {
        "de": "sie rechnete mit einem abgeschnittenen Ergebnis.",
        "en": "it computed with a result that was cut off.",
        "zh": "其计算依据的结果不完整。",
    },
    "not_addable": {
        "de": "sie addierte Werte, die sich nicht addieren lassen.",
        "en": "it added up values that do not add up.",
        "zh": "其中相加了不能相加的数值。",
    },
    "no_such_row": {
        "de": "sie stützte sich auf Zeilen, die es in den Ergebnissen nicht gibt.",
        "en": "it relied on rows that the results do not have.",
        "zh": "它依据的行在结果中不存在。",
    },
    "no_source": {
        "de": "sie stützte sich auf keine Abfrage.",
        "en": "it did not rest on any query.",
        "zh": "它没有依据任何查询。",
    },
    "rounds": {
        "de": "Nach {rounds} Runden war keine Antwort belegt. {tried}",
        "en": "After {rounds} rounds no answer was proven. {tried}",
        "zh": "经过 {rounds} 轮仍没有可证实的回答。{tried}",
    },
    "tokens": {
        "de": "Das Token-Budget war aufgebraucht, bevor eine Antwort belegt war. {tried}",
        "en": "The token budget was used up before an answer was proven. {tried}",
        "zh": "令牌额度用完时仍没有可证实的回答。{tried}",
    },
    "seconds": {
        "de": "Die Zeit war um, bevor eine Antwort belegt war. {tried}",
        "en": "Time was up before an answer was proven. {tried}",
        "zh": "超时，没有得到可证实的回答。{tried}",
    },
    "repeated": {
        "de": "Das Modell hat dieselbe ungültige Abfrage mehrmals gestellt. {tried}",
        "en": "The model made the same invalid call several times. {tried}",
        "zh": "模型多次发出同一个无效查询。{tried}",
    },
    "tried": {"de": "Versucht: {calls}.", "en": "Tried: {calls}.", "zh": "已尝试：{calls}。"},
    "nothing_tried": {"de": "Es wurde nichts abgefragt.", "en": "Nothing was queried.", "zh": "没有进行任何查询。"},
    "no_rows": {
        "de": "Dazu gibt es in den Daten keine Zeilen: {what}.",
        "en": "The data holds no rows for this: {what}.",
        "zh": "数据中没有相关记录：{what}。",
    },
    "no_pattern": {
        "de": "Diese Frage kann das Offline-Modell nicht sicher beantworten.",
        "en": "The offline model cannot answer this question with certainty.",
        "zh": "离线模型无法可靠地回答这个问题。",
    },
    "left_open": {
        "de": "Nicht verstanden: {words}.",
        "en": "Not understood: {words}.",
        "zh": "未能理解：{words}。",
    },
    "not_in_data": {
        "de": "Die Daten enthalten nichts, was {words} heisst.",
        "en": "The data holds nothing that is called {words}.",
        "zh": "数据中没有“{words}”。",
    },
    "nearest": {
        "de": "Am nächsten kommen: {patterns}.",
        "en": "The nearest it knows: {patterns}.",
        "zh": "最接近的问题类型：{patterns}。",
    },
    "tables": {
        "de": "Die Tabellen sind: {tables}.",
        "en": "The tables are: {tables}.",
        "zh": "现有的表：{tables}。",
    },
    "average_of": {
        "de": "Durchschnitt {what}",
        "en": "average {what}",
        "zh": "平均{what}",
    },
    "set_model": {
        "de": "Mit einem Sprachmodell (--model) lassen sich auch andere Fragen stellen.",
        "en": "With a language model (--model) other questions can be asked, too.",
        "zh": "设置语言模型（--model）后可以提更多问题。",
    },
    "which_period": {
        "de": "Für welchen Zeitraum?",
        "en": "For which period?",
        "zh": "请问是哪个期间？",
    },
    "which_table": {
        "de": "Um welche Tabelle geht es?",
        "en": "Which table is it about?",
        "zh": "请问是指哪个表？",
    },
    "which_date": {
        "de": "Welches Datum ist gemeint?",
        "en": "Which date is meant?",
        "zh": "请问是指哪个日期？",
    },
    "which_value": {
        "de": "Welche Angabe ist gemeint: {what}?",
        "en": "Which one is meant: {what}?",
        "zh": "请问具体是指哪个{what}？",
    },
    "which_one": {
        "de": "Was genau ist gemeint?",
        "en": "What exactly is meant?",
        "zh": "请问具体指的是什么？",
    },
    "gate_failed": {
        "de": "Das Ergebnis wurde zurückgehalten, weil es die Qualitätsprüfung nicht besteht: {reasons}",
        "en": "The output was held back because it does not pass its quality gate: {reasons}",
        "zh": "输出未通过质量检查，已被拦截：{reasons}",
    },
    "greeting": {
        "de": "Hallo! Fragen Sie mich etwas zu Ihren Daten; jede Zahl in der Antwort ist belegt.",
        "en": "Hello! Ask me something about your data; every figure in the answer is backed by it.",
        "zh": "你好！可以问我关于数据的问题，回答中的每个数字都有依据。",
    },
    "small_talk": {
        "de": "Gern geschehen. Fragen Sie mich jederzeit etwas zu Ihren Daten.",
        "en": "You are welcome. Ask me about your data whenever you like.",
        "zh": "不客气。随时可以问我关于数据的问题。",
    },
    "identity": {
        "de": "Ich bin Veracity. Ich beantworte Fragen zu Daten und erfinde nichts: Jede Zahl ist aus den Daten berechnet.",
        "en": "I am Veracity. I answer questions about data and make nothing up: every figure is computed from the data.",
        "zh": "我是 Veracity。我回答关于数据的问题，绝不编造：每个数字都由数据计算得出。",
    },
    "needs_model": {
        "de": "Dafür braucht es ein Sprachmodell: --model setzen. Fragen zu den Daten gehen auch ohne.",
        "en": "This takes a language model: set --model. Questions about the data work without one.",
        "zh": "这需要语言模型：请设置 --model。关于数据的问题不需要模型。",
    },
    "skill_needs_model": {
        "de": "Der Skill {skill} braucht ein Sprachmodell: --model setzen.",
        "en": "The skill {skill} takes a language model: set --model.",
        "zh": "技能 {skill} 需要语言模型：请设置 --model。",
    },
    "not_backed": {
        "de": "Der Text des Modells enthielt Angaben, die in der Eingabe nicht stehen; er wurde zurückgehalten. Fragen Sie nach Daten mit einer Frage dazu, oder nehmen Sie ein anderes Modell.",
        "en": "What the model wrote held things that the input does not say; it was held back. Ask about the data in a question of its own, or use another model.",
        "zh": "模型写的内容包含输入中没有的信息，已被拦截。请直接就数据提问，或换一个模型。",
    },
    "refused_call": {
        "de": "Die Daten geben das nicht her: {reason}",
        "en": "The data cannot support this: {reason}",
        "zh": "数据不支持该查询：{reason}",
    },
}


def say(key: str, lang: str, **values: object) -> str:
    """A text in this language, its gaps filled."""
    return pick(_WORDS[key], lang).format(**values)
