"""Names of companies and clubs: the legal form that ends them, and what they are called without it."""

from __future__ import annotations

import re

LEGAL_FORM = (
    r"(?:AG|GmbH(?: & Co\. KG)?|SA|S\.A\.|Sàrl|Sarl|SARL|KG|OHG|UG|SE|Ltd\.?|LLC|LLP|Inc\.?|Corp\.?|Corporation|PLC|plc|B\.?V\.|N\.?V\.|"
    r"S\.?p\.?A\.?|S\.?r\.?l\.|e\.V\.|Pty)"
)
CHINESE_LEGAL_FORM = "(?:有限责任公司|股份有限公司|有限公司|股份公司|集团公司)"
_SHORTEST = 2
_ENDS = re.compile(
    rf"(?:,? (?:{LEGAL_FORM}|Limited|Aktiengesellschaft|e\. V\.|Co\.)(?: \([\w .]+\))?|(?<=\w\w){CHINESE_LEGAL_FORM})$"
)


def without_legal_form(name: str) -> str:
    """What people call a company: Brightway Couriers for Brightway Couriers Ltd. Empty where no legal form ends the name."""
    short = _ENDS.sub("", name.strip())
    return short if short != name.strip() and len(short) >= _SHORTEST else ""
