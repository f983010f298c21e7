from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from lunwen.corpus.source import HEAD_BYTES, SourceFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.server import Server

    from lunwen.corpus.fetch.client import HttpFetcher

os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"  # no test looks into a user's own
# the same examples at each run, so that it says what a change did; others with HYPOTHESIS_PROFILE=random
settings.register_profile("same", derandomize=True)
settings.register_profile("random")
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or "same")

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real papers, which are not ours to publish."""
    folder = Path(os.environ.get("LUNWEN_SHARED") or REPOSITORY.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"no real papers in {folder}; name their folder in LUNWEN_SHARED")
    return folder


@pytest.fixture(scope="session")
def source_file() -> Callable[..., SourceFile]:
    """Make a SourceFile of bytes or text."""

    def make(data: bytes | str, name: str = "papers.json") -> SourceFile:
        written = data if isinstance(data, bytes) else data.encode()
        return SourceFile(name, written[:HEAD_BYTES], lambda: BytesIO(written))

    return make


@pytest.fixture(scope="session")
def make_pdf() -> Callable[..., bytes]:
    """Make a PDF of the texts of its pages; an empty one is a picture, with a password it is encrypted."""
    from fpdf import FPDF  # noqa: PLC0415  few tests read PDFs
    from PIL import Image  # noqa: PLC0415  same

    def make(*pages: str, password: str | None = None) -> bytes:
        pdf = FPDF()
        pdf.set_font("Helvetica", size=11)
        if password:
            pdf.set_encryption(owner_password="owner", user_password=password)  # noqa: S106  of a test
        for text in pages:
            pdf.add_page()
            if text:
                pdf.multi_cell(0, 6, text)
            else:
                pdf.image(Image.new("L", (8, 8)), x=10, y=10, w=50)
        return bytes(pdf.output())

    return make


@pytest.fixture
def server() -> Iterator[Server]:
    """A server on loopback that stands for every site: ``server.put(host, path, body)``."""
    from tests.server import serving  # noqa: PLC0415  most tests ask nobody

    with serving() as serving_:
        yield serving_


@pytest.fixture
def fetcher(server: Server, tmp_path: Path) -> Iterator[HttpFetcher]:
    """A client whose every request goes to ``server``; it pauses for no time and tries thrice."""
    from tests.server.client import Client  # noqa: PLC0415  most tests ask nobody

    from lunwen.corpus.fetch.limit import Limits  # noqa: PLC0415  same

    with Client(tmp_path / "cache", server, Limits(paces={}, tries=3)) as client:
        yield client
