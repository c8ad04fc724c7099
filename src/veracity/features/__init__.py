"""The features that ship. Add yours to `FEATURES`; nothing else knows their names."""

from __future__ import annotations

from collections.abc import Callable

from veracity.errors import UsageError
from veracity.features.feature import Feature


def _trustee() -> Feature:
    from veracity.features.trustee import TRUSTEE

    return TRUSTEE


def _realestate() -> Feature:
    from veracity.features.realestate import REALESTATE

    return REALESTATE


def _shop() -> Feature:
    from veracity.features.shop import SHOP

    return SHOP


FEATURES: dict[str, Callable[[], Feature]] = {"trustee": _trustee, "realestate": _realestate, "shop": _shop}


def get_feature(code: str) -> Feature:
    """The feature of that name."""
    if code not in FEATURES:
        raise UsageError(f"There is no feature {code!r}; there are {', '.join(FEATURES)}.")
    return FEATURES[code]()
