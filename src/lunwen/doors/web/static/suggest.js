// What the library has that begins as typed, below the box; nothing is asked while an input method composes.
"use strict";

{
  const box = $("#q");
  const list = $("#suggested");
  const MOST = 6;
  const LONGEST = 100; // characters; what is longer is a text, and nobody is choosing
  const PAUSE = 120; // ms without a key before anything is asked
  let waiting, asking, composing = false;
  let chosen = -1; // the place of an option, or none

  box.type = "text"; // a search box may not be a combobox
  box.setAttribute("role", "combobox");
  box.setAttribute("aria-autocomplete", "list");
  box.setAttribute("aria-controls", list.id);
  close();

  function close() {
    clearTimeout(waiting);
    asking?.abort();
    show([]);
  }

  function show(items) {
    list.replaceChildren(...items.map(option));
    list.hidden = !items.length;
    box.setAttribute("aria-expanded", !list.hidden);
    choose(-1);
  }

  function option(item, place) {
    const row = document.createElement("li");
    const text = document.createElement("bdi");
    const says = document.createElement("span");
    row.id = `suggested-${place}`;
    row.role = "option";
    row.dataset.url = address(item);
    text.textContent = item.text;
    says.className = "quiet";
    says.textContent = [list.dataset[item.kind], item.paper_id ? "" : item.papers.toLocaleString("en")].filter(Boolean).join(" ");
    row.append(text, " ", says);
    return row;
  }

  // Where results follow what is typed, papers stand there already, and a list must not lie upon them.
  function isWanted({ paper_id }) {
    return !(paper_id && $("body.home, body.listing"));
  }

  function address({ paper_id, request }) {
    if (paper_id) return `/papers/${encodeURIComponent(paper_id).replaceAll("%2F", "/")}`;
    const named = Object.entries(request).map(([name, value]) => [name === "query" ? "q" : name, value]);
    const pairs = named.flatMap(([name, values]) => [values].flat().map((value) => [name, value]));
    return `/?${new URLSearchParams(pairs)}`;
  }

  function choose(place) {
    chosen = place;
    [...list.children].forEach((row, number) => row.setAttribute("aria-selected", number === place));
    if (place < 0) box.removeAttribute("aria-activedescendant");
    else box.setAttribute("aria-activedescendant", list.children[place].id);
  }

  async function ask() {
    asking?.abort(); // an answer that comes late must not replace a later one
    const typed = box.value;
    if (!typed.trim() || typed.length > LONGEST) return show([]);
    asking = new AbortController();
    try {
      const answer = await fetch(`/api/suggest?${new URLSearchParams({ query: typed, limit: MOST })}`, { signal: asking.signal });
      const { items } = answer.ok ? await answer.json() : { items: [] };
      if (!composing && document.activeElement === box && box.value === typed) show(items.filter(isWanted));
    } catch {
      // nobody waits for it any more
    }
  }

  function wait() {
    clearTimeout(waiting);
    if (!composing) waiting = setTimeout(ask, PAUSE);
  }

  box.addEventListener("input", wait);
  box.addEventListener("compositionstart", () => { composing = true; close(); });
  box.addEventListener("compositionend", () => { composing = false; wait(); });
  box.addEventListener("blur", close);
  box.form.addEventListener("submit", close);

  box.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = list.children.length - 1;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && list.hidden) {
      if (step > 0) ask();
    } else if (step) {
      event.preventDefault(); // the caret stays
      const next = chosen + step;
      choose(next > last ? -1 : next < -1 ? last : next); // beyond either end is the box itself
    } else if (event.key === "Escape" && !list.hidden) {
      event.stopPropagation(); // a second one leaves the box
      close();
    } else if (event.key === "Enter" && chosen >= 0) {
      event.preventDefault();
      location.assign(list.children[chosen].dataset.url);
    }
  });

  list.addEventListener("pointerdown", (event) => event.preventDefault()); // the box keeps the focus
  list.addEventListener("click", (event) => {
    const row = event.target.closest("[data-url]");
    if (row) location.assign(row.dataset.url);
  });
}
