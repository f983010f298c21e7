"""Results while somebody types."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

COUNT = ".total strong"


def total(page) -> int:
    return int(page.inner_text(COUNT).split()[0])


def test_results_follow_what_is_typed_and_the_address_with_them(open_page):
    page = open_page("/?venue=ICML")
    before = total(page)
    page.click("#q")
    page.keyboard.type("lamps")
    page.wait_for_url("**/?q=lamps&venue=ICML")
    assert 0 < total(page) < before
    assert page.evaluate("document.activeElement.id") == "q"
    assert page.evaluate("document.querySelector('#q').selectionStart") == 5
    assert page.title().startswith("Results for “lamps”")
    assert page.inner_text("#count").startswith(page.inner_text(COUNT))
    assert page.locator(".ask input[type=hidden]").get_attribute("value") == "ICML"
    assert "q=lamps" in page.get_attribute("link[type='application/atom+xml']", "href")
    assert "q=lamps" in page.get_attribute(".language a", "href")


def test_the_start_page_becomes_a_list_and_back_again(open_page):
    page = open_page("/")
    page.click("#q")
    page.keyboard.type("lamps")
    page.wait_for_selector("body.listing")
    page.fill("#q", "")
    page.wait_for_selector("body.home")
    assert page.url.endswith("/")


def test_enter_leaves_one_step_in_the_history(open_page):
    page = open_page("/?q=rivers")
    page.fill("#q", "lam")
    page.wait_for_url("**/?q=lam")
    page.fill("#q", "lamps")
    page.wait_for_url("**/?q=lamps")
    page.press("#q", "Enter")
    assert page.evaluate("document.activeElement === document.body")
    page.go_back()
    page.wait_for_url("**/?q=rivers")
    page.wait_for_selector("#q[value=rivers]")
    page.go_forward()
    page.wait_for_selector("#q[value=lamps]")


def test_a_result_opened_while_typing_leads_back_to_the_list(open_page):
    page = open_page("/")
    page.fill("#q", "lamps")
    page.wait_for_url("**/?q=lamps")
    first = page.locator(".title").first.get_attribute("href")
    page.locator(".title").first.click()
    page.wait_for_url(f"**{first}")
    page.go_back()
    page.wait_for_url("**/?q=lamps")
    assert page.input_value("#q") == "lamps"
    assert page.locator(".title").first.get_attribute("href") == first


def test_a_late_answer_replaces_no_later_one(open_page):
    page = open_page("/")
    held = []
    page.route("**/?q=lam", lambda route: held.append(route))  # noqa: PLW0108 - never answered
    with page.expect_request("**/?q=lam"):
        page.fill("#q", "lam")
    with page.expect_event("requestfailed") as dropped:
        page.fill("#q", "kites")
    assert dropped.value.url.endswith("/?q=lam")
    page.wait_for_url("**/?q=kites")
    assert len(held) == 1
    assert "kites" in page.title()


def test_an_answer_that_refuses_leaves_what_is_shown(open_page):
    page = open_page("/?q=lamps")
    shown = page.inner_text(COUNT)
    page.route("**/?q=kites", lambda route: route.fulfill(status=400, body="no"))
    with page.expect_response("**/?q=kites"):
        page.fill("#q", "kites")
    page.wait_for_timeout(100)
    assert page.inner_text(COUNT) == shown
    assert page.url.endswith("/?q=lamps")


def test_an_identifier_waits_for_enter(open_page):
    page = open_page("/")
    with page.expect_response("**/papers/rich"):
        page.fill("#q", "arXiv:2601.01234")
    page.wait_for_timeout(100)
    assert page.url.endswith("/")
    page.press("#q", "Enter")
    page.wait_for_url("**/papers/rich")


def test_nothing_is_asked_while_chinese_is_composed(open_page):
    page = open_page("/")
    asked = []
    page.on("request", lambda one: asked.append(one.url) if one.resource_type == "fetch" else None)
    page.click("#q")
    keyboard = page.context.new_cdp_session(page)
    for typed in ("l", "li", "lingjie"):
        keyboard.send(
            "Input.imeSetComposition",
            {"text": typed, "selectionStart": len(typed), "selectionEnd": len(typed)},
        )
        page.wait_for_timeout(220)
    assert page.input_value("#q") == "lingjie"
    assert asked == []
    keyboard.send("Input.insertText", {"text": "台灯"})
    page.wait_for_url("**/?q=%E5%8F%B0%E7%81%AF")
    assert page.input_value("#q") == "台灯"
    assert page.evaluate("document.activeElement.id") == "q"


def test_filters_that_are_open_stay_open(open_page):
    page = open_page("/?q=first-order", width=360)
    page.click(".show-filters")
    page.fill("#q", "lamps")
    page.wait_for_url("**/?q=lamps")
    assert page.is_visible(".filters")
