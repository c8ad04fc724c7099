"""Folders -> skills: shipped, a user's own, a project's own; with the file and line of whatever is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from veracity.contracts import clip
from veracity.errors import SkillError
from veracity.language.folding import folded_text
from veracity.language.nearest import nearest_values
from veracity.quality import SkillContext
from veracity.settings import Settings
from veracity.skills.config import Skill
from veracity.skills.problems import (
    Origin,
    SkillFile,
    by_name,
    problems_between,
    read_skill,
    validator_problems,
    warnings_between,
    warnings_in,
)
from veracity.yaml_file import YamlFile, read_document

SHIPPED = Path(__file__).parent / "library"
_ENDINGS = (".yaml", ".yml")
_MOST_BYTES = 1_000_000
_MOST_FILES = 1_000


@dataclass(frozen=True, slots=True)
class Loaded:
    """A skill, where it comes from, and the files of the same name that it stands in for."""

    skill: Skill
    path: Path
    origin: Origin
    overrides: tuple[Path, ...] = ()


class SkillLibrary(Mapping[str, Skill]):
    """Skills by name; a project's come before a user's, and those before the shipped ones."""

    def __init__(self, loaded: Iterable[Loaded]) -> None:
        self.loaded: Mapping[str, Loaded] = {one.skill.name: one for one in loaded}

    def __getitem__(self, name: str) -> Skill:
        return self.loaded[name].skill

    def __iter__(self) -> Iterator[str]:
        return iter(self.loaded)

    def __len__(self) -> int:
        return len(self.loaded)

    def prefixes(self) -> dict[str, str]:
        """What may stand behind a slash, folded -> the skill that it calls; every name is a prefix, too."""
        short = {folded_text(prefix): skill.name for skill in self.values() for prefix in skill.prefixes}
        return {**short, **{name: name for name in self}}

    def named(self, name: str) -> Skill:
        """The skill of a name or prefix; raises `SkillError` with the nearest ones."""
        prefixes = self.prefixes()
        short = folded_text(name.strip().removeprefix("/"))
        if short in prefixes:
            return self[prefixes[short]]
        # A prefix leads to its skill, and a skill is told once.
        near = list(dict.fromkeys(prefixes[one] for one in nearest_values(short, prefixes)))
        advice = f"did you mean {' or '.join(near)}?" if near else "'veracity skill list' shows what there is."
        raise SkillError(f"There is no skill {clip(name, 40)!r}; {advice}")

    def context(self, skill: Skill, input: str) -> SkillContext:  # noqa: A002  as SkillContext calls it
        """What the quality gate has to know of a run of this skill."""
        others = {
            name: self[name].intent.disambiguation_keywords for name in skill.intent.confusable_with if name in self
        }
        return SkillContext(
            skill=skill.name,
            keywords=skill.intent.keywords,
            disambiguation_keywords=skill.intent.disambiguation_keywords,
            others=others,
            foreign={
                name: other.intent.keywords
                for name, other in self.items()
                if name != skill.name and not other.tools and other.quality.skill_match
            },
            prompt=skill.prompt,
            output_schema=skill.output_schema,
            input=input,
        )


@dataclass(frozen=True, slots=True)
class SkillReport:
    """Every mistake, with file and line, and what is no mistake but may go wrong."""

    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    checked: int = 0


def load_library(settings: Settings | None = None, *, project: Path | None = None) -> SkillLibrary:
    """All skills there are; raises `SkillError` with file, line and reason for the first mistake."""
    shelf = _filled(settings, project)
    problem = next(iter((*shelf.problems, *problems_between(shelf.files))), None)
    if problem is not None:
        raise SkillError(problem)
    return shelf.library()


def check_skills(
    paths: Sequence[Path] | None = None, settings: Settings | None = None, *, project: Path | None = None
) -> SkillReport:
    """Every mistake of every skill there is, or of these files and folders as if a project had them."""
    shelf, named = _filled(settings, project), _Shelf()
    for path in paths or ():
        if path.is_dir():
            named.add_folder(path, "project", needed=True)
        else:
            named.add(path, "project")
    about = shelf if paths is None else named
    files, own = [*shelf.files, *named.files], {file.document.path for file in about.files}
    problems = [*about.problems, *problems_between(files, own)]
    warnings = [*warnings_in(about.files), *warnings_between(files, own)]
    for mode, problem in validator_problems(about.files):
        (problems if mode == "strict" else warnings).append(problem)
    return SkillReport(problems, warnings, about.read)


def _filled(settings: Settings | None, project: Path | None) -> _Shelf:
    """The files of all three folders."""
    shipped = _shipped()
    shelf = _Shelf([*shipped.files], [*shipped.problems], shipped.read)
    shelf.add_folder((settings or Settings.from_env()).home / "skills", "user")
    shelf.add_folder(project if project is not None else _project(), "project")
    return shelf


def _project() -> Path:
    try:
        here = Path.cwd()
    except OSError:
        # The folder that the program was started in is gone, and its skills with it.
        here = Path()
    return here / ".veracity" / "skills"


@lru_cache(maxsize=1)
def _shipped() -> _Shelf:
    """The shipped files, read once: they do not change while the program runs."""
    shelf = _Shelf()
    shelf.add_folder(SHIPPED, "shipped")
    return shelf


# --- files


@dataclass(slots=True)
class _Shelf:
    """The files of several folders, and what is wrong with them."""

    files: list[SkillFile] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    read: int = 0
    _here: dict[tuple[Path, str], SkillFile] = field(default_factory=dict)

    def add_folder(self, folder: Path, origin: Origin, *, needed: bool = False) -> None:
        """All skill files of a folder; one that is not there has none, unless it is needed."""
        try:
            paths = _skill_files(folder)
        except SkillError as error:
            self.problems.append(str(error))
            return
        if needed and not paths:
            self.problems.append(f"{folder} has no skill file; one ends in {' or '.join(_ENDINGS)}.")
        for path in paths:
            self.add(path, origin)

    def add(self, path: Path, origin: Origin) -> None:
        """One file, unless something is wrong with it or another one of its folder has its name."""
        self.read += 1
        try:
            document = _opened(path)
        except SkillError as error:
            self.problems.append(str(error))
            return
        skill, found = read_skill(document)
        self.problems += found
        if skill is None:
            return
        file = SkillFile(skill, document, origin)
        twin = self._here.setdefault((path.parent, file.skill.name), file)
        if twin is file:
            self.files.append(file)
        elif twin.document.path != path:
            other = twin.document.path.name
            message = f"{other} in the same folder has the name {file.skill.name}, too; rename one of them"
            self.problems.append(file.says(("name",), message))

    def library(self) -> SkillLibrary:
        """The last file of each name, in the order of the names."""
        return SkillLibrary(
            Loaded(
                same[-1].skill, same[-1].document.path, same[-1].origin, tuple(file.document.path for file in same[:-1])
            )
            for _name, same in sorted(by_name(self.files).items())
        )


def _skill_files(folder: Path) -> list[Path]:
    try:
        if not folder.exists():
            return []
        found = sorted(path for path in folder.iterdir() if path.suffix in _ENDINGS and not path.name.startswith("."))
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "there can be no such folder"
        raise SkillError(f"The skills in {folder} cannot be read: {reason.lower()}.") from None
    if len(found) > _MOST_FILES:
        raise SkillError(f"{folder} has {len(found)} skill files; at most {_MOST_FILES} can be loaded.")
    return found


def _opened(path: Path) -> YamlFile:
    try:
        size = path.stat().st_size
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "there can be no such file"
        raise SkillError(f"{path} cannot be read: {reason.lower()}.") from None
    if size > _MOST_BYTES:
        raise SkillError(f"{path} has more than {_MOST_BYTES // 1_000_000} MB; a skill file is a few pages.")
    document = read_document(path, SkillError, "a skill file")
    if document.data is None:
        raise SkillError(f"{path}, line 1: the file is empty; a skill needs name, description, strategy and prompt.")
    if not isinstance(document.data, dict):
        raise SkillError(f"{path}, line 1: not a skill: it needs name, description, strategy and prompt at the top.")
    return document
