"use strict";
(() => {
  const by = (id) => document.getElementById(id);
  const form = by("filters"), text = by("text"), kind = by("kind"), status = by("status"), open = by("open");
  // Findings are what blocks; what is delegated has no verdict.
  const verdict = (item) => (item.className === "finding" ? "blocked" : item.querySelector("b").className.replace("delegated", ""));
  const boxes = [...form.querySelectorAll("input[name=verdict]")];
  const data = JSON.parse(by("data").textContent);

  // Everything is made of text nodes, so that no text can become anything else.
  const make = (name, ...parts) => {
    const element = document.createElement(name);
    for (const part of parts) {
      if (part instanceof Node || typeof part !== "object") element.append(part);
      else for (const [attribute, value] of Object.entries(part)) element.setAttribute(attribute, value);
    }
    return element;
  };
  const say = (number) => data.t[number];
  const code = (number) => make("code", say(number));
  const many = (number) => number.toLocaleString("en");
  const pairs = (all) => all.map(([name, reason]) => `${say(name)} (${say(reason)})`);
  const row = (kind, ...cells) => make("tr", ...cells.map((cell) => make(kind, cell)));
  const table = (head, rows) => make("div", { class: "wide" }, make("table", row("th", ...head), ...rows));
  const commas = (elements) => elements.flatMap((element, at) => (at > 0 ? [", ", element] : [element]));

  const COUNTS = ["", "compared", "agree: accept", "agree: reject", "handwritten only", "rule only", "panicked", "not reached", "different values"];
  const UNUSUAL = COUNTS.map((name) => ({ "handwritten only": "reference only", "rule only": "candidate only" })[name] ?? name);
  const ofRule = ({ f = [], u = [], m, c, x = 0, k = [], n = [], b, l, t, r = [], p, s = [], q, h = [], v, w }) => {
    const parts = [];
    if (f.length > 0) parts.push(make("p", "Findings:", ...f.flatMap((to) => [" ", make("a", { href: "#finding-" + to }, to)])));
    const unmet = ([found, remedy]) => make("li", say(found), ...(remedy ? [" ", make("span", { class: "quiet" }, "→ " + say(remedy))] : []));
    if (u.length > 0) parts.push(make("ul", ...u.map(unmet)));
    if (m) parts.push(make("p", { class: "quiet" }, `Met: ${say(m)}.`));
    parts.push(table((x ? UNUSUAL : COUNTS).slice(0, c[0].length + 1), ["create", "update"].map((operation, at) => {
      const line = row("td", operation, ...c[at].map(many));
      line.firstChild.replaceWith(make("th", operation));
      return line;
    })));
    const shown = ([name, breaks, create, update]) => {
      const line = row("td", say(name) + (breaks ? " (breaks)" : ""), many(create), many(update));
      if (create + update === 0) line.className = "never";
      return line;
    };
    if (k.length > 0) parts.push(table(["class of values", "create", "update"], k.map(shown)));
    if (n.length > 0) parts.push(make("p", { class: "quiet" }, `No object can show: ${pairs(n).join("; ")}.`));
    const faults = [say(p)];
    if (s.length > 0) faults.push("survived: " + s.map(say).join(", "));
    if (q) faults.push(`${many(q)} that nobody can tell from the rule`);
    faults.push(...h.map(([name, reason]) => `${say(name)} could not be exposed here (${say(reason)})`));
    const more = [
      ["Bound", say(b)], ["Level", say(l)], ["Twin", say(t), ...(r.length > 0 ? [": ", ...commas(r.map(code))] : [])],
      ["Planted faults", faults.join("; ")], ["Kept bad values", many(v)],
    ];
    if (w) more.push(["Written at", code(w)]);
    return [...parts, make("dl", { class: "more" }, ...more.flatMap(([name, ...what]) => [make("dt", name), make("dd", ...what)]))];
  };

  const SIDES = [["both", "="], ["only-reference", "-"], ["only-candidate", "+"], ["apart", " "]];
  const ofFinding = ({ e, z, g, b = [], u, r, o, x = 0, d = [], p = [], y = [], a }) => {
    const parts = [];
    if (e) parts.push(make("p", "Exception: " + say(e)));
    const finding = (to) => make("a", { href: "#finding-" + to }, "finding " + to);
    if (u) parts.push(make("p", say(u)));
    if (z) parts.push(make("p", say(z)));
    if (g) parts.push(make("p", "Brought along by ", finding(g), ": it goes when that one goes."));
    if (b.length > 0) parts.push(make("p", "Brings along:", ...b.flatMap((to) => [" ", finding(to)])));
    if (r) parts.push(make("p", "Attributed to ", code(r), "."));
    parts.push(make("p", "First seen: " + say(o)));
    const line = ([side, own, text]) => {
      const [name, sign] = SIDES[side];
      return make("tr", { class: name + (own ? " this" : "") }, make("td", sign), make("td", make("code", text.map(say).join(""))));
    };
    const caption = make("caption", "What both sides say of the smallest case: ", make("span", { class: "only-reference" }, x ? "− reference" : "− handwritten only"), ", ",
      make("span", { class: "only-candidate" }, x ? "+ candidate" : "+ declarative only"), ", = both; without sign, not compared");
    if (d.length > 0) parts.push(make("table", { class: "difference" }, caption, ...d.map(line)));
    parts.push(...p.map((panic) => make("p", { class: "warning" }, "Panic: " + say(panic))));
    if (y.length > 0) parts.push(make("pre", y.map(say).join("\n") + "\n"));
    if (a) parts.push(make("p", "Reproduce: ", code(a)));
    return parts;
  };

  const ofList = ({ m = [], d: [delegated, more] = [[], 0] }) => [make("ul",
    ...m.map(([sort, create, update]) => make("li", `${say(sort)}: ${many(create)} on create, ${many(update)} on update`)),
    ...delegated.map(([path, reason]) => make("li", code(path), ": " + say(reason))),
    ...(more > 0 ? [make("li", `… and ${more} more`)] : []))];

  // The details of the n-th element of a sort are the n-th of their sort in the data.
  const SORTS = [["rule", ofRule, data.r], ["finding", ofFinding, data.f], ["list", ofList, data.l]];
  const sources = new Map();
  for (const [name, draw, of] of SORTS) {
    document.querySelectorAll("details." + name).forEach((element, at) => sources.set(element, () => draw(of[at])));
  }
  document.addEventListener("toggle", ({ target }) => {
    if (target.open && target.childElementCount === 1 && sources.has(target)) target.append(...sources.get(target)());
  }, true);

  const subjects = [...document.querySelectorAll(".subject")].map((element) => ({
    element,
    kind: element.dataset.kind,
    name: element.querySelector("h2").textContent.toLowerCase(),
    items: [...element.querySelectorAll(":scope > details")].map((item) => ({
      element: item, verdict: verdict(item), rule: item.className === "rule", words: null,
    })),
  }));
  const rules = subjects.reduce((sum, subject) => sum + subject.items.filter((item) => item.rule).length, 0);
  // Without the script, everything that there is shows.
  for (const subject of subjects) subject.element.open = false;

  // What a subject is called belongs to the text of everything in it.
  const has = (subject, item, words) => {
    if (words.length === 0) return true;
    item.words ??= [subject.name, item.element.querySelector("summary").textContent, ...sources.get(item.element)().map((part) => part.textContent)]
      .join(" ").toLowerCase();
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
    status.textContent = `${many(shown)} of ${many(rules)} rules in ${many(left)} of ${many(subjects.length)} subjects`;
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
  // On paper nobody can open anything.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = subjects.filter((subject) => !subject.element.open);
    for (const subject of closed) subject.element.open = true;
  });
  addEventListener("afterprint", () => {
    for (const subject of closed) subject.element.open = false;
  });
  addEventListener("hashchange", recall);
  recall();
})();
