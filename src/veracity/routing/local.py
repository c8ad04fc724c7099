"""Nouns that have another value in every house: dinner, Frühschicht, 营业时间.

"What is dinner?" asks what there is today, not what the word means. A form that asks for a meaning (define, what does X mean, a
notion with *a* before it) leaves less room for that, so some of these words count only without such a form.
"""

from __future__ import annotations

import re

from veracity.question.folding import IDEOGRAPHS, listed

_UMLAUTS = {ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue", ord("ß"): "ss"}


def _spelled(words: str) -> frozenset[str]:
    return listed(words.translate(_UMLAUTS))


# --- Latin scripts

_ANYWHERE = _spelled(
    "breakfast lunch dinner supper dessert menu canteen cafeteria buffet agenda schedule timetable roster rota shift deadline eta appointment overtime homework "
    "assignment exam syllabus standings scoreboard score scores lottery wifi passcode parking locker badge keycard printer elevator office reception room desk "
    "classroom ward headquarter allowance bonus reimbursement stipend perk vacancy vacancies opening openings "
    "responsible responsibility overdue backup restock replenishment complaint escalation handover rollout offboarding blocker bottleneck "
    "theft fraud leak breach damage shortage mismatch discrepancy dip surge squad initiative roadmap milestone ticketing "
    "basic pro premium plus starter enterprise tier bundle mrr arr aov arpu csat "
    "tender bid bidder tenant landlord janitor patient student pupil applicant "
    "applicants candidate candidates attendee attendees participant participants guest guests passenger passengers driver drivers "
    "frühstück mittagessen abendessen zmittag znacht mittagsmenü speiseplan kantine mensa menü tagesordnung traktanden traktandum stundenplan dienstplan schichtplan hausaufgabe "
    "hausaufgaben klausur schulaufgabe prüfungsstoff zeugnis wlan parkplatz spind badge drucker aufzug büro empfang sitzungszimmer besprechungsraum zimmer "
    "frühschicht spätschicht nachtschicht tagschicht frühdienst spätdienst nachtdienst spätschichten bereitschaftsdienst notdienst pikett pikettdienst pausenregelung "
    "spesen spesenregelung überstunden überzeit gleitzeit bonus prämie zulage engpass reklamation reklamationen beschwerde beschwerden rückruf leck betrug diebstahl schaden lücke "
    "ansprechpartner ansprechperson geschäftspartner spitzenlast höchstlast zuständig verantwortlich verantwortliche vertretung stellvertretung teamleiter projektleiter abteilungsleiter filialleiter schulleiter bauleiter "
    "hausmeister klassenlehrer patient patienten schüler schülerin bewerber bewerberin teilnehmer gast gäste fahrer mieter vermieter basis plus premium paket "
    "dispo tour inventur ausschreibung etappe meilenstein übergabe mittagspause feierabend ruhetag öffnungszeiten sprechstunde sprechzeiten"
)
"""Count wherever they stand."""
_LAST = _spelled(
    "time times hours period date rate level load volume share limit fee fare rent deposit plan policy list schedule scope priority edition package tariff "
    "demand consumption usage size team manager owner lead leader director supervisor contact coordinator representative chairman strategy requirement requirements "
    "guideline guidelines rules instructions venue location site route destination address planning saying reporting expecting working waiting asking paying charging "
    "buying earning making costing spending delivering hiring sending ordering producing selling happening coming leaving arriving starting "
    "names folks people staff crew squad committee board council wing floor building gate dock bay ramp truck van fleet vehicle plant"
)
"""Count where they end a notion of two or more words."""
_COLOURS = _spelled("red green blue yellow amber orange grey gray purple rot grün blau gelb grau")
_ALONE = _COLOURS | _spelled(
    "black white schwarz weiß schedule plan scope strategy vision mission priority status "
    "size limit fee fare rent deposit tariff coverage stock supply demand consumption load volume headroom yield location venue route team crew "
    "pending outstanding ongoing remaining expiring confidential mandatory optional overbooked understaffed onsite offline online upcoming "
    "tarif gebühr miete kaution volumen verbrauch schicht dienst lage stimmung auftrag strategie vision mission priorität ort route gruppe klasse zweck ansatz fahrplan"
)
"""Count where they are all of it."""
_TAILS = _spelled(
    "frist dauer termin termine datum nummer liste bestand bestände srate sraten errate erraten llrate llraten enrate quote quoten kosten preis preise gebühr gebühren tarif tarife prämie prämien zulage zulagen "
    "zuschlag zuschläge rabatt rabatte betrag beträge menge mengen anzahl volumen verbrauch auslastung belegung kapazität regelung regelungen richtlinie "
    "richtlinien vorgabe vorgaben anweisung anweisungen adresse adressen standort standorte passwort kennwort plan pläne ordnung thema themen aufgabe aufgaben stufe "
    "kampagne vorfall vorfälle rückstand rückstände reklamation beschwerde kunde kunden lieferant lieferanten mitarbeiter mitarbeiterin mitarbeitende auftrag aufträge "
    "bestellung bestellungen buchung buchungen vertrag verträge konto konten lieferung lieferungen filiale filialen abteilung abteilungen dokument dokumente bericht berichte "
    "ticket tickets umsatz umsätze budget gewinn verlust zeiten lieferzeit arbeitszeit laufzeit wartezeit durchlaufzeit bearbeitungszeit kündigungszeit öffnungszeit reaktionszeit ausfallzeit "
    "stand ergebnis ergebnisse durchschnitt anteil stelle stellen leiterin verantwortliche beauftragte beauftragter zimmer essen menü"
)
"""German words end in these: what a compound names is of the kind that its last part names."""
_LONGEST_TAIL = max(map(len, _TAILS))
_HEADS = tuple(
    sorted(
        _spelled(
            "kunden mitarbeiter lieferanten bestell patienten schüler projekt vertrags auftrags einkaufs verkaufs filial bewerber"
        )
    )
)
_NOT_LOCAL = _spelled(
    "gegenstand widerstand wohlstand zustand verstand abstand aufstand umstand anstand ruhestand stillstand notstand aggregatzustand unordnung weltordnung größenordnung "
    "rangordnung verordnung friedensvertrag gesellschaftsvertrag sozialvertrag vergessen interessen marshallplan projektion projektor projektil schnittstelle schnittstellen "
    "tankstelle nullstelle nullstellen heilkunde erdkunde naturkunde völkerkunde millisekunde nanosekunde teilmenge schnittmenge nobelpreis friedensnobelpreis wärmekapazität "
    "speicherkapazität"
)
"""German words that only look like such a compound."""
_PLACES = _spelled(
    "germany france spain italy austria switzerland england britain uk usa us america china japan india russia brazil canada mexico poland sweden norway denmark netherlands belgium "
    "portugal greece turkey australia africa asia europe eu berlin munich hamburg frankfurt cologne zurich zürich basel bern geneva genf lausanne vienna wien london paris madrid rome "
    "milan tokyo beijing shanghai shenzhen singapore dubai boston chicago texas california deutschland frankreich spanien italien österreich schweiz großbritannien amerika japan indien "
    "russland polen schweden norwegen dänemark niederlande belgien griechenland türkei afrika asien europa münchen köln stuttgart leipzig dresden luzern winterthur nord süd ost west "
    "north south east emea apac dach nordics"
)
_NUMBERS = _spelled(
    "one two three four five six seven eight nine ten eleven twelve eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"
)
_LETTERED = frozenset({"vitamin", "hepatitis", "influenza"})
"""These are told apart by a letter everywhere."""


def is_local(words: list[str], *, meaning: bool) -> bool:
    """Whether the words of a notion name something that is another one in every house; `meaning`: a meaning is asked for."""
    plain = [word if word.isascii() else word.translate(_UMLAUTS) for word in words]
    if any(_is_compound(word) for word in plain) or (len(plain) > 1 and meaning and plain[0] in _COLOURS):
        return True
    last, alone = plain[-1], len(plain) == 1
    if alone:
        return last in _ALONE or (not meaning and _single(last) in _ANYWHERE)
    if any(word in _PLACES or word in _NUMBERS for word in plain) or (len(last) == 1 and plain[0] not in _LETTERED):
        return True
    return not meaning and (last in _LAST or any(_single(word) in _ANYWHERE for word in plain))


def _single(word: str) -> str:
    return word[:-1] if word.endswith("s") and word not in _ANYWHERE else word


def _is_compound(word: str) -> bool:
    """Whether a German word is made with one that means data: Stammkunde, Lieferantenbewertung."""
    if len(word) < 8 or word in _NOT_LOCAL:
        return False
    if word.startswith(_HEADS):
        return True
    return any(word[-size:] in _TAILS for size in range(4, min(len(word) - 2, _LONGEST_TAIL + 1)))


# --- Chinese

_ANY_FORM_ZH = (
    "行动|标记|流程|计划|方案|安排|排班|班次|班表|值班|密码|口令|菜单|议程|议题|纪要|待办|进展|事项|负责人|联系人|联系方式|对接人|责任人|里面?|[一-龥]版|套餐|明细|名单|清单|须知|通知|"
    "车位|工位|会议室|教室|病房|宿舍|食堂|作业|课表|课程表|考题|试题|班车|包裹|货物|现货|福利|待遇|年假|职位|岗位|积压|缺口|隐患|投诉|口径"
)
_WHICH_ZH = (
    "时间|期限|时长|周期|标准|制度|规定|办法|指南|地点|位置|场地|座位|楼层|菜|饭|分数|成绩|课程|学费|(?<!消)费|价|金额|额|额度|津贴|补贴|奖金|假期|加班|工时|职责|主任|院长|校长|组长|队长|班长|店长|厂长|"
    "局长|部长|市长|总统|总理|首相|主席|人口|面积|行程|路线|车次|航班|版本|档位|等级|级别|权限|配额|上限|下限|阈值|容量|负荷|负载|电量|用量|产量|能耗|消耗|损耗|温度|湿度|带宽|时延|阶段|里程碑|瓶颈|风险|漏洞|"
    "事故|反馈|备注|外面|旁边|楼上|楼下|隔壁|单|名|人员|人选|对象|主料|配料|行业|型号|款式|尺寸|规格|品牌|比分|路况|热搜|天数|次数|频率|期|日|班|药|症状|诊断|剂量"
)
_LOCAL_ZH = re.compile(f".*(?:{_ANY_FORM_ZH})(?<!公里)(?<!英里)(?<!海里)")
_LOCAL_WEAK_ZH = re.compile(f".*(?:{_WHICH_ZH})")
_ORDINAL_ZH = re.compile(
    f"[一二三四五六七八九十两]+(?:号|期|组|班|楼|层|区|部|科|车间|线|队|店|级|类|档|批|栋|座|厂|院|校)|^[已待未]|[欠缺退滞补催验发到收付扣挂冲销](?:货|款|单|料|件|票|账|库)$|[红绿黄蓝橙白]灯$"
    f"|^[小老][王李张刘陈杨赵黄周吴徐孙朱马胡郭林何高罗]$|(?<!维生素)(?<!维他命)[{IDEOGRAPHS}][a-z]$|[东西南北](?:厂|区|店|仓|院|校区|门)"
)


def is_local_zh(name: str, *, meaning: bool) -> bool:
    """Whether a Chinese notion names something that is another one in every house."""
    if _LOCAL_ZH.fullmatch(name) or _ORDINAL_ZH.search(name):
        return True
    return not meaning and _LOCAL_WEAK_ZH.fullmatch(name) is not None
