"""Model spec -> model, and `request`: the one place where a language model is called."""

from __future__ import annotations

import asyncio
import os
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import SplitResult, parse_qsl, urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

from veracity.contracts import clip
from veracity.errors import ModelError, ModelRefused, ModelTimedOut, UsageError
from veracity.language.nearest import nearest

if TYPE_CHECKING:
    from ssl import SSLContext

    import httpx2
    from openai import AsyncOpenAI
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.tools import ToolDefinition

_FALLBACK_TIMEOUT = 60.0
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 8.0
_LONGEST_NAME = 200
_LARGEST_LIST = 4_000_000
_FORMS = "use offline, openai:NAME, anthropic:NAME or http(s)://HOST/v1#NAME"
_OPENAI = ("openai", "openai-chat", "openai-responses")
_NO_KEY = "none"
_UNREACHABLE = "The language model cannot be reached; try again later, or tell the operator."
_KEY_REFUSED = "The language model refused the server's key; tell the operator."
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_EXTRA = re.compile(r"pydantic-ai-slim\[[\w-]+\]")


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


# --- spec -> model


def chosen_model(
    spec: str, config: ProviderConfig | None = None, *, environ: Mapping[str, str] = os.environ
) -> RemoteModel:
    """The model of a spec: `openai:NAME`, `anthropic:NAME`, `http(s)://HOST/v1#NAME` or pydantic-ai's `provider:NAME`.

    A URL without `#NAME` is asked for its first model. Providers other than these three read the process's environment.
    """
    config, spec = config or ProviderConfig(), spec.strip()
    if re.match(r"https?://", spec, re.IGNORECASE):
        return _endpoint(spec, config, environ)
    family, _, name = spec.partition(":")
    if not name or "/" in spec.split(":")[0].removeprefix("gateway/") or re.match(r"\d{1,5}(/|$)", name):
        raise _unknown(spec)
    if family in _OPENAI:
        return _openai(spec, config, environ)
    if family == "anthropic":
        return _anthropic(spec, config, environ)
    return _inferred(spec, config)


def _openai(spec: str, config: ProviderConfig, environ: Mapping[str, str]) -> RemoteModel:
    key = _required_key(spec, config, environ, "OPENAI_API_KEY")
    from pydantic_ai.models import infer_model
    from pydantic_ai.providers.openai import OpenAIProvider

    address = _checked(config.base_url or environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1")
    provider = OpenAIProvider(openai_client=_openai_client(address, key, config))
    model = infer_model(spec, lambda _name: provider)
    return RemoteModel(model, spec, config, key, "OPENAI_API_KEY", takes_forms=_can_take_forms(model))


def _anthropic(spec: str, config: ProviderConfig, environ: Mapping[str, str]) -> RemoteModel:
    try:
        from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient
    except ImportError:
        raise UsageError(f"{spec} needs an extra package; run: pip install 'veracity[anthropic]'") from None
    key = _required_key(spec, config, environ, "ANTHROPIC_API_KEY")
    from pydantic_ai.models import infer_model
    from pydantic_ai.providers.anthropic import AnthropicProvider

    address = _checked(config.base_url or environ.get("ANTHROPIC_BASE_URL") or "https://api.anthropic.com")
    client = AsyncAnthropic(
        base_url=_base(address),
        api_key=key.get_secret_value(),
        timeout=config.timeout,
        max_retries=0,
        http_client=DefaultAsyncHttpxClient(**_http_options(address, config)),
    )
    provider = AnthropicProvider(anthropic_client=client)
    return RemoteModel(infer_model(spec, lambda _name: provider), spec, config, key, "ANTHROPIC_API_KEY")


def _endpoint(spec: str, config: ProviderConfig, environ: Mapping[str, str]) -> RemoteModel:
    url, _, name = spec.partition("#")
    address = _checked(url, spec)
    # Another provider's key is never sent to an address that somebody typed.
    variable = "VERACITY_API_KEY"
    key = _sendable(config.api_key or SecretStr(_from(environ, variable) or _NO_KEY), variable)
    name = name.strip() or _first_model(address, key, config)
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile, openai_model_profile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    # Most servers ignore `max_completion_tokens` and would write without an end; only OpenAI's reasoning models need it.
    reasons = bool(openai_model_profile(name).get("openai_supports_reasoning"))
    provider = OpenAICompatibleProvider(
        "openai-compatible",
        openai_client=_openai_client(address, key, config),
        profile=OpenAIModelProfile(openai_chat_supports_max_completion_tokens=reasons),
    )
    shown = f"{_without_secrets(_base(address))}#{name}"
    model = OpenAIChatModel(name, provider=provider)
    return RemoteModel(model, shown, config, key, variable, takes_forms=_can_take_forms(model))


def _can_take_forms(model: Model) -> bool:
    return bool(model.profile.get("supports_json_schema_output"))


def _inferred(spec: str, config: ProviderConfig) -> RemoteModel:
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.models import infer_model
    from pydantic_ai.providers import infer_provider, infer_provider_class

    given = {
        "base_url": config.base_url,
        "api_key": config.api_key.get_secret_value() if config.api_key else None,
    }
    options = {option: value for option, value in given.items() if value}
    try:
        model = infer_model(
            spec, lambda name: infer_provider_class(name)(**options) if options else infer_provider(name)
        )
    except ValueError:
        raise _unknown(spec) from None
    except TypeError:
        raise UsageError(
            f"{_without_secrets(spec)} does not take {' and '.join(sorted(options))}; leave it out."
        ) from None
    except ImportError as error:
        extra = _EXTRA.search(str(error))
        advice = f"run: pip install '{extra[0]}'" if extra else "use another model."
        raise UsageError(f"{_without_secrets(spec)} needs a package that is not installed; {advice}") from None
    except UserError as error:
        variable = _VARIABLE.search(str(error))
        if variable is None:
            raise _unknown(spec) from None
        raise UsageError(f"{_without_secrets(spec)} needs {variable[0]}; set it in the environment.") from None
    return RemoteModel(model, spec, config, config.api_key)


def _openai_client(address: SplitResult, key: SecretStr, config: ProviderConfig) -> AsyncOpenAI:
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    return AsyncOpenAI(
        base_url=_base(address),
        api_key=key.get_secret_value(),
        default_query=dict(parse_qsl(address.query)) or None,
        timeout=config.timeout,
        max_retries=0,
        http_client=DefaultAsyncHttpxClient(**_http_options(address, config)),
    )


def _http_options(address: SplitResult, config: ProviderConfig) -> dict[str, Any]:
    import httpx2

    # A server on this machine is not behind the proxy of this network.
    elsewhere = address.hostname not in ("localhost", "127.0.0.1", "::1")
    return {
        "timeout": config.timeout,
        # A kept connection belongs to one event loop and goes stale behind gateways; next to a model's answer, a new
        # one costs nothing.
        "limits": httpx2.Limits(max_keepalive_connections=0),
        "trust_env": elsewhere,
        "verify": _certificates(elsewhere, os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")),
    }


@cache
def _certificates(trust_env: bool, _file: str | None, _folder: str | None) -> SSLContext:
    """Whom this machine trusts, where the environment says to look: to read it takes longer than all else that a client needs."""
    import httpx2

    return httpx2.create_ssl_context(trust_env=trust_env)


def _first_model(address: SplitResult, key: SecretStr, config: ProviderConfig) -> str:
    """The first model an endpoint lists."""
    import httpx2

    shown, where = _without_secrets(_base(address)), address.netloc.rpartition("@")[2]
    headers = {"Authorization": f"Bearer {key.get_secret_value()}"}
    try:
        with httpx2.Client(**_http_options(address, config), headers=headers) as client:
            status, body = _read(client, f"{_base(address)}/models", dict(parse_qsl(address.query)), config.timeout)
    except (httpx2.TimeoutException, TimeoutError) as error:
        seconds = f"timed out after {config.timeout:g} seconds"
        raise ModelError(f"{shown} {seconds} when asked for its models.", f"The language model {seconds}.") from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise ModelError(
            f"{shown} cannot be reached at {where}; check the address and that the server is running.", _UNREACHABLE
        ) from error
    if status in (401, 403):
        said = f"{shown} refused the key when asked for its models; set VERACITY_API_KEY to a valid one."
        raise ModelError(said, _KEY_REFUSED)
    name = _first_id(body) if status == 200 else None
    if name is None:
        raise UsageError(f"{shown} does not list its models; add the model's name to the address, as in {shown}#NAME.")
    return name


def _read(client: httpx2.Client, url: str, query: dict[str, str], seconds: float) -> tuple[int, bytes]:
    """The answer of a server, whole within this time and of bearable size."""
    until, body = monotonic() + seconds, bytearray()
    with client.stream("GET", url, params=query or None) as response:
        for chunk in response.iter_bytes():
            body += chunk
            # The client's own timeout starts again with every piece that arrives.
            if monotonic() > until:
                raise TimeoutError
            if len(body) > _LARGEST_LIST:
                break
        return response.status_code, bytes(body)


def _first_id(body: bytes) -> str | None:
    from pydantic_core import from_json

    try:
        name = from_json(body)["data"][0]["id"]
    except (ValueError, LookupError, TypeError):
        return None
    return name if isinstance(name, str) and name.isprintable() and 0 < len(name) <= _LONGEST_NAME else None


def _from(environ: Mapping[str, str], variable: str) -> str:
    return environ.get(variable, "").strip()


def _required_key(spec: str, config: ProviderConfig, environ: Mapping[str, str], variable: str) -> SecretStr:
    key = config.api_key or SecretStr(_from(environ, variable))
    if not key.get_secret_value():
        raise UsageError(f"{_without_secrets(spec)} needs a key; set {variable}.")
    return _sendable(key, variable)


def _sendable(key: SecretStr, variable: str) -> SecretStr:
    text = key.get_secret_value()
    # The HTTP library would refuse it, too, and show it in its message.
    if not (text.isascii() and text.isprintable()) or " " in text:
        raise UsageError(f"The key in {variable} holds blanks or characters no key has; copy it again.")
    return key


def _checked(url: str, spec: str | None = None) -> SplitResult:
    """A URL in its parts, without a trailing slash or the name of a method; `spec` is what was written in full."""
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not url.isprintable() or " " in url.strip():
        raise UsageError(f"{_without_secrets(spec or url)} is not an address; write it as http://HOST:PORT/v1#NAME.")
    return parts._replace(path=parts.path.rstrip("/").removesuffix("/chat/completions"), fragment="")


def _base(address: SplitResult) -> str:
    return address._replace(query="").geturl()


def _without_secrets(text: str) -> str:
    """A spec or an address as it may be shown: without user, password, query or key."""
    scheme, mark, rest = text.rpartition("://")
    rest = rest.rpartition("@")[2]
    place, _, name = rest.partition("#")
    kept = place.partition("?")[0] + (f"#{name}" if name else "")
    return clip("sk-…" if kept.startswith("sk-") else f"{scheme}{mark}{kept}", 100)


def _unknown(spec: str) -> UsageError:
    shown = _without_secrets(spec)
    meant = _meant(spec)
    return UsageError(f"There is no model {shown!r}; " + (f"did you mean {meant}?" if meant else f"{_FORMS}."))


def _meant(spec: str) -> str | None:
    """What was probably meant by a spec that is none."""
    family, colon, name = spec.partition(":")
    if re.fullmatch(r"(localhost|[\w.-]+):\d{1,5}(/[^@?]*)?", spec, re.ASCII):
        return f"http://{spec}"
    if not colon:
        starts = (("gpt", "openai"), ("claude", "anthropic"))
        by_name = next((f"{home}:{spec}" for start, home in starts if spec.startswith(start)), None)
        return by_name or nearest(spec, ["offline"])
    if not name:
        return None
    from pydantic_ai.models import known_model_names

    families = dict.fromkeys(("openai", "anthropic", *(known.partition(":")[0] for known in known_model_names())))
    near = nearest(family, families)
    return _without_secrets(f"{near}:{name}") if near and near != family else None


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
            return _KEY_REFUSED
        if error.status_code == 429:
            return "The language model has had too many requests; wait a little and try again."
        verb = "failed" if error.status_code >= 500 else "refused the request"
        return f"The language model {verb} (status {error.status_code}); try again later, or tell the operator."
    if isinstance(error, ModelConnectionError | OSError):
        return _UNREACHABLE
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
    hidden = text.replace(key, "…") if key and key != _NO_KEY else text
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
