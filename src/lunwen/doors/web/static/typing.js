// Results while somebody types: the same page is fetched, and its results are put in place of those shown.
"use strict";

const form = $(".ask");
const box = $("#q");
const PAUSE = 150; // ms without a key before anything is asked
let waiting, asking, composing = false;
let shown = wanted(); // what the results are of
let begun = null; // the address at which typing began: Enter leaves it in the history

function wanted() {
  const asked = [...new FormData(form)].filter(([, value]) => value.trim());
  return asked.length ? `/?${new URLSearchParams(asked)}` : "/";
}

async function ask() {
  const url = wanted();
  asking?.abort(); // an answer that comes late must not replace a later one
  if (url === shown) return;
  asking = new AbortController();
  try {
    const answer = await fetch(url, { signal: asking.signal });
    if (!answer.ok || answer.redirected) return; // Enter goes there, or says what is wrong
    const html = await answer.text();
    if (!composing && url === wanted()) put(new DOMParser().parseFromString(html, "text/html"), url);
  } catch {
    // what is shown stays
  }
}

function put(page, url) {
  const open = $("#show-filters").checked;
  for (const part of [".page", ".language", "#star"]) $(part)?.replaceWith($(part, page));
  all("link[rel=alternate]").forEach((link, place) => { link.href = all("link[rel=alternate]", page)[place].href; });
  $("#show-filters").checked = open;
  document.title = page.title;
  document.body.className = page.body.className;
  $("#count").textContent = $(".total, .nothing h2").textContent.trim();
  begun ??= location.href;
  history.replaceState(null, "", url);
  shown = url;
  ready();
}

function wait() {
  clearTimeout(waiting);
  if (!composing) waiting = setTimeout(ask, PAUSE);
}

box.addEventListener("compositionstart", () => { composing = true; wait(); });
box.addEventListener("compositionend", () => { composing = false; wait(); });
box.addEventListener("input", wait);

form.addEventListener("submit", (event) => {
  clearTimeout(waiting);
  asking?.abort();
  if (!begun) return;
  history.replaceState(null, "", begun);
  begun = null;
  if (shown !== wanted()) return;
  event.preventDefault();
  history.pushState(null, "", shown);
  box.blur();
});

addEventListener("popstate", () => location.reload());
