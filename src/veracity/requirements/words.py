"""The words that the rules look for, by list and language; `RuleSettings.words` adds to them and takes from them.

`~` after a German word stands for the endings of its adjective, `*` for any one word. Case, umlauts written as two letters
and ß as ss do not count. The longest phrase that fits is the one that is found.
"""

from __future__ import annotations

from veracity.requirements.contracts import Lang, WordListName


def _list(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(" ".join(word.split()) for word in text.split(",")))


WORDS: dict[WordListName, dict[Lang, tuple[str, ...]]] = {
    "vague": {
        "de": _list(
            "schnell~, rasch~, zügig~, langsam~, einfach~, leicht~, simpel~, intuitiv~, benutzerfreundlich~, nutzerfreundlich~, "
            "anwenderfreundlich~, bedienerfreundlich~, bedienbar~, komfortabel~, bequem~, effizient~, effektiv~, performant~, "
            "leistungsfähig~, flexibel~, robust~, zuverlässig~, verlässlich~, stabil~, skalierbar~, wartbar~, wartungsfreundlich~, "
            "erweiterbar~, portabel~, anpassbar~, modern~, zeitgemäß~, ansprechend~, attraktiv~, schön~, hübsch~, professionell~, "
            "übersichtlich~, klar~, verständlich~, selbsterklärend~, lesbar~, gut~, besser~, schlecht~, hochwertig~, optimal~, "
            "ideal~, bestmöglich~, angemessen~, geeignet~, passend~, ausreichend~, genügend~, hinreichend~, vernünftig~, "
            "akzeptabel~, zumutbar~, sinnvoll~, zweckmäßig~, sachgerecht~, ordnungsgemäß~, fachgerecht~, gewöhnlich~, häufig~, "
            "selten~, regelmäßig~, zeitnah~, baldig~, umgehend~, sofortig~, rechtzeitig~, kurzfristig~, langfristig~, erheblich~, "
            "wesentlich~, signifikant~, nützlich~, hilfreich~, diverse~, zahlreich~, umfangreich~, reibungslos~, nahtlos~, "
            "flüssig~, transparent~, barrierefrei~, responsiv~, hochverfügbar~, ressourcenschonend~, kostengünstig~, "
            "wirtschaftlich~, datensparsam~, sofort, unverzüglich, bald, etwa, ungefähr, circa, ca., nahezu, fast, "
            "ziemlich, sehr, weitgehend, weitestgehend, in Echtzeit, nahezu in Echtzeit, Stand der Technik, "
            "auf dem neuesten Stand, in der Regel, im Allgemeinen, normalerweise, üblicherweise, meist, meistens, oft, manchmal, "
            "gelegentlich, teilweise, grundsätzlich, prinzipiell, im Wesentlichen"
        ),
        "en": _list(
            "fast, quick, quickly, rapid, rapidly, slow, slowly, easy, easily, simple, simply, intuitive, intuitively, "
            "user-friendly, user friendly, friendly, convenient, conveniently, comfortable, efficient, efficiently, effective, "
            "effectively, flexible, flexibly, robust, robustly, reliable, reliably, scalable, maintainable, extensible, adaptable, "
            "modern, state-of-the-art, state of the art, attractive, appealing, beautiful, nice, clean, concise, legible, "
            "understandable, self-explanatory, familiar, seamless, seamlessly, smooth, smoothly, transparent, graceful, gracefully, "
            "responsive, lightweight, optimal, optimally, ideal, adequate, adequately, appropriate, appropriately, suitable, "
            "suitably, sufficient, sufficiently, reasonable, reasonably, acceptable, acceptably, satisfactory, proper, properly, "
            "good, better, bad, well, usual, usually, often, sometimes, occasionally, rarely, minimal, significant, significantly, "
            "considerable, useful, helpful, meaningful, timely, soon, immediately, promptly, instant, instantly, "
            "approximately, nearly, almost, roughly, enough, advanced, improved, enhanced, best-possible, sensitive, malicious, "
            "easy to use, easy to learn, easy to understand, a few, a lot of, real-time, real time, near real-time, "
            "on a regular basis, in a timely manner, look and feel, close to"
        ),
    },
    # Their sense hangs on the words around them: "a high load" is vague, "the high byte" is not. They weigh a third.
    "vague_context": {
        "de": _list(
            "bestimmt~, einige~, erforderlich~, exakt~, genau~, gering~, gewisse~, groß~, gängig~, hoch~, klein~, konfigurierbar~, "
            "korrekt~, kurz~, lang~, manche~, mehrere~, niedrig~, normal~, notwendig~, präzise~, relevant~, richtig~, sicher~, "
            "typisch~, unterschiedlich~, verschieden~, viele~, wenige~, wichtig~, üblich~"
        ),
        "en": _list(
            "accurate, accurately, big, certain, clear, clearly, common, commonly, configurable, correct, correctly, "
            "different, diverse, few, frequent, frequently, general, generally, high, high-quality, important, large, long, low, "
            "many, multiple, necessary, normal, normally, numerous, portable, precise, precisely, professional, prompt, readable, regular, "
            "regularly, relevant, safe, safely, secure, securely, several, short, small, some, specific, stable, typical, "
            "typically, various"
        ),
    },
    "escape": {
        "de": _list(
            "wenn möglich, falls möglich, soweit möglich, sofern möglich, nach Möglichkeit, möglichst, so weit wie möglich, "
            "so * wie möglich, bei Bedarf, falls nötig, wenn nötig, falls notwendig, wenn notwendig, wenn erforderlich, "
            "falls erforderlich, soweit erforderlich, soweit notwendig, soweit sinnvoll, wo sinnvoll, wenn sinnvoll, "
            "gegebenenfalls, ggf., ggfs., eventuell, evtl., unter Umständen, u. U., vorzugsweise, bevorzugt, idealerweise, "
            "optional, wünschenswert, nach Absprache, in Abstimmung mit, sofern zutreffend, falls zutreffend, je nach Bedarf, "
            "nach Bedarf"
        ),
        "en": _list(
            "if possible, where possible, as possible, as * as possible, if practicable, where practicable, as far as practicable, "
            "to the extent possible, to the extent practical, if necessary, where necessary, when necessary, as necessary, "
            "if needed, as needed, as required, if required, where applicable, if applicable, as applicable, as appropriate, "
            "if appropriate, where appropriate, when appropriate, as desired, preferably, ideally, optionally, possibly, "
            "probably, eventually, best effort, reasonable effort, within reason"
        ),
    },
    "open": {
        "de": _list(
            "etc., usw., und so weiter, u. a., unter anderem, z. B., zum Beispiel, beispielsweise, bspw., wie etwa, "
            "oder ähnliches, oder ähnliche, o. ä., und dergleichen, u. dgl., und/oder, bzw., beziehungsweise, insbesondere"
        ),
        "en": _list(
            "etc., and so on, and so forth, and/or, including but not limited to, but not limited to, such as, for example, e.g., eg, "
            "among others, or similar, or the like, and the like, at a minimum"
        ),
    },
    "placeholder": {
        "de": _list(
            "TBD, TBA, TBC, N/A, XX, XXX, t.b.d., TODO, noch zu klären, noch zu definieren, noch festzulegen, noch offen, "
            "wird noch festgelegt, wird noch definiert, werden noch festgelegt, werden noch definiert, zu definieren, folgt noch, n. n., unklar"
        ),
        "en": _list(
            "TBD, TBA, TBC, TBR, TBS, N/A, XX, XXX, t.b.d., TODO, to be determined, to be defined, to be decided, to be confirmed, "
            "to be specified, to be completed, not defined"
        ),
    },
    "comparative": {
        "de": _list(
            "mehr, weniger, schneller~, langsamer~, besser~, schlechter~, höher~, niedriger~, länger~, kürzer~, größer~, kleiner~, "
            "einfacher~, leichter~, früher~, später~, sicherer~, günstiger~, stärker~"
        ),
        "en": _list(
            "more, less, faster, slower, better, worse, higher, lower, longer, shorter, larger, smaller, greater, easier, simpler, "
            "earlier, later, safer, cheaper, stronger"
        ),
    },
    "superlative": {
        "de": _list(
            "best~, höchst~, niedrigst~, schnellst~, größt~, kleinst~, einfachst~, neuest~, neust~, maximal~, minimal~"
        ),
        "en": _list(
            "most, least, best, worst, highest, lowest, fastest, slowest, largest, smallest, greatest, easiest, simplest, longest, "
            "shortest, latest, maximum, minimum, optimum"
        ),
    },
    "absolute": {
        "de": _list(
            "all~, immer, jed~, jederzeit, stets, nie, niemals, vollständig~, komplett~, gänzlich, absolut~, ausnahmslos, "
            "unter allen Umständen, fehlerfrei~, jeglich~, sämtlich~, rund um die Uhr, 24/7, 100 Prozent, niemand, nichts"
        ),
        "en": _list(
            "all, always, every, everything, everyone, any, each, never, none, 100 percent, completely, fully, totally, entirely, "
            "absolutely, at all times, under all circumstances, error-free, bug-free, zero downtime, 24/7"
        ),
    },
    "pronoun": {
        "de": _list(
            "sie, ihn, ihm, ihnen, ihr~, seine, seiner, seines, seinen, seinem, dies~, jen~, solch~, dessen, deren, letztere, "
            "letzterer, letzteres, letzteren, erstere, ersterer, ersteres, ersteren, ander~"
        ),
        "en": _list(
            "it, its, they, them, their, this, these, those, he, she, him, his, her, itself, themselves, former, latter, another, "
            "others"
        ),
    },
    "weak_verb": {
        "de": _list(
            "unterstützen, unterstützt, verwalten, verwaltet, handhaben, handhabt, behandeln, behandelt, optimieren, optimiert, "
            "verbessern, verbessert, maximieren, maximiert, minimieren, minimiert, erleichtern, erleichtert, berücksichtigen, "
            "berücksichtigt, gewährleisten, gewährleistet, sicherstellen, sicherstellt, sichergestellt, ermöglichen, ermöglicht, "
            "in der Lage sein"
        ),
        "en": _list(
            "support, supports, supporting, handle, handles, process, processes, manage, manages, improve, improves, enhance, "
            "enhances, optimise, optimises, optimize, optimizes, maximise, maximises, maximize, maximizes, minimise, minimises, "
            "minimize, minimizes, facilitate, facilitates, deal with, deals with, take care of, takes care of, accommodate, "
            "accommodates, consider, considers, be able to, be capable of, provide the ability to, provide the capability to, "
            "provide the possibility to, provide the possibility of"
        ),
    },
    "binding_modal": {
        "de": _list("muss, müssen, ist verpflichtet, sind verpflichtet"),
        "en": _list("shall, must, is required to, are required to, has to, have to"),
    },
    "weak_modal": {
        "de": _list(
            "sollte, sollten, könnte, könnten, kann, können, darf, dürfen, dürfte, dürften, müsste, müssten, würde, würden"
        ),
        "en": _list("should, may, might, can, cannot, could, would, will, ought to"),
    },
}

NOT_A_QUALITY: dict[Lang, frozenset[str]] = {
    "de": frozenset(
        _list(
            "etwa, ungefähr, circa, ca., nahezu, fast, ziemlich, sehr, weitgehend, weitestgehend, in der Regel, im Allgemeinen, "
            "normalerweise, üblicherweise, meist, meistens, oft, manchmal, gelegentlich, teilweise, grundsätzlich, prinzipiell, "
            "im Wesentlichen, diverse~, zahlreich~, gewöhnlich~"
        )
    ),
    "en": frozenset(
        _list(
            "usual, usually, often, sometimes, occasionally, rarely, approximately, nearly, almost, roughly, enough, advanced, "
            "improved, enhanced, sensitive, malicious, a few, a lot of, close to"
        )
    ),
}
"""Vague words that say how often, how nearly or how many; a measure would not make them precise."""

STANDS_ALONE: dict[Lang, frozenset[str]] = {
    "de": frozenset(
        _list(
            "exakt~, genau~, gering~, groß~, hoch~, klein~, korrekt~, kurz~, lang~, niedrig~, präzise~, richtig~, sicher~"
        )
    ),
    "en": frozenset(
        _list(
            "accurate, big, clear, correct, high, high-quality, large, long, low, portable, precise, professional, readable, safe, "
            "secure, short, small, stable"
        )
    ),
}
"""Context words that are as vague as any other once they are all that is demanded: "muss sicher sein"."""

HARMLESS: dict[Lang, tuple[str, ...]] = {
    "de": _list("so lange, sehr wohl, kurz nach, kurz vor, lang anhaltend~"),
    "en": _list(
        "as well as, as well, as soon as, as long as, so long as, well known, in general, at large, in common, "
        "long term, short term, clear text, high level, low level, most recent, most recently, best practice, best practices"
    ),
}
"""Phrases in which a word of the lists means something else."""
