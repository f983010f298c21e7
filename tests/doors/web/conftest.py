from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import anyio
import httpx
import pytest

from lunwen.doors.web.app import create_app


class Client:
    """Asks an application directly, without a socket."""

    def __init__(self, app) -> None:
        self._app = app

    def get(self, url: str, *, method: str = "GET", **headers: str) -> httpx.Response:
        sent = {"accept-language": "en", **{name.replace("_", "-"): value for name, value in headers.items()}}

        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self._app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                return await client.request(method, url, headers=sent)

        return anyio.run(ask)


@pytest.fixture(scope="session")
def shelf_module():
    spec = spec_from_file_location("web_shelf", Path(__file__).with_name("shelf.py"))
    module = module_from_spec(spec)
    sys.modules["web_shelf"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def shelf(shelf_module):
    return shelf_module.Shelf()


@pytest.fixture
def make_client():
    return lambda library: Client(create_app(library))


@pytest.fixture
def client(shelf, make_client):
    return make_client(shelf)
