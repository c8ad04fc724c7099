"""`veracity requirements`: requirements checked, improved, compared and validated, from the files that people keep them in.

Exit codes: 0 fine, 1 found wanting, 2 wrong usage or an unreadable file, 3 questions are open, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import typer

from veracity.cli.requirements import check, duplicates, improve, validate

app = typer.Typer(
    help="Check, improve, compare and validate requirements.", no_args_is_help=True, rich_markup_mode=None
)

app.command("check")(check.check)
app.command("suggest")(check.suggest)
app.command("duplicates")(duplicates.duplicates)
app.command("improve")(improve.improve)
app.command("validate")(validate.validate)
app.command("questions")(validate.questions)
app.command("answer")(validate.answer)
app.command("work")(validate.work)
app.command("show")(validate.show)
