"""The models of the quality gate: what an output has to be, what is known of its skill, and what was found."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from veracity.contracts import clip
from veracity.language.locale import LANGUAGES
from veracity.quality.phrases import IDEOGRAPH, folded

_LONGEST_PHRASE = 200
_MOST_PHRASES = 500
PATH_FORM = r"^[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*$"
"""How a function is named: `package.module:function`."""


def _phrases(value: Any) -> Any:
    return (value,) if isinstance(value, str) else () if value is None else value


def _phrase(text: str) -> str:
    if len(text) > _LONGEST_PHRASE or not folded(text).strip():
        raise ValueError(f"a word or phrase of 1 to {_LONGEST_PHRASE} characters is needed")
    return text.strip()


Phrases = Annotated[
    tuple[Annotated[str, AfterValidator(_phrase)], ...], BeforeValidator(_phrases), Field(max_length=_MOST_PHRASES)
]
"""Words and phrases; one alone may be written without a list."""


def _by_language(value: Any) -> Any:
    """A plain list by language: what has ideographs is Chinese, anything else may be German or English."""
    if value is None:
        return {}
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple):
        return value
    sorted_out: dict[str, list[Any]] = {}
    for one in value:
        for lang in ("zh",) if isinstance(one, str) and IDEOGRAPH.search(one) else ("de", "en"):
            sorted_out.setdefault(lang, []).append(one)
    return sorted_out


def _known_languages(keywords: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    if other := [lang for lang in keywords if lang not in LANGUAGES]:
        raise ValueError(f"there is no language {clip(other[0], 20)!r}; there are {', '.join(LANGUAGES)}")
    return keywords


Keywords = Annotated[dict[str, Phrases], BeforeValidator(_by_language), AfterValidator(_known_languages)]
"""Words and phrases by language; a plain list is sorted by its script."""


class ValidatorRule(BaseModel):
    """A check of one's own: a function `(output, skill_context)` that says what is wrong."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Annotated[str, StringConstraints(max_length=300, pattern=PATH_FORM)]
    """Where the function is: `package.module:function`."""
    mode: Literal["strict", "lenient"] = "lenient"
    """strict: what it finds, and a validator that does not work, fail the output. lenient: they warn."""
    seconds: float = Field(default=5.0, gt=0, le=600)
    """How long it may take."""


class QualityRules(BaseModel):
    """What an output has to be."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    required_fields: Annotated[tuple[str, ...], BeforeValidator(_phrases)] = ()
    """Fields of a structured output that must be there and say something."""
    min_length: int = Field(default=1, ge=0, le=10_000_000)
    """Characters that the text has at least."""
    max_length: int = Field(default=100_000, ge=1, le=10_000_000)
    """Characters that the text has at most."""
    forbidden: Phrases = ()
    """Words or phrases that must not occur: whole words in Latin scripts, whatever their case; anywhere in Chinese."""
    language: Literal["input", "translated", "de", "en", "zh"] | None = None
    """The language of the text; `input`: that of the input; `translated`: the one that the input asks for, otherwise another
    one than its own. None: any."""
    min_statements: int = Field(default=1, ge=0, le=1_000)
    """Sentences and lines of a text that say something; courtesies, apologies, placeholders and bare labels do not."""
    courtesy: bool = False
    """Whether courtesies alone are an output: for small talk."""
    figure: Literal["asked"] | None = None
    """`asked`: a question for a figure is answered with one, or with the statement that there is none."""
    gaps: Phrases = ()
    """Placeholders that may stay, as they are written: `[to be agreed]`."""
    skill_match: bool = True
    """Whether the text has to read like the skill it comes from."""
    validators: tuple[ValidatorRule, ...] = Field(default=(), max_length=20)
    """Checks of one's own."""
    mode: Literal["strict", "lenient"] = "strict"
    """What becomes of an output that fails after its repair: strict gives nothing, lenient gives it marked as failed."""
    because: str | None = Field(default=None, max_length=500)
    """Why it is lenient; for people."""

    @model_validator(mode="after")
    def _parts_fit(self) -> QualityRules:
        if self.mode == "lenient" and not (self.because or "").strip():
            raise ValueError("lenient gives out what fails; say why under because, or leave mode out")
        if self.min_length > self.max_length:
            raise ValueError(f"min_length {self.min_length} is more than max_length {self.max_length}")
        return self


class SkillContext(BaseModel):
    """What the gate knows of the skill that an output comes from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    skill: str
    keywords: Keywords = {}
    disambiguation_keywords: Keywords = {}
    others: dict[str, Keywords] = {}
    """The disambiguation keywords of the skills that it is confused with, by their names."""
    foreign: dict[str, Keywords] = {}
    """The keywords of other skills, by their names: an output that has several of one of them and none of its own is no output
    of this skill."""
    prompt: str = ""
    """What the model was told: an output does not repeat it."""
    output_schema: dict[str, Any] | None = None
    input: str = ""


class QualityFinding(BaseModel):
    """One thing that is wrong, in a sentence that says what to do."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    check: str
    severity: Literal["error", "warning"]
    message: str


class QualityResult(BaseModel):
    """Whether an output may go out, and everything that was found."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    passed: bool
    warnings: tuple[str, ...] = ()
    findings: tuple[QualityFinding, ...] = ()
    repaired: bool = False
    """Whether this is the second try, after the findings of the first."""
