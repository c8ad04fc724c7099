"""Which encoding a text file is in: proved where it can be proved, otherwise judged by the words it gives, and said."""

from __future__ import annotations

import codecs
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from veracity.language.locale import printable
from veracity.sources.sentences import Unreadable

_CHUNK = 1 << 20
_SAMPLE = 1 << 18
_PLAUSIBLE = 0.9
_EXAMPLE = 40
_NO_CHANCE = 8
_NEITHER_LETTERS = "\N{RIGHT SINGLE QUOTATION MARK}\N{MIDDLE DOT}\N{NO-BREAK SPACE}\N{SOFT HYPHEN}"
_LETTERS = frozenset("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿŒœ")
_WORDS_OF_ONE_LETTER = frozenset("àÀèÈéÉóÓ")
_SYMBOLS = frozenset("€£¥§°±²³µ·½¼¾«»‹›„“”‘’‚–—…•©®™×÷¡¿ºª´¨‰¢†\N{NO-BREAK SPACE}\N{SOFT HYPHEN}")
_FOREIGN_RUN = re.compile(r"[^\x00-\x7f]+")
_INSIDE_A_WORD = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f]+(?=[A-Za-z])")
_KANA = re.compile(r"[\u3041-\u30ff]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_EAST_ASIAN_SIGNS = re.compile(r"[\u3000-\u303f\uff01-\uff60\uffe0-\uffe6\u2010-\u2027\u2030-\u203b·×÷°±§¥￥]")


@dataclass(frozen=True, slots=True)
class TextEncoding:
    """An encoding as people call it, the codec that reads it, and what has to be said about it."""

    name: str
    codec: str
    note: str | None = None

    @property
    def is_utf8(self) -> bool:
        """Whether an engine can read the file as it is."""
        return self.codec in ("utf-8", "utf-8-sig")


def detect(file: Path) -> TextEncoding:
    """The encoding of a file: its byte order mark, strict UTF-8, or the one candidate that gives plausible words."""
    with file.open("rb") as stream:
        head = stream.read(4)
    if head in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE):
        raise Unreadable("encoding", file=file)
    for mark, name, codec in (
        (codecs.BOM_UTF8, "UTF-8 with a byte order mark", "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "UTF-16", "utf-16"),
        (codecs.BOM_UTF16_BE, "UTF-16", "utf-16"),
    ):
        if head.startswith(mark):
            _check(file, codec)
            return TextEncoding(name, codec)
    return TextEncoding("UTF-8", "utf-8") if _is_utf8(file) else _judged(file)


def transcoded(file: Path, encoding: TextEncoding, target: Path, *, one_line_end: bool = False) -> Path:
    """A copy in UTF-8, made piece by piece; `one_line_end` makes every line end the same."""
    newline = None if one_line_end else ""
    try:
        with (
            file.open(encoding=encoding.codec, newline=newline) as source,
            target.open("w", encoding="utf-8", newline="") as copy,
        ):
            shutil.copyfileobj(source, copy, _CHUNK)
    except UnicodeError:
        raise Unreadable("encoding", file=file) from None
    return target


def _chunks(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk


def _is_utf8(file: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for chunk in _chunks(file):
            if b"\0" in chunk:
                raise Unreadable("encoding", file=file)
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _check(file: Path, codec: str) -> None:
    """Every piece of the file can be decoded, and none holds a NUL."""
    decoder = codecs.getincrementaldecoder(codec)()
    try:
        if any("\0" in decoder.decode(chunk) for chunk in _chunks(file)):
            raise Unreadable("encoding", file=file)
        decoder.decode(b"", final=True)
    except UnicodeError:
        raise Unreadable("encoding", file=file) from None


# --- no mark, not UTF-8: what the words look like


def _judged(file: Path) -> TextEncoding:
    sample = _foreign_lines(file)
    _refuse_broken_utf8(file, sample)
    found: list[tuple[float, str, str, str]] = []
    for name, codec, judge in _CANDIDATES:
        try:
            text = sample.decode(codec)
        except UnicodeError:
            continue
        share = judge(text)
        if share >= _PLAUSIBLE and (judge is _western or not _is_mixed(text)):
            found.append((share, name, codec, text))
    if not found:
        raise Unreadable("encoding", file=file)
    found.sort(key=lambda entry: -entry[0])  # stable: where two are equal, the first candidate is taken
    _, name, codec, text = found[0]
    _check(file, codec)
    return TextEncoding(name, codec, _note(name, text, [entry[1] for entry in found[1:]]))


def _note(name: str, text: str, others: list[str]) -> str:
    word = _foreign_word(text)
    shown = f", which gives words such as {printable(word)!r}" if word else ""
    doubt = f"; it could also be {' or '.join(others)}" if others else ""
    return f"The file does not say its encoding and is not UTF-8: it was read as {name}{shown}{doubt}."


def _foreign_word(text: str) -> str:
    """The first word with a letter beyond ASCII, or as much of it as can be shown."""
    start = end = next((index for index, char in enumerate(text) if char > "\x7f" and char.isalpha()), len(text))
    while start and end - start < _EXAMPLE and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and end - start < _EXAMPLE and text[end].isalnum():
        end += 1
    return text[start:end]


def _lines(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        # A file without line ends must not be read whole: a "line" is cut where it grows too long.
        yield from iter(lambda: stream.readline(_CHUNK), b"")


def _foreign_lines(file: Path) -> bytes:
    """The lines with characters beyond ASCII, up to a limit."""
    kept, size = list[bytes](), 0
    for line in _lines(file):
        if not line.isascii():
            kept.append(line[:_SAMPLE])
            size += len(line)
        if size >= _SAMPLE:
            break
    return b"".join(kept)


def _refuse_broken_utf8(file: Path, sample: bytes) -> None:
    """A UTF-8 file with a few broken bytes must not be read as something else: every umlaut in it would turn into two."""
    foreign = [char for char in sample.decode("utf-8", "surrogateescape") if char > "\x7f"]
    broken = sum("\udc80" <= char <= "\udcff" for char in foreign)
    if broken and len(foreign) - broken > broken:
        number = next((n for n, line in enumerate(_lines(file), 1) if not _decodes(line)), 1)
        raise Unreadable("encoding_line", file=file, line=number)


def _decodes(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _western(text: str) -> float:
    """The share of characters beyond ASCII that stand where a western European language would put them."""
    places = [index for index, char in enumerate(text) if char > "\x7f"]
    fitting = sum(_fits(text, index) for index in places)
    return fitting / len(places) if places else 0.0


def _fits(text: str, index: int) -> bool:
    before, char, after = text[index - 1 : index], text[index], text[index + 1 : index + 2]
    if char in _LETTERS:
        alone = not before.isalpha() and not after.isalpha()
        # Müller is a word; MÃ¼ller is what a wrong encoding makes of it.
        broken_case = before.islower() and char.isupper()
        crowded = before in _LETTERS and after in _LETTERS
        return not broken_case and not crowded and (not alone or char in _WORDS_OF_ONE_LETTER)
    if char in _SYMBOLS:
        inside = before.isalpha() and after.isalpha()
        crowded = any(other > "\x7f" and other not in _LETTERS for other in (before, after) if other != "\xa0")
        return char in _NEITHER_LETTERS or not (inside or crowded)
    return False


def _is_mixed(text: str) -> bool:
    """Whether East Asian characters stand inside Latin words, where nobody writes them."""
    return 10 * len(_INSIDE_A_WORD.findall(text)) > len(_FOREIGN_RUN.findall(text))


def _chinese(text: str) -> float:
    """The share of characters beyond ASCII that are common in simplified Chinese."""
    foreign = "".join(char for char in text if char > "\x7f")
    han = "".join(_HAN.findall(foreign))
    if not han:
        return 0.0
    # The first 40 rows of the national standard hold the common characters, the rest are rare.
    pairs = han.encode("gb2312", "ignore")
    common = sum(0xB0 <= lead <= 0xD7 for lead in pairs[::2])
    signs = len(_EAST_ASIAN_SIGNS.findall(foreign))
    usual = common / len(han) >= 0.8
    return (len(pairs) // 2 + signs) / len(foreign) if usual else 0.0


def _japanese(text: str) -> float:
    """The share of characters beyond ASCII that are kana, common kanji or Japanese signs."""
    foreign = "".join(char for char in text if char > "\x7f")
    kana, han = len(_KANA.findall(foreign)), "".join(_HAN.findall(foreign))
    if not kana and not han:
        return 0.0
    pairs = han.encode("shift_jis", "ignore")
    common = sum(0x88 <= lead <= 0x98 for lead in pairs[::2])
    signs = len(_EAST_ASIAN_SIGNS.findall(foreign))
    usual = kana >= 0.2 * len(foreign) or common >= 0.8 * len(han)
    return (kana + len(pairs) // 2 + signs) / len(foreign) if usual else 0.0


def _korean(text: str) -> float:
    """The share of characters beyond ASCII that are Korean syllables."""
    foreign = [char for char in text if char > "\x7f"]
    syllables = sum("\uac00" <= char <= "\ud7a3" for char in foreign)
    # A few Chinese characters may look Korean by chance; many different ones do not.
    return syllables / len(foreign) if len(set(foreign)) >= _NO_CHANCE else 0.0


_CANDIDATES: tuple[tuple[str, str, Callable[[str], float]], ...] = (
    ("Windows-1252", "cp1252", _western),
    ("EUC-KR", "euc_kr", _korean),
    ("GB18030", "gb18030", _chinese),
    ("Shift-JIS", "cp932", _japanese),
)
