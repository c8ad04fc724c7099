"""A question and an attempt at it, with what is read off the text once, and how the attempt ended in truth.

A model without a guard says through its answer that it does not know. A text counts as that only if it holds no figure
of its own and says, in German, English or Chinese, that the data do not hold it or that it cannot be answered.
"There are no creditors" is a claim about the data, and stays an answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from veracity.evals.cases import EvalCase
from veracity.evals.records import Attempt, Ended
from veracity.evals.scoring.page import JudgedFigure, JudgedPage
from veracity.evals.scoring.support import KnownFigures, is_ordinary
from veracity.language.currencies import CURRENCIES
from veracity.language.sentences import sentences

_ABOUT = r"(?:daten|angaben?|informationen|datensätze|datengrundlage|zeilen)"
_REFUSES = re.compile(
    # German
    rf"(?:keine|keinerlei|nicht genügend|nicht genug|zu wenig|unzureichende|fehlende)\s(?:[\wäöüß-]{{1,40}}\s){{0,3}}[\wäöüß-]{{0,40}}?{_ABOUT}"
    rf"|{_ABOUT}[^.!?\n]{{0,80}}?(?:nicht (?:\w+ )?(?:vorhanden|verfügbar|enthalten|vor\b|ausreich|hinterlegt|erfasst|gefunden)|fehlen|reichen nicht|enthalten (?:dazu |hierzu )?kein|enthält (?:dazu |hierzu )?kein)"
    r"|(?:kann|können|konnte|lässt sich|lassen sich|ist|sind)[^.!?\n]{0,100}?nicht (?:\w+ ){0,3}?(?:beantworte|ermittel|bestimm|berechn|feststell|angeben|sagen|beantwortbar|entnehm|enthalten|verfügbar|vorhanden|hinterlegt|erfasst|gespeichert|finden|möglich)"
    r"|(?:weiss|weiß) (?:ich )?(?:es |das )?(?:leider )?nicht|nicht in (?:den|der|unseren) (?:daten|tabelle|buchhaltung)|(?:tabellen?|datenbank|buchhaltung|ledger)\s(?:enth[aä]lt|enthalten|führ\w+)\s(?:\w+\s){0,2}(?:kein|nicht)"
    r"|(?:daten|tabellen?|zahlen) geben (?:das|dies|es|dazu)?[^.!?\n]{0,30}?(?:nicht|nichts) her|es gibt keine? (?:tabelle|feld|spalte|daten|angabe|information)"
    # English
    r"|(?:no|not enough|insufficient|lack(?:s|ing)?(?: of)?)\s(?:[\w-]+\s){0,3}?(?:data|information|details|rows?)\b"
    r"|(?:data|information|tables?|ledger|database|records?|dataset)\b[^.!?\n]{0,80}?(?:(?:does|do|did) ?(?:not|n't|n’t) (?:\w+ )?(?:contain|include|hold|have|provide|cover|specify|show)|(?:is|are) ?(?:not|n't|n’t) (?:\w+ )?(?:available|included|sufficient|stored|present|provided|found)|lacks?\b|unavailable)"
    r"|(?:can ?not|can['’]t|could not|couldn['’]t|unable to|not able to|not possible to)\s(?:\w+ ){0,3}?(?:answer|determine|find|provide|tell|say|calculate|give|identify|retrieve|be (?:answered|determined|found|calculated))"
    r"|(?:i )?(?:do not|don['’]t) (?:know|have (?:\w+ ){0,3}?(?:data|information|access))|not (?:available|contained|included|stored|recorded) in the"
    r"|(?:data|tables?|ledger) cannot (?:support|tell|show|answer)|there is no (?:table|field|column|data|information)"
    # Chinese
    r"|(?:没有|无|缺少|缺乏|未找到|找不到|查不到|不包含|未包含|没有包含|不含|未提供)[^。！？\n，]{0,24}?(?:数据|信息|资料|记录在|字段|表)"
    r"|(?:数据|信息|资料|表|账簿|账套|数据库)[中里内]?[^。！？\n]{0,30}?(?:不包含|没有包含|未包含|不存在|不足|缺失|没有记录|未记录|没有提供|未提供|不可用|没有相关|没有关于|无法)"
    r"|(?:无法|不能|没办法|难以)[^。！？\n]{0,24}?(?:回答|确定|提供|得出|计算|判断|查询|给出|得知|获取)|我?不知道|不清楚|尚不明确"
)
_ASKS = re.compile(
    r"(?:bitte|können sie|könnten sie|kannst du)[^.!?\n]{0,60}?(?:angeben|geben sie|nennen|präzisier|spezifizier|sagen|teilen sie|mitteilen|wählen|konkretisier)|"
    r"(?:please|could you|can you|kindly)[^.!?\n]{0,40}?(?:specify|clarify|provide|tell me|indicate|choose|confirm|let me know|state)|"
    r"(?:i|we) (?:would )?need to know (?:which|what|the)|"
    r"请(?:您)?(?:先)?(?:[提指说]供?明?|告诉|告知|确认|具体|选择|明确|澄清|补充)"
)
_OFFERS = re.compile(
    r"sonst noch|weiterhelfen|weitere (?:fragen|informationen|details)|möchten sie|anything else|would you like|do you want me|need (?:more|any)|"
    r"还有(?:什么|其他)|是否需要|需要我|还需要"
)
_LEADS = re.compile(
    r"unklar|nicht eindeutig|mehrdeutig|mehrere|ich brauche|benötige|z\. ?b|zum beispiel|zur auswahl|meinen sie|gemeint|unclear|ambiguous|several|more than one|"
    r"i need|to answer|for example|e\.g|options|did you mean|多个|不明确|不够明确|模糊|例如|比如|需要知道|为了回答|可选"
)
_LONGEST = 3_000
"""Nobody needs more to say that they do not know."""
_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)]|[a-e][.)])\s")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class JudgedTrial:
    """A question and an attempt at it."""

    case: EvalCase
    attempt: Attempt

    @cached_property
    def page(self) -> JudgedPage:
        """The text."""
        return JudgedPage(self.attempt.text, self.attempt.locale)

    @cached_property
    def question(self) -> JudgedPage:
        """The question."""
        return JudgedPage(self.case.question, self.attempt.locale)

    @cached_property
    def known(self) -> KnownFigures:
        """The numbers that may be said."""
        return KnownFigures(self.case, self.attempt, self.question)

    @cached_property
    def own_figures(self) -> list[JudgedFigure]:
        """The figures that say something of the data and are not the question's."""
        return [one for one in self.page.figures if not is_ordinary(self.page, one) and not self.known.is_asked(one)]

    @property
    def readable(self) -> bool:
        """Whether there is a text, and no expression in it was left as it is."""
        return bool(self.attempt.text.strip()) and "{{" not in self.attempt.text

    @cached_property
    def ended(self) -> Ended:
        """How it ended in truth: a model may type that it does not know, or ask back."""
        if self.attempt.ended is not Ended.ANSWERED or not self.readable:
            return self.attempt.ended
        if self.own_figures or len(self.page.low) > _LONGEST:
            return Ended.ANSWERED
        if _asks_only(self.page):
            return Ended.CLARIFY
        return Ended.ABSTAINED if _REFUSES.search(self.page.low) else Ended.ANSWERED

    @property
    def answered(self) -> bool:
        """Whether there is an answer to be judged."""
        return self.ended is Ended.ANSWERED and self.readable

    @cached_property
    def unit(self) -> str | None:
        """The currency of the figures that have none of their own: the one that the answer has to name."""
        named = {CURRENCIES.get(text.casefold()) for text in self.case.expected_answer_contains} - {None}
        return named.pop() if len(named) == 1 else None


def _asks_only(page: JudgedPage) -> bool:
    """Whether all that is said is a question back, or leads up to it."""
    asked = False
    for sentence in (page.low[start:end].strip() for start, end in sentences(page.text)):
        if not _LETTER.search(sentence) or _ITEM.match(sentence):
            continue
        if sentence[-1] in "?？" or _ASKS.search(sentence):
            asked = asked or not _OFFERS.search(sentence)
        elif not (_LEADS.search(sentence) or _REFUSES.search(sentence)):
            return False
    return asked
