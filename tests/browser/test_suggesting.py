"""Suggestions below the search box: a combobox for the keyboard, for screen readers, for input methods."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

OPTIONS = "#suggested [role=option]"


def chosen(page) -> str:
    """The option that the box points to, as a screen reader hears it."""
    return page.evaluate(
        "document.getElementById(document.querySelector('#q').getAttribute('aria-activedescendant'))"
        "?.textContent ?? ''"
    )


def test_what_begins_as_typed_is_shown_and_leads_there(open_page):
    page = open_page("/papers/rich")
    page.click("#q")
    page.keyboard.type("ic")
    page.wait_for_selector(OPTIONS)
    box = page.get_by_role("combobox", name="Search papers")
    assert box.get_attribute("aria-expanded") == "true"
    assert box.get_attribute("aria-controls") == "suggested"
    assert page.locator(OPTIONS).first.inner_text().split() == ["ICML", "Venue", "21"]
    page.locator(OPTIONS).first.click()
    page.wait_for_url("**/?venue=ICML")


def test_keys_choose_and_enter_goes_there(open_page):
    page = open_page("/papers/rich")
    page.click("#q")
    page.keyboard.type("shar")
    page.wait_for_selector(OPTIONS)
    assert chosen(page) == ""
    page.keyboard.press("ArrowDown")
    assert chosen(page).startswith("Lamps that share a switch")
    assert page.get_attribute("#suggested-0", "aria-selected") == "true"
    assert page.evaluate("document.activeElement.id") == "q"
    assert page.evaluate("document.querySelector('#q').selectionStart") == 4
    for key in ("ArrowUp", "ArrowUp", "ArrowDown"):  # the box itself, the last, the box again
        page.keyboard.press(key)
    assert chosen(page) == ""
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/papers/rich")


def test_enter_without_a_choice_searches_what_is_typed(open_page):
    page = open_page("/papers/rich")
    page.click("#q")
    page.keyboard.type("ic")
    page.wait_for_selector(OPTIONS)
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=ic")


def test_escape_closes_the_list_and_then_leaves_the_box(open_page):
    page = open_page("/papers/rich")
    page.click("#q")
    page.keyboard.type("ic")
    page.wait_for_selector(OPTIONS)
    page.keyboard.press("Escape")
    assert page.locator("#suggested").is_hidden()
    assert page.get_by_role("combobox", name="Search papers").get_attribute("aria-expanded") == "false"
    assert page.input_value("#q") == "ic"
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.press("ArrowDown")
    page.wait_for_selector(OPTIONS)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement === document.body")


def test_leaving_the_box_closes_the_list_and_nothing_has_moved(open_page):
    page = open_page("/papers/rich")
    before = page.locator("h1").bounding_box()
    page.click("#q")
    page.keyboard.type("ic")
    page.wait_for_selector(OPTIONS)
    assert page.locator("h1").bounding_box() == before
    page.keyboard.press("Tab")
    assert page.locator("#suggested").is_hidden()


def test_nothing_is_asked_while_an_input_method_composes(open_page):
    page = open_page("/papers/rich")
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/api/suggest" in request.url else None)
    page.clock.install()
    page.click("#q")
    page.evaluate(
        """() => {
            const box = document.querySelector("#q");
            box.dispatchEvent(new CompositionEvent("compositionstart"));
            box.value = "mian'xiang";
            box.dispatchEvent(new InputEvent("input", { isComposing: true }));
        }"""
    )
    page.clock.run_for(60_000)
    assert asked == []
    assert page.locator("#suggested").is_hidden()
    page.evaluate(
        """() => {
            const box = document.querySelector("#q");
            box.value = "面向";
            box.dispatchEvent(new CompositionEvent("compositionend"));
        }"""
    )
    page.wait_for_selector(OPTIONS)
    assert page.locator(OPTIONS).first.inner_text().startswith("面向共享台灯")
    page.keyboard.press("ArrowDown")
    page.evaluate("""() => document.querySelector("#q").dispatchEvent(
        new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true }))""")
    assert page.url.endswith("/papers/rich")  # an Enter that ends a composition chooses nothing
    assert len(asked) == 1


def test_without_scripts_the_box_is_a_search_box(open_page):
    page = open_page("/", java_script_enabled=False)
    assert page.get_attribute("#q", "type") == "search"
    assert page.get_attribute("#q", "role") is None
    page.fill("#q", "lamps")
    page.press("#q", "Enter")
    page.wait_for_url("**/?q=lamps")


def test_of_a_real_library(open_library_page):
    page = open_library_page("/")
    page.click("#q")
    page.keyboard.type("bin l")
    page.wait_for_selector(OPTIONS)
    page.locator(OPTIONS, has_text="Bin Liang").first.click()
    page.wait_for_url("**/?author=Bin+Liang")
    assert page.locator(".title").count() == 1
