"""Stars, collections, notes and saved searches, with and without JavaScript."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

PRESSED = ".star[aria-pressed=true]"


@pytest.fixture
def open_page(open_library_page):
    yield open_library_page
    page = open_library_page("/collections/starred")  # what a test starred is taken back
    while page.locator(PRESSED).count():
        with page.expect_response("**/shelf/unstar"):
            page.locator(PRESSED).first.click()
        page.reload()


def test_s_stars_the_paper_in_hand_and_nothing_while_typing(open_page):
    page = open_page("/?q=learning")
    page.keyboard.press("s")
    assert page.locator(PRESSED).count() == 0
    page.keyboard.press("j")
    with page.expect_response("**/shelf/star"):
        page.keyboard.press("s")
    page.wait_for_selector(PRESSED)
    starred = page.locator(f".card:has({PRESSED}) .title").get_attribute("href")
    assert page.url.endswith("/?q=learning")
    page.keyboard.press("/")
    page.keyboard.type("s")
    assert page.locator(PRESSED).count() == 1
    page.goto(page.url.split("?")[0] + "collections/starred")
    assert page.locator(".title").get_attribute("href") == starred


def test_a_star_can_be_taken_back_where_it_stands(open_page):
    page = open_page("/papers/000-18")
    for pressed in ("true", "false"):
        with page.expect_response("**/shelf/*"):
            page.keyboard.press("s")
        page.wait_for_selector(f".out .star[aria-pressed={pressed}]")
    page.reload()
    assert page.locator(PRESSED).count() == 0


def test_a_star_that_is_not_kept_is_said_and_not_shown(open_page):
    page = open_page("/papers/000-18")
    page.eval_on_selector_all("[name=token]", "all => all.forEach(one => one.value = 'old')")
    page.click(".out .star")
    page.wait_for_selector(".said.shown")
    assert "Reload the page" in page.inner_text(".said")
    assert page.locator(PRESSED).count() == 0


def test_all_of_it_works_without_javascript(open_page):
    page = open_page("/?q=learning", java_script_enabled=False)
    page.locator(".star").first.click()
    page.wait_for_url("**/?q=learning")
    assert page.locator(".star").first.get_attribute("aria-pressed") == "true"
    page.locator(".title").first.click()
    title = page.inner_text("h1")
    page.fill("input[list=collections]", "to read")
    page.click(".keeping button:has-text('Add')")
    page.fill("#note", "Chapter 3 <b>first</b>\nthen 4")
    page.click("text=Save note")
    assert page.input_value("#note") == "Chapter 3 <b>first</b>\nthen 4"
    page.click(".keeping a:has-text('to read')")
    assert page.inner_text(".title") == title
    assert page.inner_text(".card .note") == "Chapter 3 <b>first</b>\nthen 4"
    page.click("text=Delete this collection")
    page.click("details[open] button")
    page.wait_for_url("**/collections")
    assert page.locator(".kept a:has-text('to read')").count() == 0


def test_a_search_is_saved_and_forgotten(open_page):
    page = open_page("/?q=transport&venue=ICML")
    page.click("text=Save this search")
    page.click("details[open] button:has-text('Save')")
    page.wait_for_url("**/watches/transport%20%C2%B7%20ICML")
    assert page.inner_text(".total") == "Nothing new since the last visit"
    page.click("text=Delete this saved search")
    page.click("details[open] button")
    page.wait_for_url("**/watches")


def test_a_star_works_in_results_that_came_while_typing(open_page):
    page = open_page("/")
    page.fill("#q", "transport")
    page.wait_for_url("**/?q=transport")
    with page.expect_response("**/shelf/star"):
        page.locator(".star").first.click()
    page.wait_for_selector(PRESSED)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/collections", "/collections/starred", "/papers/001-09"])
def test_no_violation_and_no_sideways_scroll(open_page, path, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")
    page = open_page("/papers/000-18")
    with page.expect_response("**/shelf/star"):
        page.click(".out .star")
    page = open_page(path, color_scheme=scheme, width=360)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    found = axe.Axe().run(page).response["violations"]
    assert [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"]] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
