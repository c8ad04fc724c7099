"""Names: legal forms of companies, words for currencies."""

from __future__ import annotations

from collections.abc import Sequence

from veracity.language.folding import listed

_LEGAL_FORMS = listed(
    "ag gmbh sa sarl sagl kg ohg ug ev eg se genossenschaft stiftung verein co cie compagnie holding ltd limited inc "
    "incorporated corp corporation company llc llp lp plc bv nv spa srl sas oy ab as aps mbh kgaa gbr egmbh"
)
_CHINESE_FORMS = ("股份有限公司", "有限责任公司", "有限公司", "公司")

CURRENCY_WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    "CHF": {
        "de": ("Franken", "Schweizer Franken", "Schweizerfranken", "Frankenbetrag", "SFr."),
        "en": ("Swiss franc", "Swiss francs", "francs"),
        "zh": ("瑞士法郎", "瑞郎"),
    },
    "EUR": {"de": ("Euro", "Euros"), "en": ("euro", "euros"), "zh": ("欧元",)},
    "USD": {
        "de": ("Dollar", "US-Dollar", "Dollars"),
        "en": ("dollar", "dollars", "US dollar", "US dollars"),
        "zh": ("美元", "美金"),
    },
    "GBP": {
        "de": ("Pfund", "britische Pfund"),
        "en": ("pound sterling", "British pounds", "sterling"),
        "zh": ("英镑",),
    },
    "JPY": {"de": ("Yen",), "en": ("yen", "Japanese yen"), "zh": ("日元",)},
    "CNY": {"de": ("Yuan", "Renminbi"), "en": ("yuan", "renminbi"), "zh": ("人民币",)},
    "HKD": {"de": ("Hongkong-Dollar",), "en": ("Hong Kong dollars",), "zh": ("港币", "港元")},
}
"""What people call a currency, by its code and their language."""
CURRENCIES = {
    "fr": "CHF", "sfr": "CHF", "€": "EUR", "$": "USD", "£": "GBP", "rmb": "CNY", "¥": "JPY", "dkk": "DKK", "sek": "SEK", "nok": "NOK",
    "cad": "CAD", "aud": "AUD",
} | {
    word.casefold(): code
    for code, by_lang in CURRENCY_WORDS.items()
    for words in ((code,), *by_lang.values())
    for word in words
}  # fmt: skip
"""Codes, signs and words in small letters -> the code."""


def without_legal_form(words: Sequence[str]) -> Sequence[str]:
    """The folded words of a name without the legal form at its end."""
    end = len(words)
    while end > 1 and words[end - 1] in _LEGAL_FORMS:
        end -= 1
    tail = "".join(words[:end])
    for form in _CHINESE_FORMS:
        if tail.endswith(form) and end - len(form) > 1:
            return words[: end - len(form)]
    return words[:end]
