from __future__ import annotations

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from urllib.parse import urlencode

import anyio
import httpx
import pytest

from lunwen.doors.web.app import create_app
from lunwen.doors.web.option import Options


def find_token(html: str) -> str:
    """The token in the forms of a page."""
    return re.search(r'name="token" value="([^"]+)"', html)[1]


class Client:
    """Asks an application directly, without a socket."""

    def __init__(self, app) -> None:
        self._app = app

    def post(self, url: str, *, token: str | None = None, **fields: str) -> httpx.Response:
        """Send a form, by default with the token of the page itself."""
        token = find_token(self.get("/").text) if token is None else token
        body = urlencode({"token": token, **fields}).encode()
        kind = "application/x-www-form-urlencoded"
        return self.get(url, method="POST", body=body, content_type=kind)

    def get(self, url: str, *, method: str = "GET", body: bytes = b"", **headers: str) -> httpx.Response:
        sent = {"accept-language": "en", **{name.replace("_", "-"): value for name, value in headers.items()}}

        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self._app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                return await client.request(method, url, headers=sent, content=body)

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
    return lambda library, **options: Client(create_app(library, Options(**options)))


@pytest.fixture
def client(shelf, make_client):
    return make_client(shelf)
