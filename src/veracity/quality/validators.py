"""Validators: checks of one's own, by import path. One that does not work is a finding, never a pass."""

from __future__ import annotations

import asyncio
import contextvars
import copy
import importlib
import inspect
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar, cast

from veracity.contracts import clip
from veracity.quality.rules import SkillContext, ValidatorRule


def import_validator(path: str) -> Callable[..., Any]:
    """The function of a path; raises whatever its module raises."""
    module, _, name = path.partition(":")
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{name} is not a function")
    return cast(Callable[..., Any], found)


def validator_problem(rule: ValidatorRule) -> str | None:
    """Why a validator cannot be imported within its time; None when it can."""
    try:
        started(lambda: import_validator(rule.path)).result(timeout=rule.seconds)
    except TimeoutError:
        return f"The validator {rule.path} cannot be imported within {rule.seconds:g} s; mend its module"
    except BaseException as error:  # noqa: BLE001  whatever a module of others raises is its problem
        return _not_imported(rule, error)
    return None


Output = str | Mapping[str, Any]


async def validator_messages(rule: ValidatorRule, output: Output, context: SkillContext | None) -> list[str]:
    """What a validator says, or why it says nothing that counts."""
    try:
        return await within(rule.seconds, lambda: _ask_validator(rule, output, context))
    except TimeoutError:
        late = f"did not end within {rule.seconds:g} s; make it faster or give it more time"
        return [f"The validator {rule.path} {late}."]


def _ask_validator(rule: ValidatorRule, output: Output, context: SkillContext | None) -> list[str]:
    try:
        function = import_validator(rule.path)
    except BaseException as error:  # noqa: BLE001  recorded: it is what the finding says
        return [f"{_not_imported(rule, error)}."]
    try:
        # Copies: a validator looks, it does not change what goes out.
        said = function(copy.deepcopy(output), copy.deepcopy(context))
        if inspect.isawaitable(said):
            said = asyncio.run(_awaited(said))
    except BaseException as error:  # noqa: BLE001  recorded: it is what the finding says
        return [f"The validator {rule.path} raised {named(error)}; mend it."]
    return _judged(rule, said)


def _judged(rule: ValidatorRule, said: object) -> list[str]:
    if said is None or said is True or (isinstance(said, str | list) and not said):
        return []
    if said is False:
        return [f"The validator {rule.path} refuses the output without saying why; answer the task anew."]
    texts = [said] if isinstance(said, str) else said
    if isinstance(texts, list) and all(isinstance(text, str) and text.strip() for text in texts):
        return list(map(str, texts))
    return [
        f"The validator {rule.path} returned {type(said).__name__}, which is neither true, false nor texts; mend it."
    ]


def _not_imported(rule: ValidatorRule, error: BaseException) -> str:
    return f"The validator {rule.path} cannot be imported ({named(error)}); install it or mend its path"


def named(error: BaseException) -> str:
    """An error as it is told: its name, and what it says."""
    try:
        said = str(error)
    except Exception:  # noqa: BLE001  an error that cannot say what it is still has a name
        said = ""
    return clip(f"{type(error).__name__}: {said}" if said else type(error).__name__, 160)


async def _awaited(said: Awaitable[object]) -> object:
    return await said


# --- work that may hang: in a thread that nobody has to wait for


Result = TypeVar("Result")


def started(work: Callable[[], Result]) -> Future[Result]:
    """Work in a thread that nobody has to wait for, not even the end of the program."""
    done: Future[Result] = Future()
    context = contextvars.copy_context()

    def run() -> None:
        done.set_running_or_notify_cancel()
        try:
            done.set_result(context.run(work))
        except BaseException as error:  # noqa: BLE001  handed on to whoever waits
            done.set_exception(error)

    threading.Thread(target=run, name="quality", daemon=True).start()
    return done


async def within(seconds: float, work: Callable[[], Result]) -> Result:
    """What the work returns; raises `TimeoutError` when it takes longer, and lets it be."""
    return await asyncio.wait_for(asyncio.wrap_future(started(work)), seconds)
