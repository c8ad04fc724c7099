"""What the guard looks for and what it lets pass; each of its words can be changed in one YAML file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError

from veracity.errors import UsageError
from veracity.language.number_words import words_in
from veracity.settings import Settings
from veracity.yaml_file import read_document

UNSPACED = 0x2E80
"""From this sign on, scripts are written without spaces."""
_LONGEST_TEXT = 200

NOUNS = words_in(
    "user customer client employee person member company supplier vendor contact product item name student patient partner "
    "tenant project store shop branch department team region city country category brand participant seller buyer "
    "organization organisation manager "
    "Benutzer Benutzerin Nutzer Nutzerin Anwender Kunde Kundin Klient Klientin Mitarbeiter Mitarbeiterin Person Mitglied Firma "
    "Unternehmen Lieferant Lieferantin Kontakt Produkt Name Student Studentin Patient Patientin Partner Mieter Mieterin Projekt "
    "Filiale Abteilung Team Region Stadt Land Kategorie Marke Teilnehmer Teilnehmerin Verkäufer Verkäuferin "
    "用户 客户 顾客 员工 职员 人员 成员 会员 公司 企业 供应商 联系人 产品 商品 项目 学生 患者 门店 店铺 部门 团队 地区 区域 城市 类别 品牌 "
    "名称 姓名 经理"
)
"""What things are called: with nothing but a number behind it, such a word is no name."""

STOCK_NAMES = (
    "Alice", "Bob", "Charlie", "John Doe", "Jane Doe", "John Smith", "Jane Smith", "Joe Bloggs", "Foo", "Foobar", "Foo Bar",
    "Acme", "Acme Corp", "Acme Inc", "ACME Corporation", "Example Inc", "Example Corp", "Example Company", "Test User", "Sample User",
    "Lorem ipsum", "123 Main Street", "123 Main St", "Anytown", "Max Mustermann", "Maria Mustermann", "Erika Mustermann", "Mustermann",
    "Musterfrau", "Hans Muster", "Muster AG", "Muster GmbH", "Musterfirma", "Beispiel AG", "Beispiel GmbH", "Beispielfirma",
    "Musterstrasse", "Musterstraße", "Musterstadt", "Musterhausen",
    "张三", "李四", "王五", "赵六", "小明", "小红", "某某", "某公司", "示例公司", "测试用户", "示例用户",
)  # fmt: skip
"""Names that stand for no one, in texts about nothing."""

REQUIRED_TOOLS: dict[str, tuple[str, ...]] = {
    "file": ("inspect_file", "analyze_dataframe"),
    "sql": ("query | execute_sql_safe",),
}
"""Kind of source -> the tools that an answer about it needs, all of them; `|` stands between alternatives."""

RULES = (
    "required_tools", "failed_tool", "placeholder", "nothing", "wrong_count", "incomplete_list", "unbound_figure",
    "ambiguous_figure", "unbound_name", "contradicted", "not_checkable", "expression", "no_answer", "internal_error",
)  # fmt: skip


def _as_tuple(value: Any) -> Any:
    return (value,) if isinstance(value, str) else () if value is None else value


def _one_line(text: str) -> str:
    if not text.strip() or len(text) > _LONGEST_TEXT or "\n" in text:
        raise ValueError(f"a text of 1 to {_LONGEST_TEXT} characters on one line is needed")
    return text.strip()


def _with_a_word(text: str) -> str:
    if not text.replace("*", "").strip(" -_#."):
        raise ValueError("a pattern needs a word beside its *; it would match everything")
    return text


def _known_rule(name: str) -> str:
    if name not in RULES or name == "internal_error":
        raise ValueError(f"there is no rule {name!r} to warn about; there are {', '.join(RULES[:-1])}")
    return name


OneLine = Annotated[str, BeforeValidator(lambda v: str(v) if isinstance(v, int) else v), AfterValidator(_one_line)]
Texts = Annotated[tuple[OneLine, ...], BeforeValidator(_as_tuple)]
Patterns = Annotated[tuple[Annotated[OneLine, AfterValidator(_with_a_word)], ...], BeforeValidator(_as_tuple)]


class GuardConfig(BaseModel):
    """Patterns, whitelist and strictness; `load_guard` reads it from YAML."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: Literal["strict", "lenient"] = "strict"
    """strict: a figure that could belong to several cells blocks. lenient: it warns."""
    whitelist: Patterns = ()
    """Texts that are never held against an answer; `*` stands for one word or number: `Store *`."""
    known_names: Texts = ()
    """Names that may be said without a result, such as that of one's own company."""
    aliases: dict[OneLine, Texts] = {}
    """A value of the data -> what people call it."""
    constants: dict[str, Decimal] = {}
    """Figures that may be said without a result, by name."""
    nouns: Texts = ()
    """More words that are no name with a number behind them."""
    stock_names: Texts = ()
    """More names that stand for no one."""
    patterns: Patterns = ()
    """More placeholders; `*` stands for one word or number."""
    defaults: bool = True
    """Whether the shipped nouns and stock names count, too."""
    required_tools: dict[str, Texts] = {}
    """Kind of source -> the tools that it needs, in place of the shipped ones; `a | b` is either."""
    warn: Annotated[tuple[Annotated[str, AfterValidator(_known_rule)], ...], BeforeValidator(_as_tuple)] = ()
    """Rules whose findings are reported but do not block."""

    @property
    def all_nouns(self) -> tuple[str, ...]:
        """The shipped nouns and one's own."""
        return (*NOUNS, *self.nouns) if self.defaults else self.nouns

    @property
    def noun_pattern(self) -> re.Pattern[str]:
        """One of the nouns, in the singular or the plural."""
        return _noun_pattern(self.all_nouns)

    @property
    def all_stock_names(self) -> tuple[str, ...]:
        """The shipped stock names and one's own."""
        return (*STOCK_NAMES, *self.stock_names) if self.defaults else self.stock_names

    def tools_for(self, kind: str | None) -> tuple[frozenset[str], ...]:
        """The tools that a kind of source needs: one of each set. None are needed by name for other kinds."""
        needed: Mapping[str, tuple[str, ...]] = {**REQUIRED_TOOLS, **self.required_tools}
        entries = needed.get((kind or "").strip().lower(), ())
        return tuple(frozenset(name.strip() for name in entry.split("|")) for entry in entries)

    def lets_pass(self, text: str) -> bool:
        """Whether the whitelist holds a text."""
        return bool(self.whitelist) and _matcher(self.whitelist).fullmatch(text.strip()) is not None

    def let_pass_in(self, text: str) -> list[tuple[int, int]]:
        """Where the whitelist holds what a text says."""
        return [match.span() for match in _matcher(self.whitelist).finditer(text)] if self.whitelist else []


def pattern_of(entry: str) -> str:
    """A text with `*` as a regular expression, of a bounded length for each `*`."""
    return r"[\w.-]{1,40}".join(re.escape(part).replace(r"\ ", r"\s{1,3}") for part in entry.split("*"))


@lru_cache(maxsize=64)
def _matcher(entries: tuple[str, ...]) -> re.Pattern[str]:
    """Any of the entries, the longest first; letters and digits around it would make it another word."""
    either = "|".join(pattern_of(entry) for entry in sorted(entries, key=len, reverse=True))
    return re.compile(rf"(?<![A-Za-z0-9_])(?:{either})(?![A-Za-z0-9_])", re.IGNORECASE)


@lru_cache(maxsize=64)
def _noun_pattern(nouns: tuple[str, ...]) -> re.Pattern[str]:
    ordered = sorted(set(nouns), key=len, reverse=True)
    latin = dict.fromkeys(noun.casefold() for noun in ordered if ord(noun[0]) < UNSPACED)
    stems = (re.escape(noun[:-1]) + "(?:y|ies)" if noun.endswith("y") else re.escape(noun) for noun in latin)
    plural = rf"(?<![\w-])(?:{'|'.join(stems) or '(?!)'})(?:s|es|e|en|n|nen|ern)?(?![\w])"
    other = "|".join(re.escape(noun) for noun in ordered if ord(noun[0]) >= UNSPACED)
    return re.compile(rf"{plural}|{other or '(?!)'}", re.IGNORECASE)


# --- the file


def guard_for(path: str | Path | None, settings: Settings | None = None) -> GuardConfig:
    """The config of this file, else of `guard.yaml` in the data folder, else the shipped one."""
    if path is not None:
        return load_guard(path)
    own = guard_file(settings)
    return load_guard(own) if own.exists() else GuardConfig()


def guard_file(settings: Settings | None = None) -> Path:
    """Where a config is found without being named."""
    return (settings or Settings.from_env()).home / "guard.yaml"


def load_guard(path: str | Path) -> GuardConfig:
    """A guard file; raises `UsageError` with file, line and reason."""
    data = read_document(path, UsageError, "a guard file").data
    if not isinstance(data, dict | None):
        raise UsageError(f"{path} is not a guard file: it needs names such as whitelist: at the top.")
    try:
        return GuardConfig.model_validate(data or {})
    except ValidationError as error:
        raise UsageError(f"{path}: {_problem(error)}.") from None


def _problem(error: ValidationError) -> str:
    from veracity.language.nearest import did_you_mean

    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"there is no setting {where!r}{did_you_mean(where, GuardConfig.model_fields)}".rstrip(".?")
    message = first["msg"].removeprefix("Value error, ").rstrip(".")
    return f"{where}: {message[0].lower()}{message[1:]}"
