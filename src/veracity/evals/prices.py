"""What a model's tokens cost, where its provider's prices are known."""

from __future__ import annotations

from veracity.evals.summary import Prices

_MILLION = 1_000_000


def known_prices(model: str) -> Prices | None:
    """The list prices of `openai:NAME` or `anthropic:NAME`; None for models that run elsewhere."""
    from genai_prices import Usage, calc_price

    provider, found, name = model.partition(":")
    if not found or provider not in ("openai", "anthropic"):
        return None
    try:
        into = calc_price(Usage(input_tokens=_MILLION), name, provider_id=provider).total_price
        out = calc_price(Usage(output_tokens=_MILLION), name, provider_id=provider).total_price
    except LookupError:
        return None
    return Prices(input=float(into), output=float(out), currency="USD")
