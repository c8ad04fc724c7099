"""Model spec -> model, with the address and the key that it is called with."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, parse_qsl, urlsplit

from pydantic import SecretStr

from veracity.contracts import clip
from veracity.errors import ModelError, UsageError
from veracity.language.nearest import nearest
from veracity.llm.provider import KEY_REFUSED, NO_KEY, UNREACHABLE, ProviderConfig, RemoteModel

if TYPE_CHECKING:
    from ssl import SSLContext

    import httpx2
    from openai import AsyncOpenAI
    from pydantic_ai.models import Model

_LONGEST_NAME = 200
_LARGEST_LIST = 4_000_000
_FORMS = "use offline, openai:NAME, anthropic:NAME or http(s)://HOST/v1#NAME"
_OPENAI = ("openai", "openai-chat", "openai-responses")
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_EXTRA = re.compile(r"pydantic-ai-slim\[[\w-]+\]")


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
    key = _sendable(config.api_key or SecretStr(_from(environ, variable) or NO_KEY), variable)
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
            f"{shown} cannot be reached at {where}; check the address and that the server is running.", UNREACHABLE
        ) from error
    if status in (401, 403):
        said = f"{shown} refused the key when asked for its models; set VERACITY_API_KEY to a valid one."
        raise ModelError(said, KEY_REFUSED)
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
