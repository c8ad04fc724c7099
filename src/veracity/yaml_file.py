"""A YAML or JSON file that people write: read within limits, with the line of whatever is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from veracity.errors import VeracityError

if TYPE_CHECKING:
    import yaml

_MAX_BYTES = 10_000_000
_MAX_DEPTH = 300
_MAX_NODES = 1_000_000
"""Values in a file, those that aliases repeat included."""


@dataclass(frozen=True, slots=True)
class YamlFile:
    """What a file holds, and where each part of it stands."""

    path: Path
    data: Any
    tree: object
    error: type[VeracityError]

    def line(self, loc: Sequence[int | str]) -> int:
        """The line of the node nearest to where a pydantic error points."""
        import yaml

        node = self.tree
        for part in loc:
            found: object = None
            if isinstance(node, yaml.MappingNode):
                found = next((value for key, value in node.value if key.value == part), None)
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                found = node.value[part]
            if found is None:
                break
            node = found
        return node.start_mark.line + 1 if isinstance(node, yaml.Node) else 1

    def wrong(self, loc: Sequence[int | str], message: str, where: str | None = None) -> VeracityError:
        """The error to raise for a part of the file: file, line, what and why; `where` is what people call the part."""
        where = ".".join(str(part) for part in loc) if where is None else where
        message = message.removeprefix("Value error, ").rstrip(".?")
        message = f"{message[:1].lower()}{message[1:]}"
        return self.error(f"{self.path}, line {self.line(loc)}: {f'{where}: ' if where else ''}{message}.")

    def invalid(self, error: ValidationError) -> VeracityError:
        """The error to raise for what pydantic found first."""
        first = error.errors()[0]
        return self.wrong(first["loc"], first["msg"])


def read_document(path: str | Path, error: type[VeracityError], what: str) -> YamlFile:
    """A file as data (JSON is YAML, too); raises `error` with file, line and reason. `what` is what the file should be."""
    import yaml

    path = Path(path)
    text = _read(path, error, what)
    try:
        loader = _loader_for(text)
        tree = yaml.compose(text, Loader=loader)
        if _number_of_nodes(tree, {}) > _MAX_NODES:
            raise error(f"{path} repeats its parts through aliases until it is too large for {what}.")
        return YamlFile(path, yaml.load(text, Loader=loader), tree, error)  # noqa: S506 - safe
    except yaml.MarkedYAMLError as problem:
        line = problem.problem_mark.line + 1 if problem.problem_mark else 1
        raise error(f"{path}, line {line}: not valid YAML: {problem.problem}.") from None
    except (yaml.YAMLError, ValueError):
        raise error(f"{path} is not valid YAML: it holds characters or values that YAML does not allow.") from None
    except RecursionError:
        raise error(f"{path} is nested too deeply for {what}.") from None


def _loader_for(text: str) -> type[yaml.SafeLoader]:
    """The loader in C, ten times as fast, for what it reads without fault: it knows no depth that is too deep."""
    import yaml

    fast = _fast_loader()
    depth = 0
    try:
        for event in yaml.parse(text, Loader=fast):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > _MAX_DEPTH:
                    raise RecursionError
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
    except yaml.YAMLError:
        return yaml.SafeLoader  # which says what is wrong in more words
    return fast


def _number_of_nodes(node: object, known: dict[int, int]) -> int:
    """How many values a node has once every alias in it stands for what it repeats."""
    import yaml

    if not isinstance(node, yaml.CollectionNode):
        return 1
    if id(node) not in known:
        known[id(node)] = 1  # a node that holds itself is refused by whoever reads it
        inner = node.value if isinstance(node, yaml.SequenceNode) else [one for pair in node.value for one in pair]
        known[id(node)] = 1 + sum(_number_of_nodes(one, known) for one in inner)
    return known[id(node)]


def _fast_loader() -> type[yaml.SafeLoader]:
    import yaml

    # Not every platform has it.
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def packaged(path: Path) -> Any:
    """What a YAML file of this package holds; it is read once, when it is first needed."""
    import yaml

    return yaml.load(path.read_text(encoding="utf-8"), Loader=_fast_loader())  # noqa: S506 - safe


def read_bytes(path: Path, error: type[VeracityError], *, most: int, too_long: str, otherwise: str = "") -> bytes:
    """What a file holds, within a limit; raises `error` with the reason, and with what to do otherwise."""
    try:
        with path.open("rb") as stream:
            raw = stream.read(most + 1)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "there can be no such file"
        raise error(f"{path} cannot be read: {reason.lower()}{otherwise}.") from None
    if len(raw) > most:
        raise error(f"{path} has more than {most // 1_000_000} MB; {too_long}.")
    return raw


def _read(path: Path, error: type[VeracityError], what: str) -> str:
    raw = read_bytes(path, error, most=_MAX_BYTES, too_long=f"{what} is a few pages")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise error(f"{path} is not encoded in UTF-8; save it as UTF-8 and try again.") from None
