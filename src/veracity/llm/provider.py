"""A language model: how it is called, `request`, the one place where it is called, and tool definitions for it."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

from veracity.contracts import clip
from veracity.errors import ModelError, ModelRefused, ModelTimedOut

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.tools import ToolDefinition

_FALLBACK_TIMEOUT = 60.0
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 8.0
NO_KEY = "none"
UNREACHABLE = "The language model cannot be reached; try again later, or tell the operator."
KEY_REFUSED = "The language model refused the server's key; tell the operator."


class ProviderConfig(BaseModel):
    """How a model is called."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str | None = Field(default=None, repr=False)
    """Another address for `provider:name` models; a model given as a URL brings its own."""
    api_key: SecretStr | None = None
    """The key; without it, the environment is asked."""
    timeout: Annotated[
        float,
        Field(ge=0, le=86_400, allow_inf_nan=False),
        BeforeValidator(lambda v: 0 if v is None else v),
        AfterValidator(lambda v: v or _FALLBACK_TIMEOUT),
    ] = 120.0
    """Seconds one attempt may take; 0 or nothing means 60."""
    retries: int = Field(default=2, ge=0, le=10)
    """How often a failed attempt is repeated, where repeating can help."""
    max_tokens: int = Field(default=1024, ge=1)
    """The longest answer asked for."""
    temperature: float = Field(default=0.0, ge=0, le=2)
    """How freely the model chooses its words, where the model takes this setting."""


@dataclass(frozen=True)
class RemoteModel:
    """A model that can be called, and what people see of it."""

    model: Model = field(repr=False)
    name: str
    """Shown to people, such as `openai:gpt-5-mini`; never holds a password or a key."""
    config: ProviderConfig = field(default_factory=ProviderConfig)
    key: SecretStr | None = None
    key_variable: str | None = None
    """The environment variable that holds the key."""
    takes_forms: bool = False
    """Whether its server can be held to a JSON schema without a tool, so that the schema need not be in the prompt."""

    @classmethod
    def of(cls, model: Model, config: ProviderConfig | None = None) -> RemoteModel:
        """Any pydantic-ai model, such as a scripted one in tests."""
        return cls(model, model.model_name, config or ProviderConfig())

    async def __call__(self, messages: list[ModelMessage], parameters: ModelRequestParameters) -> ModelResponse:
        """One turn of the model; raises `ModelError` when there is none."""
        return await request(self, messages, parameters)

    def limited(self, *, timeout: float | None = None, max_tokens: int | None = None) -> RemoteModel:
        """The same model, called with another timeout or length; None leaves it."""
        wanted = {"timeout": timeout, "max_tokens": max_tokens}
        own = {name: value for name, value in wanted.items() if value is not None}
        return replace(self, config=self.config.model_copy(update=own)) if own else self

    @cached_property
    def address(self) -> str:
        """host:port, for messages."""
        provider = self.model.provider
        parts = urlsplit(str(provider.base_url)) if provider is not None else SplitResult("", "", "", "", "")
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return f"{host}:{parts.port or (80 if parts.scheme == 'http' else 443)}" if host else "its address"

    def settings(self, config: ProviderConfig, seconds: float) -> ModelSettings:
        """The settings of one attempt; what the model would refuse or ignore with a warning is left out."""
        from pydantic_ai.settings import ModelSettings

        wanted = ModelSettings(timeout=seconds, max_tokens=config.max_tokens)
        if self._takes_temperature:
            wanted["temperature"] = config.temperature
        if not self._retries_are_off:
            wanted["max_retries"] = 0
        if self.name.startswith("anthropic:"):
            # What stays the same from question to question is kept there; other servers do so by themselves.
            wanted = {**wanted, "anthropic_cache_instructions": True, "anthropic_cache_tool_definitions": True}  # type: ignore[typeddict-unknown-key]
        for name in self._unsupported:
            wanted.pop(name, None)  # type: ignore[misc]
        return wanted

    @cached_property
    def _unsupported(self) -> frozenset[str]:
        profile: Mapping[str, Any] = self.model.profile
        return frozenset((*self.model.unsupported_settings, *profile.get("openai_unsupported_model_settings", ())))

    @cached_property
    def _takes_temperature(self) -> bool:
        profile: Mapping[str, Any] = self.model.profile
        if profile.get("openai_supports_reasoning"):
            # A reasoning model takes it only while it does not reason.
            efforts = profile.get("openai_reasoning_efforts")
            idle = profile.get("openai_supports_reasoning_effort_none") if efforts is None else "none" in efforts
            return bool(idle) and not profile.get("thinking_enabled_by_default")
        return not profile.get("anthropic_disallows_sampling_settings")

    @cached_property
    def _retries_are_off(self) -> bool:
        return getattr(getattr(self.model, "client", None), "max_retries", None) == 0


# --- one request


async def request(
    model: RemoteModel | Model,
    messages: Sequence[ModelMessage],
    parameters: ModelRequestParameters,
    *,
    config: ProviderConfig | None = None,
    deadline: float | None = None,
) -> ModelResponse:
    """The model's answer. A failure that may pass is repeated until `deadline` (monotonic); the last is a `ModelError`."""
    import httpx2
    from pydantic_ai.direct import model_request
    from pydantic_ai.exceptions import AgentRunError, UserError

    # Servers that are not quite compatible break the reading of their answer in many ways.
    failures = (AgentRunError, UserError, httpx2.HTTPError, OSError, ValueError, LookupError, TypeError, AttributeError)
    remote = model if isinstance(model, RemoteModel) else RemoteModel.of(model)
    config = config or remote.config
    started, attempt = monotonic(), 0
    while True:
        seconds = config.timeout if deadline is None else min(config.timeout, deadline - monotonic())
        if seconds <= 0:
            message = "There was no time left to ask {}; give the question more time."
            raise ModelError(message.format(remote.name), message.format("the language model"))
        try:
            # The client's timeout counts from one piece of the answer to the next; this one counts all of it.
            async with asyncio.timeout(seconds), remote.model:
                return await model_request(
                    remote.model,
                    messages,
                    model_settings=remote.settings(config, seconds),
                    model_request_parameters=parameters,
                    instrument=False,
                )
        except failures as error:
            wait = _wait(error, attempt, config=config, deadline=deadline)
            if wait is None:
                kind = ModelTimedOut if _timed_out(error) else ModelRefused if _refused(error) else ModelError
                seconds = monotonic() - started
                raise kind(_sentence(error, remote, seconds), _sentence_for_others(error, seconds)) from error
        await asyncio.sleep(wait)
        attempt += 1


def _wait(error: Exception, attempt: int, *, config: ProviderConfig, deadline: float | None) -> float | None:
    """Seconds to wait before the next attempt; None when there is to be none."""
    if attempt >= config.retries:
        return None
    # Spread, so that many callers do not come back at the same moment.
    backoff = min(_FIRST_WAIT * 2**attempt, _LONGEST_WAIT) * random.uniform(0.5, 1.0)  # noqa: S311
    left = config.timeout if deadline is None else deadline - monotonic()
    if _timed_out(error):
        # A whole further attempt must fit; without a deadline, the time was spent.
        return backoff if deadline is not None and backoff + config.timeout <= left else None
    if not _may_pass(error):
        return None
    retry_after = getattr(error, "retry_after", None)
    wait = backoff if retry_after is None else float(retry_after)
    return wait if wait < left else None


def _timed_out(error: Exception) -> bool:
    from pydantic_ai.exceptions import ModelTimeoutError

    return isinstance(error, TimeoutError | ModelTimeoutError)


def _refused(error: Exception) -> bool:
    """Whether a server does not take the request as it is."""
    from pydantic_ai.exceptions import ModelHTTPError

    return isinstance(error, ModelHTTPError) and error.status_code in (400, 415, 422, 501)


def _may_pass(error: Exception) -> bool:
    from pydantic_ai.exceptions import ModelConnectionError, ModelHTTPError, ModelQuotaExceededError

    if isinstance(error, ModelHTTPError):
        return (error.status_code == 429 or error.status_code >= 500) and not isinstance(error, ModelQuotaExceededError)
    return isinstance(error, ModelConnectionError | OSError)


def _sentence(error: Exception, remote: RemoteModel, seconds: float) -> str:
    """What went wrong, for people."""
    from pydantic_ai.exceptions import ModelConnectionError, ModelHTTPError, UserError

    name = remote.name
    if _timed_out(error):
        return f"{name} timed out after {round(seconds, 1):g} seconds; try again, or give it more time."
    if isinstance(error, ModelHTTPError):
        return _status_sentence(error, remote)
    if isinstance(error, ModelConnectionError | OSError):
        if getattr(error, "phase", None) in ("connect", "pool"):
            return f"{name} cannot be reached at {remote.address}; check the address and that the server is running."
        return f"{name} cannot be reached at {remote.address}: the connection broke off; try again."
    if isinstance(error, UserError):
        return f"{name} cannot take this request: {_without_key(str(error), remote)}"
    return f"{name} answered with something unreadable; check that {remote.address} serves a chat model."


def _sentence_for_others(error: Exception, seconds: float) -> str:
    """What went wrong, for people who ask but did not choose the model: no name, host or port."""
    from pydantic_ai.exceptions import ModelConnectionError, ModelContextWindowExceededError, ModelHTTPError

    if _timed_out(error):
        return (
            f"The language model timed out after {round(seconds, 1):g} seconds; try again, or ask a shorter question."
        )
    if isinstance(error, ModelContextWindowExceededError):
        return "The conversation is too long for the language model; ask a shorter question."
    if isinstance(error, ModelHTTPError):
        if error.status_code in (401, 403):
            return KEY_REFUSED
        if error.status_code == 429:
            return "The language model has had too many requests; wait a little and try again."
        verb = "failed" if error.status_code >= 500 else "refused the request"
        return f"The language model {verb} (status {error.status_code}); try again later, or tell the operator."
    if isinstance(error, ModelConnectionError | OSError):
        return UNREACHABLE
    return "The language model answered with something unreadable; tell the operator."


def _status_sentence(error: Any, remote: RemoteModel) -> str:
    from pydantic_ai.exceptions import ModelContextWindowExceededError, ModelQuotaExceededError

    name, status = remote.name, error.status_code
    if isinstance(error, ModelQuotaExceededError):
        return f"{name} has no quota left on this account; check its plan and billing."
    if isinstance(error, ModelContextWindowExceededError):
        return f"The conversation is too long for {name}; ask a shorter question or use another model."
    if status in (401, 403):
        return f"{name} refused the key (status {status}); set {remote.key_variable or 'its variable'} to a valid one."
    if status == 404:
        return f"{remote.address} does not know the model {name}; check its name and that the address is complete."
    if status == 429:
        pause = f"wait {error.retry_after:g} seconds" if error.retry_after else "wait a little"
        return f"{name} has had too many requests; {pause} and try again."
    if status >= 500:
        return f"{name} failed with a server error (status {status}); try again later."
    said = _without_key(_message_of(error.body), remote)
    return f"{name} refused the request (status {status})" + (f": {said}" if said else "; use another model.")


def _message_of(body: object) -> str:
    """What the server wrote about its refusal."""
    inner = body.get("error", body) if isinstance(body, dict) else body
    said = inner.get("message", "") if isinstance(inner, dict) else ""
    return said if isinstance(said, str) else ""


def _without_key(text: str, remote: RemoteModel) -> str:
    key = remote.key.get_secret_value() if remote.key else ""
    hidden = text.replace(key, "…") if key and key != NO_KEY else text
    return clip(" ".join(re.sub(r"\bsk-\S+", "sk-…", hidden).split()), 120)


# --- tools


def tool_definitions(schemas: Sequence[Mapping[str, Any]], *, strict: bool) -> list[ToolDefinition]:
    """Tools for a request, from `{name, description, parameters}`.

    `strict` sends the schemas as they are, enums included, and asks the provider to enforce them. Otherwise they are
    simplified for endpoints that know little JSON Schema: no `$defs`, no enums, no nullable unions.
    """
    from pydantic_ai.tools import ToolDefinition

    return [
        ToolDefinition(
            name=schema["name"],
            description=schema.get("description"),
            parameters_json_schema=dict(schema["parameters"]) if strict else _simple_schema(schema["parameters"]),
            strict=strict,
        )
        for schema in schemas
    ]


def form_to_fill_in(name: str, description: str, schema: Mapping[str, Any]) -> ModelRequestParameters:
    """A request for one object of a schema, which the server holds the model to; the schema is no part of the prompt."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    form = OutputObjectDefinition(json_schema=dict(schema), name=name, description=description, strict=True)
    return ModelRequestParameters(output_mode="native", output_object=form)


_DROPPED = {"$defs", "definitions", "$schema", "$ref", "title", "discriminator", "enum", "const", "anyOf", "oneOf"}
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


def _simple_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    return _simplified(schema, {**schema.get("definitions", {}), **schema.get("$defs", {})}, ())


def _simplified(node: Any, defs: Mapping[str, Any], trail: tuple[str, ...]) -> dict[str, Any]:
    """A schema without references, enums and nulls; `trail` holds the references that are being followed."""
    if not isinstance(node, Mapping):
        return {}
    plain = {key: value for key, value in node.items() if key not in _DROPPED and (key, value) != ("default", None)}
    if isinstance(ref := node.get("$ref"), str):
        name = ref.rpartition("/")[2]
        # A schema that contains itself ends in an object without further rules.
        found = {"type": "object"} if name in trail else _simplified(defs.get(name), defs, (*trail, name))
        plain = {**found, **plain}
    plain = {**_union(node.get("anyOf") or node.get("oneOf") or (), defs, trail), **plain}
    if isinstance(plain.get("type"), list):
        kinds = [kind for kind in plain["type"] if kind != "null"]
        plain["type"] = kinds[0] if len(kinds) == 1 else kinds
    values = node.get("enum", [node["const"]] if "const" in node else [])
    kinds = list(dict.fromkeys(_TYPES[type(value)] for value in values if type(value) in _TYPES))
    if len(kinds) == 1:
        plain.setdefault("type", kinds[0])
    if "properties" in plain:
        plain["properties"] = {name: _simplified(inner, defs, trail) for name, inner in plain["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(plain.get(key), Mapping):
            plain[key] = _simplified(plain[key], defs, trail)
    return plain


def _union(options: Sequence[Any], defs: Mapping[str, Any], trail: tuple[str, ...]) -> dict[str, Any]:
    """What is left of a union without null: one schema where there is one, else the different ones."""
    plain = [_simplified(option, defs, trail) for option in options if option != {"type": "null"}]
    different = [option for number, option in enumerate(plain) if option not in plain[:number]]
    if len(different) > 1:
        return {"anyOf": different}
    return different[0] if different else {}
