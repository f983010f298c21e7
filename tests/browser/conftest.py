from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
import uvicorn

from lunwen.doors.web.app import create_app
from lunwen.doors.web.option import Options
from lunwen.doors.web.server import listen
from lunwen.library import open_library

CHROMIUM = Path("/usr/bin/chromium")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@contextmanager
def serving(library):
    """Serves a library on a free port, under this machine's own names alone; yields its address."""
    with listen("127.0.0.1", 0) as listener:
        app = create_app(library, Options().at("127.0.0.1"))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join(5)


@pytest.fixture(scope="session")
def site():
    """An invented library served on a free port."""
    place = Path(__file__).parents[1] / "doors" / "web" / "shelf.py"
    spec = spec_from_file_location("browser_shelf", place)
    shelf = module_from_spec(spec)
    sys.modules["browser_shelf"] = shelf
    spec.loader.exec_module(shelf)
    with serving(shelf.Shelf()) as address:
        yield address


@pytest.fixture(scope="module")  # while it lives, its event loop keeps others from running
def chromium():
    if not CHROMIUM.exists():
        pytest.skip(f"no browser at {CHROMIUM}")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, site):
    """Opens a path; at the end no script may have failed and no other host may have been asked."""
    contexts, faults, asked, homes = [], [], set(), []

    def start(path="/", *, base=site, wanted=200, width=1280, height=900, lang="en", **options):
        homes.append(base)
        context = chromium.new_context(viewport={"width": width, "height": height}, locale=lang, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5_000)
        page.on(
            "console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: faults.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: asked.add(request.url))
        answer = page.goto(base + path)
        assert answer.status == wanted
        return page

    yield start
    for context in contexts:
        context.close()
    assert [fault for fault in faults if "status of 4" not in fault] == []
    assert {url for url in asked if not url.startswith((*homes, "data:"))} == set()


@pytest.fixture(scope="session")
def library_site(tmp_path_factory):
    """The built-in catalogue served on a free port: a library that can be written to."""
    with open_library(tmp_path_factory.mktemp("browser_library")) as library, serving(library) as address:
        yield address


@pytest.fixture
def open_library_page(open_page, library_site):
    """Opens a path of the library that can be written to."""
    return lambda path="/", **options: open_page(path, base=library_site, **options)
