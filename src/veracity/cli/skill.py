"""`veracity skill list | show | check`: what skills there are, what one does, and what is wrong with a skill file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veracity.cli.options import Json, Language, read_language

if TYPE_CHECKING:
    from veracity.skills.config import Skill
    from veracity.skills.load import Loaded

app = typer.Typer(help="Look at skills, and check your own.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_(lang: Language = "en", as_json: Json = False) -> None:
    """List the skills: the shipped ones, yours and those of the project."""
    from veracity.locale import language
    from veracity.skills.load import load_library

    code = language(read_language(lang))
    library = load_library()
    if as_json:
        typer.echo(json.dumps([_row(one, code) for one in library.loaded.values()], ensure_ascii=False))
    else:
        _show_list([_row(one, code) for one in library.loaded.values()])


@app.command("show")
def show(
    name: Annotated[str, typer.Argument(help="The name of a skill, or one of its prefixes.")],
    lang: Language = "en",
    as_json: Json = False,
) -> None:
    """Show one skill: what it does and how, its prompt, its quality rules, and where it comes from."""
    from veracity.locale import language
    from veracity.skills.load import load_library

    code = language(read_language(lang))
    library = load_library()
    found = library.loaded[library.named(name).name]
    if as_json:
        skill = found.skill.model_dump(mode="json")
        typer.echo(json.dumps({**skill, **_home(found)}, ensure_ascii=False))
    else:
        _show_skill(found, code)


@app.command("check")
def check(
    files: Annotated[
        list[str] | None, typer.Argument(help="Skill files or folders of them. Default: all skills there are.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check skill files. Exit codes: 0 nothing is wrong, there may be warnings; 1 something is."""
    from veracity.locale import printable
    from veracity.skills.load import check_skills

    report = check_skills([Path(file) for file in files] if files else None)
    if as_json:
        found = {"problems": report.problems, "warnings": report.warnings, "checked": report.checked}
        typer.echo(json.dumps(found, ensure_ascii=False))
    else:
        for problem in report.problems:
            typer.echo(printable(problem))
        for warning in report.warnings:
            typer.echo(printable(f"warning: {warning}"))
        counted = (_count(report.checked, "file"), _count(len(report.problems), "problem"))
        typer.echo(f"{counted[0]} checked: {counted[1]}, {_count(len(report.warnings), 'warning')}.")
    raise typer.Exit(1 if report.problems else 0)


def _count(number: int, thing: str) -> str:
    return f"{number or 'no'} {thing}{'' if number == 1 else 's'}"


def _row(one: Loaded, lang: str) -> dict[str, Any]:
    from veracity.locale import pick

    skill = one.skill
    prefixes = [f"/{prefix}" for prefix in (skill.name, *skill.prefixes)]
    return {
        "name": skill.name,
        "prefixes": prefixes,
        "strategy": skill.strategy,
        "description": pick(skill.description, lang),
        **_home(one),
    }


def _home(one: Loaded) -> dict[str, Any]:
    return {"origin": one.origin, "path": str(one.path), "overrides": [str(path) for path in one.overrides]}


def _show_list(rows: Sequence[Mapping[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from veracity.locale import printable

    console = Console()
    table = Table("skill", "prefixes", "strategy", "from", "what it does", box=None)
    for column in table.columns[:-1]:
        column.no_wrap = True
    for row in rows:
        short = " ".join(row["prefixes"][1:])
        cells = (row["name"], short, row["strategy"], row["origin"], row["description"])
        table.add_row(*(Text(printable(cell)) for cell in cells))
    for column in table.columns:
        column.overflow = "fold"
    console.print(table)


def _show_skill(one: Loaded, lang: str) -> None:
    from rich.console import Console
    from rich.text import Text

    from veracity.locale import pick, printable

    console, skill = Console(), one.skill
    console.print(Text(f"{skill.name}: {printable(pick(skill.description, lang))}", style="bold"), soft_wrap=True)
    lines = [*_facts(skill, lang), ("from", f"{one.origin}, {one.path}")]
    lines += [("in place of", str(path)) for path in one.overrides]
    width = max(len(label) for label, _value in lines)
    for label, value in lines:
        console.print(Text.assemble((f"{label:>{width}}  ", "dim"), printable(value)), soft_wrap=True)
    for title, text in (("prompt", skill.prompt), ("output", _schema(skill))):
        if text:
            console.print(Text(f"\n{title}", style="dim"))
            for line in text.splitlines():
                console.print(Text(f"  {printable(line)}"), soft_wrap=True)


def _facts(skill: Skill, lang: str) -> Iterator[tuple[str, str]]:
    """What is said of a skill in one line each; what it does not have is left out."""
    intent = skill.intent
    yield "strategy", skill.strategy
    for label, values in (
        ("tools", skill.tools),
        ("called by", [f"/{prefix}" for prefix in (skill.name, *skill.prefixes)]),
        ("keywords", intent.keywords.get(lang, ())),
        ("only its own", intent.disambiguation_keywords.get(lang, ())),
        ("confusable with", intent.confusable_with),
    ):
        if values:
            yield label, ", ".join(values)
    for example in intent.examples:
        yield "example", example
    yield "figures", skill.figures or ("bound" if skill.tools else "input")
    yield "quality", _settings(skill.quality.model_dump(mode="json"))
    yield "limits", _settings(skill.limits.model_dump(mode="json"))


def _settings(values: Mapping[str, Any]) -> str:
    shown = {key: value for key, value in values.items() if value not in (None, [], ())}
    return ", ".join(f"{key} {json.dumps(value, ensure_ascii=False)}" for key, value in shown.items())


def _schema(skill: Skill) -> str:
    if skill.output_schema is None:
        return ""
    import yaml

    return yaml.safe_dump(
        skill.output_schema, allow_unicode=True, sort_keys=False, default_flow_style=None, width=110
    ).rstrip()
