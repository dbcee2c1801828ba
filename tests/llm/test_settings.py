"""Settings refuse what they cannot keep, and never repeat a secret."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from envfactory.llm import EndpointSettings


@pytest.mark.parametrize(
    "url",
    ["http://me:secret@host/v1", "https://host/v1?key=secret", "https://host/v1#secret"],
)
def test_an_address_that_holds_a_secret_is_refused_with_the_fix(url: str) -> None:
    with pytest.raises(ValidationError, match="name it in api_key_env") as caught:
        EndpointSettings(model="m", base_url=url)
    assert "secret" not in str(caught.value.errors(include_input=False))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", ["host/v1", "ftp://host/v1", "http://"])
def test_an_address_that_is_none_is_named(url: str) -> None:
    with pytest.raises(ValidationError, match=f"base_url={url}: expected http"):
        EndpointSettings(model="m", base_url=url)


@pytest.mark.parametrize(
    "wrong",
    [{"model": ""}, {"timeout": 3}, {"timeout_s": 0.0}, {"api_key_env": "sk-123"}, {"retry": {"attempts": 0}}],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        EndpointSettings.model_validate({"model": "m", **wrong})
