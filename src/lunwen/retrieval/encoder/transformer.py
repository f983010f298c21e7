"""Models of the sentence-transformers library, from this machine alone: a search never fetches a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lunwen.errors import CouldNot
from lunwen.retrieval.encoder.extra import need
from lunwen.retrieval.encoder.prompt import Prompts, prompts_of
from lunwen.retrieval.encoder.revision import fingerprint
from lunwen.retrieval.encoder.unit import says_something, unit_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lunwen.retrieval.encoder import Kind

_WEIGHTS = {".safetensors", ".bin", ".json", ".txt", ".model"}


class TransformerEncoder:
    """Encodes with any model that sentence-transformers loads; an ``Encoder``.

    Args:
        named: a folder, or the name of a model that was fetched to this machine.

    Raises:
        CouldNot: the library or the model is missing, or does not work.
    """

    def __init__(self, named: str) -> None:
        library = need("sentence_transformers", "transformers")
        need("transformers.utils.logging", "transformers").disable_progress_bar()  # it goes to the terminal
        folder = Path(named).expanduser()
        place = str(folder) if folder.is_dir() else named
        try:
            self._model = library.SentenceTransformer(place, local_files_only=True)
            revision = _revision(self._model, folder)
        except (OSError, ValueError, RuntimeError, ImportError, KeyError) as error:
            reason = " ".join(str(error).split())[:120]
            raise CouldNot(
                f'no model "{named}" on this machine ({reason}). Name a folder, or fetch it once with: '
                f"hf download {named}"
            ) from error
        self._prompts = _own_prompts(self._model) or prompts_of(named)
        self.dimensions = self._encode(["a"]).shape[1]
        name = folder.name if folder.is_dir() else named
        longest = self._model.max_seq_length
        self.contract = f"transformer-{name}@{revision}/{self.dimensions}/{self._prompts}/{longest}-l2"

    def encode(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        """Return one row per text, of length one; a text that says nothing is a row of zeros."""
        prompt = self._prompts.before(kind)
        return unit_rows(texts, self.dimensions, lambda said: self._encode(said, prompt))

    def knows(self, text: str) -> bool:
        """Whether there is anything to encode."""
        return says_something(text)

    def _encode(self, texts: list[str], prompt: str = "") -> NDArray[np.float32]:
        encoded = self._model.encode(texts, prompt=prompt, convert_to_numpy=True, show_progress_bar=False)
        return np.asarray(encoded, np.float32)


def _own_prompts(model: Any) -> Prompts | None:
    """Return the prompts that a model brings itself."""
    own = {name: text for name, text in (getattr(model, "prompts", None) or {}).items() if text}
    document = own.get("document") or own.get("passage") or ""
    return Prompts(own.get("query", ""), document) if own.get("query") or document else None


def _revision(model: Any, folder: Path) -> str:
    """Return the commit of a fetched model, or a fingerprint of a folder."""
    if folder.is_dir():
        return fingerprint(sorted(file for file in folder.rglob("*") if file.suffix in _WEIGHTS))
    config = getattr(getattr(model[0], "auto_model", None), "config", None)
    return str(getattr(config, "_commit_hash", None) or "unknown")
