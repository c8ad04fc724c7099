"""Words that matter are put into questions that are answered: the meaning must change, be asked back or be refused.

    python benchmarks/insertions.py geoquery [--data ../shared/data/questions] [--show]

Reports how many of the changed questions keep their meaning though a word was added. Exit code 1 where one does that is not known to repeat
what the question says anyway ("per each").
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from questions import arguments_of, opened

WORDS = ("not", "only", "second", "average", "per", "each", "without")
HARMLESS = (
    "per per",
    "per each",
    "each per",
    "each each",
    "not not",
    "average average",
    "without without",
    "second second",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Insert each word at each place of each question, and count."""
    parser = arguments_of(__doc__)
    parser.add_argument("--show", action="store_true", help="list the questions that keep their meaning")
    chosen = parser.parse_args(arguments)
    desk, questions = opened(chosen)
    tried, kept = 0, list[str]()
    for question in dict.fromkeys(asked.text for asked in questions):
        before = {query.canonical_json() for query in desk.read(question)[0]}
        if not before:
            continue
        words = question.split()
        for place in range(len(words) + 1):
            for word in WORDS:
                changed = " ".join([*words[:place], word, *words[place:]])
                tried += 1
                if {query.canonical_json() for query in desk.read(changed)[0]} == before:
                    kept.append(changed)
    odd = [text for text in kept if not any(twice in text for twice in HARMLESS)]
    print(f"{tried} insertions, {len(kept)} keep the meaning, {len(odd)} of them not by repeating a word")
    for text in odd if chosen.show else ():
        print(f"  {text}")
    return 1 if odd else 0


if __name__ == "__main__":
    sys.exit(main())
