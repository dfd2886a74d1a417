"""Address, key and headers of an endpoint; the only module that imports openai.

The openai client is asked for what only it knows: how it reads them from the environment. The
requests themselves are sent by `connection`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from goldsmith.errors import ModelError, SettingsError
from goldsmith.llm.statuses import HOW_TO_GET_A_KEY

if TYPE_CHECKING:
    import httpx2


@dataclass(frozen=True, slots=True)
class Account:
    """Where calls go, and on whose behalf."""

    model: str
    address: str
    """Without a slash at the end; fit for messages."""
    key: str = field(repr=False)
    headers: dict[str, str] = field(repr=False)


def account(model: str, base_url: str | None) -> Account:
    """What the openai client makes of `base_url` and the environment.

    Raises `ModelError` without openai or a key, and `SettingsError` for an unusable address.
    """
    try:
        import httpx2  # noqa: PLC0415 - loaded with openai
        import openai  # noqa: PLC0415 - it takes a second, and only endpoints need it
    except ImportError as error:
        raise ModelError(
            f"model {model!r} needs the openai client: install goldsmith[build]"
        ) from error
    # Nothing is sent through this client: without a transport it reads no certificates either.
    unused = httpx2.Client(transport=httpx2.BaseTransport(), trust_env=False)
    try:
        client = openai.OpenAI(base_url=base_url, http_client=unused)
    except openai.OpenAIError as error:
        raise ModelError(
            f"model {model!r} cannot be asked without a key: {HOW_TO_GET_A_KEY}"
        ) from error
    with client:
        headers = {**client.default_headers, **client.auth_headers}
        return Account(
            model=model,
            address=_address(client.base_url),
            key=client.api_key,
            headers={k: v for k, v in headers.items() if isinstance(v, str)},
        )


def _address(url: httpx2.URL) -> str:
    port = f":{url.port}" if url.port else ""
    address = f"{url.scheme}://{url.host}{port}{url.path}".rstrip("/")
    if url.scheme not in {"http", "https"} or not url.host:
        raise SettingsError(
            f"base_url {address!r} is no address of an endpoint: expected "
            "http://HOST:PORT/v1 or https://..."
        )
    if url.userinfo:
        raise SettingsError(
            f"base_url of {address!r} holds a user name: it cannot go together with a key; "
            "take it out, secrets belong in the environment"
        )
    return address
