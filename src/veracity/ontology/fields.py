"""A column of an entity: what it is for, how it adds up, and what people call it and its values."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field

from veracity.language.locale import Text
from veracity.wire import Wire


class Upper(StrEnum):
    """An enum whose values may be written in any case."""

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        text = str(value).upper().replace("-", "_")
        return next((member for member in cls if member.value == text), None)


class FieldRole(Upper):
    """What a field is for. It decides what may be added up, and which literals are looked up."""

    IDENTIFIER = "IDENTIFIER"
    CODE = "CODE"
    NAME = "NAME"
    CATEGORY = "CATEGORY"
    FREE_TEXT = "FREE_TEXT"
    AMOUNT = "AMOUNT"
    QUANTITY = "QUANTITY"
    RATE = "RATE"
    DATE = "DATE"
    PERIOD = "PERIOD"
    CURRENCY = "CURRENCY"
    FLAG = "FLAG"


_FIGURES = (FieldRole.AMOUNT, FieldRole.QUANTITY, FieldRole.RATE)


class Additivity(Upper):
    """Whether values of a field may be added up: always, never, or only within one snapshot."""

    ADDITIVE = "ADDITIVE"
    SEMI_ADDITIVE = "SEMI_ADDITIVE"
    NON_ADDITIVE = "NON_ADDITIVE"


class Encoding(Upper):
    """How a date is stored in a column that is not of a date type."""

    UNIX_SECONDS = "UNIX_SECONDS"
    UNIX_MILLISECONDS = "UNIX_MILLISECONDS"


def _split_at_commas(value: Any) -> Any:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_split_at_commas)]
"""Names, as a list or as one string with commas."""


class Adjectives(Wire):
    """The adjectives of a field: `more` means large values (long, expensive), `less` small ones (short, cheap)."""

    more: Names = ()
    """Those that mean large values."""
    less: Names = ()
    """Those that mean small values."""


class EntityField(Wire):
    """A column of an entity."""

    name: str = Field(min_length=1)
    """The column, as the source calls it."""
    label: Text = {}
    """What people call it."""
    synonyms: dict[str, tuple[str, ...]] = {}
    """What else people call it, per language."""
    role: FieldRole | None = Field(default=None, alias="semanticType")
    """What it is for."""
    description: Text = {}
    """What a language model is told of it."""
    additivity: Additivity | None = None
    """Without a word, values are not added up."""
    averages: bool = False
    """Values that are not added up may be averaged all the same: prices, rates, ratings."""
    over: Names = ()
    """For a semi-additive field: the fields that must be the same in all rows that are added up."""
    unit: str | None = None
    """A fixed unit, such as `kg`."""
    unit_field: str | None = None
    """The column that holds the unit or currency of the row."""
    grain: Names = ()
    """The fields that identify what the value belongs to, where that is coarser than the entity's row (after a join).

    A column of a joined table is taken to repeat unless the view's grain comes from the same table; name the view's
    grain here when it does not (a join one to one)."""
    values: dict[str, dict[str, tuple[str, ...]]] = {}
    """What people call a stored value, per language: `customer` is Kunde, client, 客户."""
    moment: Literal["start", "end"] | None = None
    """For a value of a period's row: whether it is what stood at the period's start or at its end."""
    adjectives: dict[str, Adjectives] = {}
    """Per language, in their plain form: long, not longest."""
    categorical: bool | None = None
    """True: an equality literal must exist among the stored values. False: never checked. None: few values decide."""
    confirmed: bool = True
    """False: a guess. How it adds up and what it is for are not used until a person says so; what it is called is."""
    question: Text = {}
    """What a person is asked about it."""

    def without_guesses(self) -> Self:
        """The field as it may be used: a guess of what it is for adds nothing up. Its question stays, to be told."""
        if self.confirmed:
            return self
        adds = self.additivity if self.additivity is Additivity.NON_ADDITIVE else None
        role = None if self.role in _FIGURES else self.role
        plain: dict[str, Any] = {
            "additivity": adds,
            "over": (),
            "averages": False,
            "role": role,
            "confirmed": True,
        }
        return self.model_copy(update=plain)

    def value_called(self, word: str) -> str | None:
        """The stored value that people call so."""
        folded = word.casefold()
        called = (
            (value, name) for value, by_lang in self.values.items() for names in by_lang.values() for name in names
        )
        return next((value for value, name in called if name.casefold() == folded), None)
