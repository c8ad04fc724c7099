"""Words that point at live state or at data: those that every request may hold, and those of the configured data.

Latin words are compared whole, without case and in their plural and case forms; Chinese ones wherever they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from veracity.language.folding import IDEOGRAPHS, listed, words_in
from veracity.language.stem import noun_stem

if TYPE_CHECKING:
    from veracity.ontology.descriptor import OntologyDescriptor
    from veracity.ontology.entities import Entity
    from veracity.ontology.fields import EntityField
    from veracity.query.catalog import Catalog


_MOST_PHRASE = 8
_COMPOUND_PART = 5
_MOST_FOUND = 8
_MAY_GO_ON = ""
"""Stands for the rule of a word that decides only together with the next ones."""
_KEPT = 8_192
"""The words of requests whose rule is kept; most requests are made of the same few thousand."""
_IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")
_TOKEN = re.compile(r"[0-9a-z\u00df-\u024f]+")
_UMLAUT = re.compile("([aou])e")
_UMLAUTS = {ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue", ord("ß"): "ss"}

# Full-width forms, dashes, quotes and the traditional characters of our patterns; each becomes one character.
_SAME = (
    {0xFF01 + at: 0x21 + at for at in range(94) if chr(0x21 + at).isalnum() or chr(0x21 + at) in "+-*/=%()"}
    | {ord(ch): " " for ch in "\u00a0\u2007\u2009\u202f\u3000\t\r"}
    | {ord(ch): "'" for ch in "’‘ʼ`´"}
    | dict(zip(map(ord, "–—−‐‑"), "-----", strict=True))
    | dict(
        zip(
            map(ord, "麼現當這們譯釋計說誰務數據實時會產銷額訂單庫價錢問題號碼檔報賬戶學習義話語國際電腦網頁嗎İ"),
            "么现当这们译释计说谁务数据实时会产销额订单库价钱问题号码档报账户学习义话语国际电脑网页吗i",
            strict=True,
        )
    )
)


def folded(text: str) -> str:
    """A text as requests are compared: small letters, one kind of quotes, dashes and widths. Its length stays."""
    return (text if text.isascii() else text.translate(_SAME)).lower()


# --- words of every request. Umlauts are written ae, oe, ue and ss; plurals and cases follow by their stems.

LIVE = listed(
    "current currently now today tonight yesterday tomorrow latest newest recent recently live realtime status uptime "
    "online offline weather forecast news headline price pricing stock quote traffic schedule deadline appointment "
    "meeting calendar agenda upcoming pending overdue ongoing happening trending "
    "aktuell aktuelle aktueller aktuellem aktuellen aktuelles derzeit derzeitig derzeitige momentan jetzt heute heutig "
    "heutige heutigen gestern gestrig gestrige morgen neueste neuste neuester letzte letzter letztes letzten letztem "
    "vorige vorigen status zustand wetter wettervorhersage temperatur nachrichten news schlagzeilen preis preise "
    "kurs kurse aktie aktien aktienkurs boersenkurs wechselkurs termin termine kalender uhrzeit faellig ueberfaellig "
    "pendent pendente ausstehend ausstehende"
)
DATA = listed(
    "our ours my mine we us many much most least best worst highest lowest largest smallest biggest longest shortest "
    "cheapest fastest oldest top bottom maximum minimum max min average avg median total sum count amount per "
    "order sale sales sold revenue turnover profit loss margin income earning expense cost budget invoice bill billing "
    "payment paid unpaid receipt refund discount customer client user member subscriber vendor supplier employee staff "
    "colleague boss ceo cfo cto department company firm headcount salary payroll product item sku inventory warehouse "
    "shipment delivery server table column row record dataset spreadsheet sheet csv excel pdf xlsx file folder directory "
    "document report dashboard log logs ticket issue task project contract account balance transaction booking entry "
    "ledger kpi metric email mail inbox message phone address password login username ip url website attachment "
    "usage outage incident bug error exception failure deployment version result output spike decline decrease increase "
    "growth drop trend anomaly deviation store branch campaign quarter fiscal year month week shipping onboarding return approval checkout export import permission "
    "attendance occupancy utilization utilisation churn retention conversion throughput capacity absenteeism backlog pipeline quota target downtime "
    "auslastung belegung anwesenheit rueckstand quote kapazitaet ausfall abwanderung "
    "vacation holiday process workflow procedure subscription registration signup january february april june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday januar februar maerz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag "
    "sonntag versand retoure freigabe ferien urlaub prozess ablauf anmeldung registrierung berechtigung "
    "unser unsere unserer unserem unseren unseres mein meine meiner meinem meinen meines wir uns euer eure "
    "viel viele vielen wieviel wieviele meist meiste meisten beste bester bestes besten hoechste hoechster hoechsten "
    "niedrigste niedrigsten groesste groesster groesstes groessten kleinste kleinsten teuerste guenstigste schnellste "
    "aelteste maximal minimal durchschnitt durchschnittlich durchschnittliche gesamt summe anzahl betrag pro "
    "umsatz umsaetze gewinn gewinne verlust verluste ertrag ertraege aufwand aufwaende marge budget rechnung rechnungen "
    "zahlung mahnung bestellung auftrag auftraege verkauf verkaeufe absatz kunde nutzer benutzer mitglied lieferant "
    "mitarbeiter mitarbeiterin mitarbeitende kollege kollegin chef chefin geschaeftsfuehrer geschaeftsfuehrerin "
    "abteilung firma firmen unternehmen produkt artikel lager lagerbestand bestand bestaende lieferung server tabelle "
    "spalte zeile datensatz datensaetze datei ordner dokument bericht protokoll ticket projekt vertrag vertraege konto "
    "konten saldo salden buchung beleg kennzahl kosten lohn loehne gehalt gehaelter mail nachricht telefonnummer "
    "adresse passwort fehler stoerung ergebnis anhang filiale standort abweichung veraenderung rueckgang anstieg trend "
    "quartal jahr monat woche vorjahr geschaeftsjahr posten offene offenen offener"
)
POINTING = listed(
    "it its this that these those they them he she him above dies diese dieser diesem diesen dieses davon dazu damit "
    "darueber darin daraus dessen deren jene jener jenes"
)
LIVE_ZH = listed(
    "当前 目前 现在 今天 今日 今晚 昨天 昨日 明天 后天 前天 最近 近期 最新 实时 此刻 此时 刚刚 刚才 本周 本月 本季 本年 今年 去年 "
    "前年 明年 上周 上月 上个月 下周 下个月 天气 气温 新闻 头条 股价 股票 股市 行情 汇率 价格 金价 油价 房价 多少钱 售价 报价 状态 "
    "几点 日程 进度 动态 热点 在线 逾期 截止 即将 正在"
)
DATA_ZH = listed(
    "我们 我的 我司 咱们 咱 贵司 公司 集团 多少 几个 几条 几位 几次 几家 几天 最 订单 销售 销量 销路 营业额 营收 收入 利润 毛利 净利 成本 "
    "费用 预算 发票 账单 付款 收款 退款 折扣 客户 顾客 用户 会员 供应商 员工 职员 同事 经理 老板 总监 主管 部门 产品 商品 货品 库存 仓库 "
    "发货 物流 服务器 主机 数据表 表格 报表 表里 表中 字段 记录 文件 文档 报告 日志 工单 项目 合同 账户 账号 余额 交易 凭证 科目 指标 "
    "邮件 邮箱 电话 手机号 地址 密码 登录 报错 错误 异常 故障 结果 附件 平均 总共 总数 总和 总额 合计 数量 占比 比例 排名 前十 列出 查询 "
    "查一下 查查 查找 搜索 搜一下 检索 统计 显示 打开 读取 运行 执行 下载 上传 发送 导出 情况 原因 差异 变化 趋势 增长 下降 上升 下滑 代码 "
    "一月 二月 三月 四月 五月 六月 七月 八月 九月 十月 十一月 十二月 周一 周二 周三 周四 周五 周六 周日 星期 "
    "出勤 考勤 入住率 利用率 转化率 留存率 流失率 产能 业绩 快递 库存量 客流 "
    "季度 月份 年度 财年 门店 分店 工资 薪 人数 店铺 网站 网页 链接 版本"
)
POINTING_ZH = ("这", "那", "它", "他们", "她", "上面", "上述", "前面", "以上", "前者", "后者")


class DataVocabulary:
    """Finds words in a folded request: one dictionary access per word or character."""

    def __init__(self, groups: Iterable[tuple[str, Iterable[str]]]) -> None:
        """`groups` are rules with their words; a word belongs to the first rule that has it."""
        self._whole: dict[str, str] = {}
        self._stems: dict[str, str] = {}
        self._phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self._heads: dict[str, list[tuple[str, str]]] = {}
        for rule, words in groups:
            for word in words:
                self._add(word, rule)
        self._rule_of = lru_cache(maxsize=_KEPT)(self._rule)

    def _add(self, word: str, rule: str) -> None:
        if _IDEOGRAPH.search(word):
            self._heads.setdefault(word[0], []).append((word, rule))
            return
        first, *rest = parts = tuple(_spelled(word).split())
        if rest:
            self._phrases.setdefault(first, []).append((parts, rule))
        else:
            self._whole.setdefault(first, rule)
            self._stems.setdefault(noun_stem(first, last=True), rule)

    def find(self, text: str) -> list[tuple[str, int, int]]:
        """The words found, in their order: rule, start and end."""
        found = [*self._latin(text)]
        if not text.isascii():
            found += self._unspaced(text)
            found.sort(key=lambda one: one[1])
        return found

    def _latin(self, text: str) -> Iterator[tuple[str, int, int]]:
        rule_of = self._rule_of
        for match in _TOKEN.finditer(text):
            rule = rule_of(match.group())
            if rule is _MAY_GO_ON:
                yield from self._phrase(text, match.start())
            elif rule is not None:
                yield rule, *match.span()

    def _rule(self, written: str) -> str | None:
        token = written.translate(_UMLAUTS)
        rule = self._whole.get(token) or self._inflected(token)
        return _MAY_GO_ON if rule is None and token in self._phrases else rule

    def _inflected(self, token: str) -> str | None:
        if not token.isalpha():
            return "data"  # a year, a code, an id
        bare = noun_stem(token, last=True)
        rule = self._whole.get(bare) or self._stems.get(bare)
        if rule is None and _UMLAUT.search(bare):
            # Umsätze is the plural of Umsatz.
            single = _UMLAUT.sub(r"\1", bare)
            rule = self._whole.get(single) or self._stems.get(single)
        return rule

    def _phrase(self, text: str, start: int) -> Iterator[tuple[str, int, int]]:
        ahead = [match for _at, match in zip(range(_MOST_PHRASE), _TOKEN.finditer(text, start), strict=False)]
        said = tuple(match.group().translate(_UMLAUTS) for match in ahead)
        for parts, rule in self._phrases[said[0]]:
            if said[: len(parts)] == parts:
                yield rule, start, ahead[len(parts) - 1].end()
                return

    def _unspaced(self, text: str) -> Iterator[tuple[str, int, int]]:
        heads = self._heads
        for start, char in enumerate(text):
            for word, rule in heads.get(char, ()):
                if text.startswith(word, start):
                    yield rule, start, start + len(word)
                    break

    def in_compound(self, text: str) -> tuple[int, int] | None:
        """Where a word begins or ends a longer one, as Konto does in Kontoauszug."""
        for match in _TOKEN.finditer(text):
            token = match.group().translate(_UMLAUTS)
            sizes = range(_COMPOUND_PART, len(token) - 2)
            if any(token[:size] in self._whole or token[-size:] in self._whole for size in sizes):
                return match.span()
        return None


def _spelled(word: str) -> str:
    return folded(word).translate(_UMLAUTS)


# --- the words of the configured data

_TELLS_NOTHING = listed(
    "id ids uuid name names type types kind value values data number numbers no nr code codes label title text note "
    "description line row rows item key class group flag is has by with of the to from at on in and or per net new old "
    "is_active active first last start end created updated bezeichnung nummer typ art wert werte text zeile aktiv und "
    "oder mit von der die das reference referenz it"
)
_TELLS_NOTHING_ZH = frozenset({"名称", "标识", "类型", "编号", "说明", "备注", "值", "数据", "摘要", "启用"})
_PARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W_]+")


def data_words(catalog: Catalog) -> frozenset[str]:
    """Everything that the configured data is called, in all languages, folded; a phrase is one entry with blanks."""
    names = [name for entity in catalog.entities.values() for name in (entity.name, *entity.fields)]
    tables = [entity.table.name for entity in catalog.entities.values() if entity.table is not None]
    said = ontology_words(catalog.ontology) if catalog.ontology else frozenset[str]()
    return said | frozenset(_named([*names, *tables]))


def ontology_words(ontology: OntologyDescriptor) -> frozenset[str]:
    """What an ontology calls its entities, groups, fields and their values."""
    found: set[str] = set()
    for entity in ontology.entities:
        found.update(_named(filter(None, (entity.table, *(field.name for field in entity.fields)))))
        found.update(_named([entity.name] if entity.queryable else ()))
        found.update(_called(entity))
        for field in entity.fields:
            found.update(_called(field))
    return frozenset(found)


def _called(thing: Entity | EntityField) -> Iterator[str]:
    values = getattr(thing, "values", {})
    spoken = [*thing.label.values(), *(name for group in thing.synonyms.values() for name in group)]
    spoken += [name for by_lang in values.values() for names in by_lang.values() for name in names]
    for phrase in spoken:
        yield from _telling(phrase)


def _named(names: Iterable[str]) -> Iterator[str]:
    """A name in full, as its words, and each of them that tells something."""
    for name in names:
        yield from _telling(name)
        parts = [part for part in _PARTS.split(name) if part]
        yield from _telling(" ".join(parts))
        for part in parts:
            yield from _telling(part)


def _telling(phrase: str) -> Iterator[str]:
    if _IDEOGRAPH.search(phrase):
        word = folded(phrase).strip()
        if len(word) > 1 and word not in _TELLS_NOTHING_ZH:
            yield word
        return
    words = words_in(phrase)
    if 0 < len(words) <= _MOST_PHRASE and not (len(words) == 1 and _is_vague(words[0])):
        yield " ".join(words)


def _is_vague(word: str) -> bool:
    return word in _TELLS_NOTHING or len(word) < 3 or word.isdigit()


def shown(text: str, spans: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    """The words at these places as they stand in the request, each once, the first few."""
    return tuple(dict.fromkeys(text[start:end] for start, end in spans))[:_MOST_FOUND]


# --- what a rule found


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """A rule that takes in a request, and where the words stand that decided."""

    rule: str
    spans: tuple[tuple[int, int], ...]
    expression: str | None = None
