"""Which encoder is in use: the one that ``LUNWEN_ENCODER`` names.

Loading one imports what it needs, so every branch imports for itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lunwen.errors import CouldNot, UnknownName
from lunwen.settings import encoder, encoder_key

if TYPE_CHECKING:
    from lunwen.retrieval.encoder import Encoder

NONE = "none"
ALLOWED = "static, none, sentence-transformers:MODEL, onnx:FOLDER, https://HOST/v1/embeddings#MODEL"


def wants_meaning() -> bool:
    """Whether an encoder is wanted at all; not where the user chose "none": search is by words."""
    return encoder().lower() != NONE


def load_encoder() -> Encoder:
    """Return the encoder in use.

    Raises:
        UnknownName: ``LUNWEN_ENCODER`` names none that there is.
        UsageError: it names a URL that is not allowed.
        CouldNot: what it names is not there, or no encoder is wanted.
    """
    chosen = encoder()
    kind, _, what = chosen.partition(":")
    match kind.lower(), what.strip():
        case "static", "":
            from lunwen.retrieval.encoder.static import StaticEncoder  # noqa: PLC0415

            return StaticEncoder()
        case name, "" if name == NONE:
            raise CouldNot(f"search is by words alone. For meaning set LUNWEN_ENCODER to one of: {ALLOWED}")
        case "sentence-transformers", model if model:
            from lunwen.retrieval.encoder.transformer import TransformerEncoder  # noqa: PLC0415

            return TransformerEncoder(model)
        case "onnx", place if place:
            from lunwen.retrieval.encoder.onnx import OnnxEncoder  # noqa: PLC0415

            return OnnxEncoder(place)
        case "https" | "http", rest if rest.startswith("//"):
            from lunwen.retrieval.encoder.remote import RemoteEncoder  # noqa: PLC0415

            return RemoteEncoder(chosen, key=encoder_key())
    shown = f"{kind}://…" if "://" in chosen else chosen[:80]  # a password may stand in a URL
    raise UnknownName(f'no encoder "{shown}". LUNWEN_ENCODER is one of: {ALLOWED}')
