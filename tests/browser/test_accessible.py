"""axe-core finds nothing wrong on any page, in either language and either scheme."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")

PAGES = {
    "start": "/",
    "results": "/?q=lamps&venue=ICML&explain=1",
    "places": "/?venue=ICML",
    "chinese": "/?q=零阶优化",
    "nothing": "/?q=zeppelins",
    "paper": "/papers/rich",
    "odd": "/papers/hostile",
    "similar": "/papers/rich/similar",
    "author": "/authors/clemence-garcia",
    "api": "/api",
    "methods": "/methods",
    "error": "/nowhere",
}


def violations(page) -> list[str]:
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    found = axe.Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"]]


@pytest.mark.parametrize(("lang", "scheme"), [("en", "light"), ("zh", "dark")])
def test_no_violation_while_suggestions_are_shown(open_page, lang, scheme):
    page = open_page("/papers/rich", lang=lang, color_scheme=scheme)
    page.click("#q")
    page.keyboard.type("learning")
    page.wait_for_selector("#suggested [role=option]")
    page.keyboard.press("ArrowDown")
    assert violations(page) == []


def test_code_keeps_its_lines_and_can_be_scrolled_by_keys(open_library_page):
    page = open_library_page("/papers/000-18", width=360)
    sample = page.locator("#example-text")
    assert sample.evaluate("one => getComputedStyle(one).whiteSpace") == "pre"
    assert sample.evaluate("one => one.scrollWidth > one.clientWidth")
    assert sample.inner_text().rstrip("\n") in sample.evaluate("one => one.textContent")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    sample.focus()
    page.keyboard.press("End")
    while not sample.evaluate("one => one.scrollLeft"):  # it glides there
        page.keyboard.press("ArrowRight")
    assert violations(page) == []


@pytest.mark.parametrize(("lang", "scheme", "width"), [("en", "light", 1280), ("zh", "dark", 360)])
@pytest.mark.parametrize("name", PAGES)
def test_no_violation(open_page, name, lang, scheme, width):
    wanted = 404 if name == "error" else 200
    page = open_page(PAGES[name], wanted=wanted, lang=lang, color_scheme=scheme, width=width)
    assert violations(page) == []
