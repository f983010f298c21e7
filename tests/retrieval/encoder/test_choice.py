from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from lunwen.errors import CouldNot, UnknownName, UsageError
from lunwen.retrieval.encoder.choice import load_encoder, wants_meaning
from lunwen.retrieval.encoder.remote import RemoteEncoder
from lunwen.retrieval.encoder.static import StaticEncoder

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    return lambda chosen: monkeypatch.setenv("LUNWEN_ENCODER", chosen)


def test_the_packaged_encoder_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LUNWEN_ENCODER", raising=False)
    assert isinstance(load_encoder(), StaticEncoder)
    assert wants_meaning()


@pytest.mark.parametrize("chosen", ["static", " Static ", ""])
def test_it_can_be_named(choose: Callable[[str], None], chosen: str) -> None:
    choose(chosen)
    assert isinstance(load_encoder(), StaticEncoder)


def test_none_means_words_alone(choose: Callable[[str], None]) -> None:
    choose("none")
    assert not wants_meaning()
    with pytest.raises(CouldNot, match=r"^search is by words alone"):
        load_encoder()


def test_a_url_is_an_encoder_that_is_not_asked_yet(choose: Callable[[str], None]) -> None:
    choose("http://127.0.0.1:9/v1/embeddings#small")
    assert isinstance(load_encoder(), RemoteEncoder)
    assert wants_meaning()


def test_an_unknown_name_says_which_there_are(choose: Callable[[str], None]) -> None:
    choose("statik")
    with pytest.raises(UnknownName) as refused:
        load_encoder()
    assert str(refused.value) == (
        'no encoder "statik". LUNWEN_ENCODER is one of: static, none, sentence-transformers:MODEL, '
        "onnx:FOLDER, https://HOST/v1/embeddings#MODEL"
    )


@pytest.mark.parametrize(
    "chosen", ["onnx", "onnx:", "sentence-transformers: ", "https:", "static:x", "none:x"]
)
def test_half_a_choice_is_none(choose: Callable[[str], None], chosen: str) -> None:
    choose(chosen)
    with pytest.raises(UnknownName):
        load_encoder()


@pytest.mark.parametrize(
    "chosen", ["htps://me:secret@host/v1#m", "https://me:secret@host/v1#m", "http://host/v1?key=secret#m"]
)
def test_what_may_be_secret_is_not_shown(choose: Callable[[str], None], chosen: str) -> None:
    choose(chosen)
    with pytest.raises(UsageError) as refused:
        load_encoder()
    assert "secret" not in str(refused.value).replace("in secret", "")


@pytest.mark.parametrize(
    ("chosen", "module", "extra"),
    [
        ("onnx:somewhere", "onnxruntime", "onnx"),
        ("sentence-transformers:some/model", "sentence_transformers", "transformers"),
    ],
)
def test_an_extra_that_is_not_there_is_named(
    choose: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, chosen: str, module: str, extra: str
) -> None:
    choose(chosen)
    monkeypatch.setitem(sys.modules, module, None)  # its import fails
    with pytest.raises(CouldNot, match=rf"needs {module} .*pip install 'lunwen\[{extra}\]'"):
        load_encoder()
