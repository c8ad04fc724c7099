"""The models of a skill file."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from veracity.contracts import ToolKind
from veracity.language.folding import folded_text
from veracity.language.locale import LANGUAGES, Text
from veracity.language.nearest import did_you_mean
from veracity.quality import Keywords, QualityRules, schema_problems
from veracity.quality.rules import PATH_FORM

StrategyName = Literal["direct", "react", "reflexion", "rewoo", "goal_driven"]

TOOL_KINDS: dict[str, ToolKind] = {
    "browseTable": "table",
    "queryTable": "table",
    "aggregateTable": "table",
    "query": "sql",
    "execute_sql_safe": "sql",
    "inspect_file": "file",
    "analyze_dataframe": "file",
}
"""Every tool that a skill may name, and what it works on."""
RESERVED_PREFIXES = frozenset({"why", "new", "quit", "exit", "q"})
"""What `veracity chat` understands itself."""


def _described(text: dict[str, str]) -> dict[str, str]:
    if other := [lang for lang in text if lang not in LANGUAGES]:
        raise ValueError(f"there is no language {other[0][:20]!r}; there are {', '.join(LANGUAGES)}")
    if not text or not all(one.strip() for one in text.values()):
        raise ValueError("say in a sentence what the skill does")
    return {lang: " ".join(one.split()) for lang, one in text.items()}


def _prefix(text: str) -> str:
    return folded_text(text.removeprefix("/"))


def _is_free(prefix: str) -> str:
    if prefix in RESERVED_PREFIXES:
        raise ValueError(f"/{prefix} is a command of veracity chat; choose another prefix")
    return prefix


def _not_empty(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty; say what the model has to do")
    return text.strip()


def _of_one_kind(tools: tuple[str, ...]) -> tuple[str, ...]:
    for tool in tools:
        if tool not in TOOL_KINDS:
            near = did_you_mean(tool, TOOL_KINDS)
            known = f"; there are {', '.join(TOOL_KINDS)}" if near == "." else near
            raise ValueError(f"there is no tool {tool[:40]!r}{known}")
    kinds = {TOOL_KINDS[tool]: tool for tool in tools}
    if len(kinds) > 1:
        pair = " and ".join(f"{tool} ({kind})" for kind, tool in list(kinds.items())[:2])
        raise ValueError(f"tools of one kind are needed, not {pair}")
    if len(set(tools)) < len(tools):
        raise ValueError("a tool is named twice")
    return tools


def _usable(schema: dict[str, Any] | None) -> dict[str, Any] | None:
    problems = list(schema_problems(schema)) if schema is not None else []
    if problems:
        where = "".join(f"{part}: " for part in problems[0].where)
        # With all of them, so that a reader of files can tell their lines.
        raise PydanticCustomError(
            "unusable_schema", "{first}", {"first": f"{where}{problems[0].message}", "problems": problems}
        )
    return schema


SkillName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}\z")]
Prefix = Annotated[
    str,
    BeforeValidator(lambda value: _prefix(value) if isinstance(value, str) else value),
    StringConstraints(pattern=r"^\w[\w-]{0,31}\z"),
    AfterValidator(_is_free),
]


class Intent(BaseModel):
    """How one can tell what an output is about. Only the quality gate reads it: nothing is routed by keywords."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    keywords: Keywords = {}
    """Words of which a good output has at least one, by language; in a plain list, those with ideographs are Chinese."""
    disambiguation_keywords: Keywords = {}
    """Words that only an output of this skill has: found in the output of a skill it is confused with, they warn."""
    confusable_with: tuple[SkillName, ...] = ()
    """The skills whose outputs could be taken for one of this."""
    examples: tuple[str, ...] = ()
    """Requests that this skill is for."""


class SkillLimits(BaseModel):
    """How much a run may take."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rounds: int = Field(default=8, ge=1, le=100)
    """Requests to the model, tool rounds included."""
    seconds: float = Field(default=300, gt=0, le=86_400)
    """Time for the whole run."""
    tokens: int = Field(default=200_000, ge=1)
    """Tokens of all requests together."""
    revisions: int = Field(default=1, ge=1, le=3)
    """How often a draft is criticised and written anew; for reflexion."""
    goals: int = Field(default=4, ge=1, le=8)
    """Into how many parts a goal is split at most; for goal_driven."""
    timeout: float | None = Field(default=None, gt=0, le=86_400)
    """Seconds for one request to the model; None: what the provider is configured with."""
    max_tokens: int | None = Field(default=None, ge=1)
    """Tokens of one reply; None: what the model gives."""


class Skill(BaseModel):
    """One skill."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: SkillName
    """Small letters, digits and underscores; also its prefix: `/code_reviewer ...`."""
    description: Annotated[Text, AfterValidator(_described)]
    """What it does, per language or in English."""
    prefixes: Annotated[tuple[Prefix, ...], BeforeValidator(lambda v: (v,) if isinstance(v, str) else v)] = ()
    """Shorter words that call it: `sql` for `/sql ...`."""
    intent: Intent = Intent()
    strategy: StrategyName
    """direct: one request. react: tools as needed. reflexion: draft, critique, revision. rewoo: all calls planned, then
    made at once. goal_driven: split into parts, worked off, held against the goal."""
    tools: Annotated[tuple[str, ...], AfterValidator(_of_one_kind)] = ()
    """Tools on tables, SQL or files; of one kind."""
    prompt: Annotated[str, StringConstraints(max_length=20_000), AfterValidator(_not_empty)]
    """What the model is told, in English. The language of the answer, the input and the tables are added to it."""
    output_schema: Annotated[dict[str, Any] | None, AfterValidator(_usable)] = None
    """JSON Schema of an object: the output has these fields instead of being a text. Only without tools."""
    figures: Literal["bound", "input", "spoken", "free"] | None = None
    """bound: every figure is computed from results. input: figures must stand in the input. spoken: so, but small number
    words count what the output itself is about. free: any. None: bound with tools, input without."""
    engine: Annotated[str, StringConstraints(max_length=300, pattern=PATH_FORM)] | None = None
    """A function `(text, lang)` that does the task by itself, as `package.module:function`; it returns the output, or None where
    it cannot. Without a model its output is the answer; a model starts from it, and where the model fails, it stands."""
    quality: QualityRules = QualityRules()
    limits: SkillLimits = SkillLimits()

    @property
    def kind(self) -> ToolKind | None:
        """What its tools work on; None without tools."""
        return TOOL_KINDS[self.tools[0]] if self.tools else None

    @model_validator(mode="after")
    def _parts_fit(self) -> Skill:
        if self.output_schema is not None and self.tools:
            raise ValueError("output_schema is only for skills without tools; take one of them away")
        if self.engine is not None and self.tools:
            raise ValueError("engine is only for skills without tools; take one of them away")
        if self.figures == "bound" and not self.tools:
            raise ValueError(
                "figures: bound needs tools, which give the results to bind to; name tools, or write input"
            )
        if self.quality.required_fields and self.output_schema is None:
            raise ValueError("quality.required_fields needs an output_schema; without one the output is a text")
        if self.strategy == "direct" and self.tools:
            raise ValueError(
                "tools are never called by direct, which makes one request; take them away, or write react"
            )
        return self
