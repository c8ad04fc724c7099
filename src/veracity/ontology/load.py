"""YAML -> `OntologyDescriptor`, with the line of whatever is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from veracity.errors import OntologyError
from veracity.ontology.descriptor import OntologyDescriptor

_MAX_BYTES = 10_000_000


def load_ontology(path: str | Path) -> OntologyDescriptor:
    """An ontology file; raises `OntologyError` with file, line and reason."""
    import yaml

    text = _read(Path(path))
    try:
        tree = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise OntologyError(f"{path}, line {line}: not valid YAML: {error.problem}.") from None
    except (yaml.YAMLError, ValueError):
        raise OntologyError(
            f"{path} is not valid YAML: it holds characters or values that YAML does not allow."
        ) from None
    except RecursionError:
        raise OntologyError(f"{path} is nested too deeply for an ontology.") from None
    if not isinstance(data, dict):
        raise OntologyError(f"{path} is not an ontology: it needs featureCode and entities at the top.")
    try:
        return OntologyDescriptor.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the ontology"
        message = first["msg"].removeprefix("Value error, ").rstrip(".")
        raise OntologyError(
            f"{path}, line {_line(tree, first['loc'])}: {where}: {message[0].lower()}{message[1:]}."
        ) from None


def _read(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            raw = stream.read(_MAX_BYTES + 1)
        if len(raw) > _MAX_BYTES:
            raise OntologyError(f"{path} has more than {_MAX_BYTES // 1_000_000} MB; an ontology is a few pages.")
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise OntologyError(f"{path} is not encoded in UTF-8; save it as UTF-8 and try again.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "there can be no such file"
        raise OntologyError(f"{path} cannot be read: {reason.lower()}.") from None


def _line(node: object, path: Sequence[int | str]) -> int:
    """The line of the node nearest to where a pydantic error points."""
    import yaml

    for part in path:
        found: object = None
        if isinstance(node, yaml.MappingNode):
            found = next((value for key, value in node.value if key.value == part), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            found = node.value[part]
        if found is None:
            break
        node = found
    return node.start_mark.line + 1 if isinstance(node, yaml.Node) else 1
