from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

SHOTS = Path(__file__).with_name("screenshots")  # git leaves them out


def fits(page) -> bool:
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_search_filter_page_and_back(open_page):
    page = open_page("/")
    page.fill("#q", "first-order")
    page.press("#q", "Enter")
    page.wait_for_url("**/?q=first-order")
    found = int(page.inner_text(".total strong").split()[0])
    page.click(".tree > li > a:has-text('Theory')")
    page.wait_for_url("**/?q=first-order&topic=Theory")
    assert int(page.inner_text(".total strong").split()[0]) < found
    assert page.input_value("#q") == "first-order"
    page.click(".orders a:has-text('Newest')")
    page.wait_for_url("**/?q=first-order&topic=Theory&sort=newest")
    page.go_back()
    page.go_back()
    page.wait_for_url("**/?q=first-order")
    page.click(".pages a[rel=next]")
    page.wait_for_url("**/?q=first-order&page=2")
    assert page.get_attribute(".results", "start") == "21"
    page.go_back()
    assert page.inner_text(".total strong").split()[0] == str(found)


def test_a_new_question_keeps_the_filters_and_goes_to_the_first_page(open_page):
    page = open_page("/?q=first-order&venue=ICML&size=5&page=2")
    page.fill("#q", "lamps")
    page.click(".ask button")
    page.wait_for_url("**/?q=lamps&venue=ICML&size=5")


def test_keys(open_page):
    page = open_page("/?q=first-order")
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement === document.querySelectorAll('.title')[1]")
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement === document.querySelectorAll('.title')[0]")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("jk?o")
    assert page.input_value("#q") == "jk?o"
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert page.is_visible("#keys")
    page.keyboard.press("Escape")
    assert not page.is_visible("#keys")
    page.goto(page.url.split("?")[0] + "?q=first-order")  # what was typed has found nothing by now, or will
    page.keyboard.press("j")
    page.keyboard.press("o")
    page.wait_for_url("**/papers/*")


def test_bibtex_is_copied_with_b_and_with_a_click(open_page):
    page = open_page("/?q=switch", permissions=["clipboard-read", "clipboard-write"])
    page.keyboard.press("j")
    page.keyboard.press("b")
    page.wait_for_selector(".said.shown")
    assert page.evaluate("navigator.clipboard.readText()").startswith("@inproceedings{")
    page.goto(page.url.split("?")[0] + "papers/rich")
    page.evaluate("navigator.clipboard.writeText('')")
    page.click(".copy")
    page.wait_for_selector(".said.shown")
    assert page.evaluate("navigator.clipboard.readText()").startswith("@inproceedings{")


def test_a_whole_result_is_a_file(open_page):
    page = open_page("/?q=lamps")
    found = int(page.inner_text(".total strong").split()[0])
    page.click("summary:has-text('Export')")
    with page.expect_download() as file:
        page.click(".export a:has-text('BibTeX')")
    assert file.value.suggested_filename == "lunwen-lamps.bib"
    assert Path(file.value.path()).read_text().count("\n@") + 1 == found


def test_a_column_of_the_chart_filters(open_page):
    page = open_page("/?q=lamps")
    column = page.locator(".chart a").last
    year, count = column.get_attribute("aria-label").split(": ")
    column.click()
    page.wait_for_url(f"**/?q=lamps&year={year}")
    assert page.inner_text(".total strong") == count


@pytest.mark.parametrize("path", ["/", "/?q=lamps", "/papers/rich", "/authors/clemence-garcia"])
def test_nothing_jumps_while_a_page_comes_in(open_page, path):
    page = open_page(path)
    shift = page.evaluate("""() => new Promise(done => {
        let sum = 0;
        new PerformanceObserver(list => { for (const one of list.getEntries()) sum += one.value; })
            .observe({ type: "layout-shift", buffered: true });
        setTimeout(() => done(sum), 200);
    })""")
    assert shift < 0.01


def test_everything_works_without_javascript(open_page):
    page = open_page("/?q=lamps", java_script_enabled=False)
    abstract = page.locator(".card:has(.unfold) .abstract").first
    folded = abstract.bounding_box()["height"]
    page.locator(".unfold summary").first.click()
    assert abstract.bounding_box()["height"] > folded
    assert not page.is_visible(".keys-open")
    page.fill("#from", "2020")
    page.fill("#to", "2024")
    page.click(".years button")
    page.wait_for_url("**/?q=lamps&year=2020..2024")
    page.click(".chips a")
    page.wait_for_url("**/?q=lamps")
    page.locator(".links a:has-text('BibTeX')").first.click()
    assert page.inner_text("pre").startswith("@inproceedings{")


def test_filters_open_on_a_small_screen_without_javascript(open_page):
    page = open_page("/?q=lamps", width=360, java_script_enabled=False)
    assert not page.is_visible(".filters")
    page.click(".show-filters")
    page.click(".tree > li > a:has-text('Theory')")
    page.wait_for_url("**/?q=lamps&topic=Theory")


def test_an_abstract_is_never_cut_inside_maths(open_page):
    page = open_page("/?q=whispers", width=700)
    page.wait_for_selector(".fold math")
    cut = page.evaluate("""() => [...document.querySelectorAll('.fold')].flatMap(box => {
        const end = box.getBoundingClientRect().bottom;
        return [...box.querySelectorAll('math')].filter(m => {
            const r = m.getBoundingClientRect();
            return r.height && r.top < end - 6 && r.bottom > end + 8;
        }).map(m => m.textContent);
    })""")
    assert cut == []


PLACES = [
    "/",
    "/?q=lamps&topic=Theory/Optimization&explain=1",
    "/?q=river",
    "/?q=零阶优化",
    "/papers/rich",
    "/papers/rich/similar",
    "/papers/wide",
    "/authors/clemence-garcia",
    "/authors/ada-lindqvist",
]


@pytest.mark.parametrize("path", PLACES)
def test_no_sideways_scroll(open_page, path):
    page = open_page(path)
    for width in (3840, 1280, 768, 360):
        page.set_viewport_size({"width": width, "height": 900})
        assert fits(page), width
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert fits(page)


@pytest.mark.parametrize("path", ["/papers/hostile", "/?q=read+backwards", "/authors/script-alert-2-script"])
def test_a_hostile_record_does_nothing(open_page, path):
    page = open_page(path)
    page.wait_for_timeout(100)
    scripts = page.evaluate("[...document.scripts].map(one => one.getAttribute('src') ?? one.type)")
    assert all(one == "application/ld+json" or one.startswith("/static/") for one in scripts), scripts
    assert (
        page.evaluate("document.querySelectorAll('a[href^=javascript i], a[href^=data i], [onerror]').length")
        == 0
    )
    assert page.title().endswith("论文检索")


def test_a_reversed_title_reverses_nothing_else(open_page):
    page = open_page("/?q=read+backwards")
    assert page.evaluate("""() => {
        const title = document.querySelector('.title');
        return getComputedStyle(title.parentElement).unicodeBidi;
    }""") in ("isolate", "plaintext")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/?q=lamps&venue=ICML&explain=1", "/papers/rich", "/papers/rich/similar"])
def test_text_has_enough_contrast(open_page, scheme, path):
    page = open_page(path, color_scheme=scheme)
    low = page.evaluate("""() => {
        const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
        const blend = layers => {
            canvas.clearRect(0, 0, 1, 1);
            for (const layer of layers) { canvas.fillStyle = layer; canvas.fillRect(0, 0, 1, 1); }
            return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
        };
        const light = rgb => rgb.map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
            .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const found = new Set();
        while (walker.nextNode()) {
            const element = walker.currentNode.parentElement;
            if (!walker.currentNode.data.trim() || !element.checkVisibility()) continue;
            if (element.closest('.hidden, .skip, .said')) continue;
            const layers = [];
            for (let e = element; e; e = e.parentElement) layers.unshift(getComputedStyle(e).backgroundColor);
            const under = blend(layers), over = blend([...layers, getComputedStyle(element).color]);
            const [a, b] = [light(under), light(over)].sort((x, y) => y - x);
            const ratio = (a + 0.05) / (b + 0.05);
            if (ratio < 4.5) found.add(`${element.className || element.tagName} ${ratio.toFixed(2)}`);
        }
        return [...found];
    }""")
    assert low == []


def test_curly_quotes_are_narrow_in_english_and_wide_in_chinese(open_page):
    page = open_page("/")
    loaded = page.evaluate(
        """document.fonts.load('16px "Chinese marks"', '“').then(found => found.length, () => 0)"""
    )
    if not loaded:
        pytest.skip("no Chinese font on this machine")
    narrow, wide = page.evaluate("""() => ["en", "zh"].map(lang => {
        const span = document.createElement("span");
        span.lang = lang;
        span.style.fontSize = "100px";
        document.body.append(span);
        const width = text => { span.textContent = text; return span.getBoundingClientRect().width; };
        return width("中“中") - width("中中");
    })""")
    assert narrow < 60
    assert wide > 90


LOOKS = {
    "start": "/",
    "results": "/?q=first-order+lamps&topic=Theory",
    "nothing": "/?q=zeppelins",
    "chinese": "/?q=零阶优化",
    "paper": "/papers/rich",
    "similar": "/papers/rich/similar",
    "author": "/authors/clemence-garcia",
    "venue": "/?venue=ICML",
}
KEPT = {
    "shelf": "/collections",
    "starred": "/collections/starred",
    "method": "/papers/001-09",
    "methods": "/methods",
}


@pytest.mark.parametrize("look", [*LOOKS, *KEPT])
def test_screenshots_to_look_at(open_page, site, library_site, look):
    SHOTS.mkdir(exist_ok=True)
    base, path = (site, LOOKS[look]) if look in LOOKS else (library_site, KEPT[look])
    page = open_page(path, base=base)
    for lang in ("zh", "en"):
        page.goto(f"{base}{path}{'&' if '?' in path else '?'}lang={lang}")
        for width, scheme in ((1280, "light"), (1280, "dark"), (360, "light")):
            page.set_viewport_size({"width": width, "height": 1000})
            page.emulate_media(color_scheme=scheme)
            picture = page.screenshot(path=SHOTS / f"{look}-{lang}-{width}-{scheme}.png")
            assert len(picture) > 5_000
