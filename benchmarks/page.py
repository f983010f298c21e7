"""The page in a browser over 110,522 papers: how soon it is seen, what it weighs, whether it jumps.

Each page is opened in a browser without a cache, each search by words that were not asked before.
``LUNWEN_BENCH_LIBRARY`` says where a library is.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from playwright.sync_api import sync_playwright

from benchmarks._report import LUNWEN, table, write

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM = "/usr/bin/chromium"
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
PORT = 8698
HOME = f"http://127.0.0.1:{PORT}"
PAINT, WEIGHT = 300, 150  # ms and kB that are allowed
VISITS = 7
WORDS = ["robust", "sparse", "causal", "kernel", "bayesian", "planning", "privacy"]
PAGES = {
    "start": lambda _: "/",
    "search": lambda i: f"/?q={WORDS[i]}+optimization+{WORDS[-i - 1]}",
    "search in Chinese": lambda i: (
        "/?q=" + ["图神经网络", "零阶优化", "双层优化", "强化学习", "最优传输", "差分隐私", "因果推断"][i]
    ),
    "a hundred results": lambda i: f"/?q={WORDS[i]}+learning&size=100",
    "venue": lambda i: "/?venue=" + ["ICML", "ICLR", "NeurIPS", "AAAI", "ICRA", "IROS", "IJCAI"][i],
    "topic": lambda i: f"/?topic=Theory&q={WORDS[i]}",
    "author": lambda i: (
        "/authors/"
        + [
            "sergey-levine",
            "yoshua-bengio",
            "pieter-abbeel",
            "chelsea-finn",
            "jun-zhu",
            "bo-li",
            "michael-i-jordan",
        ][i]
    ),
    "collections": lambda _: "/collections",
}


class Visit(NamedTuple):
    """What one visit to a page measured."""

    answered: float  # ms from the request to the first byte of the answer
    paint: float  # … to the first contentful paint
    sent: int  # bytes of the page itself, as they are sent
    html: int  # … and unpacked
    all: int  # bytes sent with styles, scripts and pictures
    shift: float  # cumulative layout shift


def visit(browser: Browser, path: str) -> Visit:
    """Open a page without a cache, unfold nothing, wait until it is quiet."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en")
    page = context.new_page()
    page.goto(HOME + path, wait_until="load")
    page.wait_for_timeout(300)
    measured = page.evaluate("""() => new Promise(done => {
        let shift = 0;
        new PerformanceObserver(list => { for (const one of list.getEntries()) shift += one.value; })
            .observe({ type: "layout-shift", buffered: true });
        setTimeout(() => {
            const [own] = performance.getEntriesByType("navigation");
            const rest = performance.getEntriesByType("resource")
                .reduce((sum, one) => sum + one.encodedBodySize, 0);
            const paint = performance.getEntriesByName("first-contentful-paint")[0].startTime;
            const [sent, size] = [own.encodedBodySize, own.decodedBodySize];
            done([own.responseStart - own.requestStart, paint, sent, size, sent + rest, shift]);
        }, 100);
    })""")
    context.close()
    return Visit(*measured)


def type_words(browser: Browser) -> list[float]:
    """Milliseconds from the last key of a word until its results stand there."""
    page = browser.new_page(viewport={"width": 1280, "height": 900}, locale="en")
    page.goto(HOME)
    taken = []
    for word in WORDS:
        page.fill("#q", "")
        page.wait_for_selector("body.home")
        page.click("#q")
        page.keyboard.type(f"{word} gradien")
        page.wait_for_selector("body.listing")
        page.wait_for_timeout(500)
        start = time.perf_counter()
        page.keyboard.press("t")
        page.wait_for_url(f"**/?q={word}+gradient")
        taken.append(1_000 * (time.perf_counter() - start))
    page.close()
    return taken


def main() -> None:
    folder = os.environ.get("LUNWEN_BENCH_LIBRARY") or sys.exit("name a library in LUNWEN_BENCH_LIBRARY")
    server = subprocess.Popen(
        [*LUNWEN, "--library", str(Path(folder)), "serve", "--port", str(PORT), "--workers", "1"]
    )
    try:
        wait_for_server()
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
            visit(browser, "/?q=warm")
            rows = []
            for name, path in PAGES.items():
                visits = [visit(browser, path(i)) for i in range(VISITS)]
                paints = [one.paint for one in visits]
                rows.append(
                    (
                        name,
                        f"{statistics.median(one.answered for one in visits):.0f}",
                        f"{statistics.median(paints):.0f}",
                        f"{max(paints):.0f}",
                        f"{max(one.sent for one in visits) / 1_000:.0f}",
                        f"{max(one.html for one in visits) / 1_000:.0f}",
                        f"{max(one.all for one in visits) / 1_000:.0f}",
                        f"{max(one.shift for one in visits):.3f}",
                    )
                )
            typed = type_words(browser)
            load = os.getloadavg()[1]
            browser.close()
    finally:
        server.terminate()
        server.wait()
    write(
        "page",
        "The page in a browser",
        f"One process serves over loopback, Chromium opens each page {VISITS} times without a cache, each "
        f"search by words not asked before. Wanted: painted within {PAINT} ms, at most {WEIGHT} kB of HTML "
        f"as sent (gzip). Other work on the machine's {os.cpu_count()} cores meanwhile (load average): "
        f"{load:.1f}, of which this measurement is about one.",
        table(
            (
                "page",
                "answered, median ms",
                "first paint, median ms",
                "slowest ms",
                "HTML kB sent, largest",
                "unpacked kB",
                "sent with styles and scripts kB",
                "layout shift",
            ),
            rows,
        ),
        f"Results while typing, from the last key to the new list, {len(typed)} words: median "
        f"{statistics.median(typed):.0f} ms, slowest {max(typed):.0f} ms; 150 ms of it wait for another key.",
    )


def wait_for_server() -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(f"{HOME}/healthz").read()  # noqa: S310 - our own server
        except OSError:
            time.sleep(0.1)
        else:
            return
    sys.exit("the server did not start")


if __name__ == "__main__":
    main()
