"use strict";
(() => {
  const by = (id) => document.getElementById(id);
  const form = by("filters"), text = by("text"), kind = by("kind"), status = by("status"), open = by("open");
  const boxes = [...form.querySelectorAll("input[name=verdict]")];
  const subjects = [...document.querySelectorAll(".subject")].map((element) => ({
    element,
    kind: element.dataset.kind,
    name: element.querySelector("h2").textContent.toLowerCase(),
    items: [...element.querySelectorAll(":scope > .item")].map((item) => ({
      element: item, verdict: item.dataset.verdict, rule: item.classList.contains("rule"), words: null,
    })),
  }));
  const rules = subjects.reduce((sum, subject) => sum + subject.items.filter((item) => item.rule).length, 0);

  // What a subject is called belongs to the text of everything in it.
  const has = (subject, item, words) => {
    item.words ??= subject.name + " " + item.element.textContent.toLowerCase();
    return words.every((word) => item.words.includes(word));
  };

  const apply = () => {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const verdicts = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    const all = verdicts.size === boxes.length;
    let shown = 0, left = 0;
    for (const subject of subjects) {
      const ofKind = !kind.value || subject.kind === kind.value;
      let some = subject.items.length === 0 && words.length === 0;
      for (const item of subject.items) {
        const wanted = item.verdict ? verdicts.has(item.verdict) : all;
        const show = ofKind && wanted && has(subject, item, words);
        item.element.hidden = !show;
        some ||= show;
        if (show && item.rule) shown += 1;
      }
      subject.element.hidden = !(ofKind && some);
      if (!subject.element.hidden) left += 1;
      if (words.length > 0 || !all || kind.value) subject.element.open = true;
    }
    status.textContent = `${shown} of ${rules} rules in ${left} of ${subjects.length} subjects`;
    open.textContent = subjects.some((subject) => !subject.element.hidden && !subject.element.open) ? "Open all" : "Close all";
    return { words, all, verdicts };
  };

  // The address holds the filters, so that a filtered report can be handed on.
  const remember = ({ words, all, verdicts }) => {
    const state = new URLSearchParams();
    if (words.length > 0) state.set("text", text.value);
    if (kind.value) state.set("kind", kind.value);
    if (!all) state.set("verdict", [...verdicts].join(","));
    const hash = state.size > 0 ? "#?" + state : location.pathname + location.search;
    try { history.replaceState(null, "", hash); } catch { /* Some places forbid it; the filters work without. */ }
  };
  const recall = () => {
    if (location.hash.startsWith("#?")) {
      const state = new URLSearchParams(location.hash.slice(2));
      text.value = state.get("text") ?? "";
      kind.value = state.get("kind") ?? "";
      if (kind.selectedIndex < 0) kind.value = "";
      const verdicts = state.has("verdict") ? state.get("verdict").split(",") : null;
      for (const box of boxes) box.checked = verdicts === null || verdicts.includes(box.value);
    }
    apply();
    const target = location.hash.startsWith("#?") ? null : by(location.hash.slice(1));
    if (target) {
      for (let at = target; at; at = at.parentElement) {
        at.hidden = false;
        if (at.localName === "details") at.open = true;
      }
      target.scrollIntoView();
    }
  };

  form.addEventListener("input", () => remember(apply()));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => remember(apply())));
  open.addEventListener("click", () => {
    const to = open.textContent === "Open all";
    for (const subject of subjects) subject.element.open = to;
    open.textContent = to ? "Close all" : "Open all";
  });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
      event.preventDefault();
      text.focus();
    } else if (event.key === "Escape" && document.activeElement === text) {
      form.reset();
    }
  });
  addEventListener("hashchange", recall);
  recall();
})();
