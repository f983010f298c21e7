from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import anyio
import httpx
import pytest

from lunwen.corpus.store import Store
from lunwen.doors.api.app import create_api
from lunwen.library import Library

if TYPE_CHECKING:
    from pathlib import Path


def paper(number: int, **more: object) -> dict[str, object]:
    return {
        "paper_id": f"p{number}",
        "identifiers": {"doi": f"10.5555/lamp.{number}"},
        "title": f"Lamps and kites, part {number}",
        "abstract": f"A lamp burns with $x_{number}$ & more; kites rise in wind number {number}.",
        "authors": ["Ada Kiefer", f"Bo Li{number}"],
        "venue": "ICML" if number % 2 else "NeurIPS",
        "year": 2000 + number,
        "topic": ["Theory", "Kites"],
        **more,
    }


PAPERS = [
    *(paper(number) for number in range(1, 24)),
    paper(
        24, title="The newest & last <lamp>", date="2026-07-06", year=2026, urls={"paper": "https://x.org/1"}
    ),
    paper(25, title="Hidden lamp", status="rejected"),
    paper(26, title="零阶优化 lamp", authors=[], abstract=None, urls={"paper": "javascript:alert(1)"}),
]


class Client:
    """Asks an application directly, without a socket."""

    def __init__(self, app) -> None:
        self.app = app

    def get(self, url: str, *, method: str = "GET", **headers: str) -> httpx.Response:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}

        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                return await client.request(method, url, headers=sent)

        return anyio.run(ask)


def write(folder: Path, papers) -> None:
    file = folder / "papers.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in papers), encoding="utf-8")
    with Library(Store.open(folder / "library", write=True)) as library:
        library.import_files([str(file)])


@pytest.fixture(scope="session")
def made(tmp_path_factory) -> Path:
    """A folder with a library; tests that write have a copy."""
    folder = tmp_path_factory.mktemp("api")
    write(folder, PAPERS)
    return folder


@pytest.fixture
def library(made):
    with Library(Store.open(made / "library")) as opened:
        yield opened


@pytest.fixture
def client(library) -> Client:
    return Client(create_api(library))


@pytest.fixture
def own(tmp_path, made):
    """A library of this test's own, and a function that imports papers into it."""
    shutil.copytree(made / "library", tmp_path / "library")
    with Library(Store.open(tmp_path / "library")) as opened:
        yield opened, lambda papers: write(tmp_path, papers)


@pytest.fixture
def make_client():
    return lambda library, **more: Client(create_api(library, **more))
