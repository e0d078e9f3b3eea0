"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const result = read("result");
  const { theme, charts } = read("charts");
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const element = (name, text, attributes = {}) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const clean = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, "\ufffd");

  // Charts: their data are looked up in the result, by the path that names them.
  const lookUp = (path) => path.slice(1).split("/").reduce((place, key) => place[key], result);
  const cleaned = (record) =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, typeof value === "string" ? clean(value) : value]));
  const tip = document.body.appendChild(element("div", undefined, { id: "tip", hidden: "" }));
  const showTip = (handler, event, item, value) => {
    if (!value) { tip.hidden = true; return; }
    tip.replaceChildren();
    for (const [key, shown] of Object.entries(value)) {
      const line = tip.appendChild(element("div", `${key}: `));
      line.append(element("b", String(shown)));
    }
    tip.hidden = false;
    const left = Math.min(event.pageX + 14, window.scrollX + document.documentElement.clientWidth - tip.offsetWidth - 4);
    tip.style.left = `${Math.max(left, 4)}px`;
    tip.style.top = `${event.pageY + 14}px`;
  };
  let printing = false;
  const PAPER = 680, GUTTER = 24; // pixels of a sheet of A4 between its margins, and between two charts
  const widthOf = (place) => {
    if (printing) return place.closest(".grid") ? (PAPER - GUTTER) / 2 : PAPER;
    // A panel that is not shown has no width: take that of the nearest thing that has.
    let at = place;
    while (at && !at.clientWidth) at = at.parentElement;
    const grid = place.closest(".grid");
    if (grid && at !== place) return (at.clientWidth - (innerWidth > 760 ? 44 : 0)) / (innerWidth > 760 ? 2 : 1);
    return at ? at.clientWidth : 600;
  };
  const views = new Map();
  const draw = async (id, spec) => {
    const place = document.getElementById(id);
    if (!place) return;
    const filled = { ...structuredClone(spec), config: structuredClone(theme) };
    for (const path of spec.usermeta.data) filled.datasets[path] = lookUp(path).map(cleaned);
    delete filled.usermeta;
    filled.width = Math.floor(widthOf(place));
    for (const name of Object.keys(filled.datasets)) {
      if (!name.startsWith("/")) filled.datasets[name] = filled.datasets[name].map(cleaned);
    }
    place.replaceChildren();
    const made = await window.vegaEmbed(place, filled, {
      mode: "vega-lite", renderer: "svg", actions: false, defaultStyle: false, ast: true, hover: false, tooltip: showTip,
    });
    views.set(id, made.view);
    place.setAttribute("data-drawn", "");
  };
  const drawAll = async () => {
    for (const [id, spec] of Object.entries(charts)) await draw(id, spec);
    document.documentElement.setAttribute("data-ready", "");
  };
  let last = innerWidth, waiting;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (innerWidth === last) return;
      last = innerWidth;
      fit();
    }, 150);
  });

  const fit = () => {
    for (const [id, view] of views) view.width(Math.floor(widthOf(document.getElementById(id)))).run();
  };
  let opened = [];
  addEventListener("beforeprint", () => {
    printing = true;
    opened = all("details[data-printed]:not([open])");
    for (const one of opened) one.open = true;
    fit();
  });
  addEventListener("afterprint", () => {
    printing = false;
    for (const one of opened) one.open = false;
    fit();
  });

  // Switches: which budget, and which leakage, is shown.
  const choose = (key, value) => {
    for (const one of all(`button[data-${key}]`)) one.setAttribute("aria-pressed", String(one.dataset[key] === value));
    for (const one of all(`.panel[data-${key}], .choice[data-${key}]`)) one.hidden = one.dataset[key] !== value;
  };
  for (const key of ["budget", "choice"]) {
    const buttons = all(`button[data-${key}]`);
    for (const button of buttons) button.addEventListener("click", () => choose(key, button.dataset[key]));
    if (buttons.length) choose(key, buttons[0].dataset[key]);
  }

  // Pairs of protocols: verdict, figures, the adversary, the certificate.
  // Rows of one spec are one channel, which is called by all their names.
  const called = new Map();
  for (const [place, { spec }] of result.rows.entries()) {
    called.set(spec, (called.get(spec) ?? new Set()).add(clean(result.series[place])));
  }
  const names = new Map([...called].map(([spec, found]) => [spec, [...found].join(" = ")]));
  const number = (value) => (value === null ? "–" : String(Number(value.toPrecision(4))));
  const strength = (value) => (value < 1 && number(value) === "1" ? "< 1" : number(value));
  const find = (list, place, original, refined) =>
    list.find((one) => one.epsilon === result.diagrams[place].epsilon && one.original === original && one.refined === refined);
  const save = (text, name) => {
    const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    const link = element("a", undefined, { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  };
  const verdicts = { refines: "⊑", does_not_refine: "⋢", undecided: "?" };
  const nobody = (from) => `No adversary, whatever they know or want, learns more from ${from}.`;
  const side = (place, original, refined) => {
    const entry = find(result.order, place, original, refined);
    const proof = find(result.proofs, place, original, refined);
    const box = element("div", undefined, { "data-verdict": entry.verdict });
    const safer = names.get(refined);
    box.append(element("h4", `${names.get(original)} ${verdicts[entry.verdict]} ${safer}`));
    const proved = {
      refines: `Proved: ${safer} is at least as safe for everybody. ${nobody(safer)}`,
      does_not_refine: `Proved: somebody learns more from ${safer}.`,
      undecided: "Not decided.",
    };
    box.append(element("p", proved[entry.verdict]));
    if (proof && proof.words) box.append(element("p", clean(proof.words)));
    const list = box.appendChild(element("dl"));
    for (const [label, key] of [["margin", "margin"], ["deficiency", "deficiency"], ["… in reverse", "deficiency_reverse"]]) {
      list.append(element("dt", label));
      list.appendChild(element("dd")).append(
        entry[key] === null ? "not computed" : element("data", (key === "margin" ? strength : number)(entry[key]), { value: JSON.stringify(entry[key]) }),
      );
    }
    if (entry.reason) box.append(element("p", entry.reason, { class: "note" }));
    if (proof && proof.certificate) {
      const button = box.appendChild(element("button", "Save the certificate", { type: "button" }));
      const file = `${names.get(original)}-${names.get(refined)}.json`.toLowerCase().replace(/[^a-z0-9.-]+/g, "-");
      button.addEventListener("click", () => save(`${JSON.stringify(proof.certificate, null, 1)}\n`, file));
    }
    return box;
  };
  const showPair = (place, original, refined) => {
    const detail = document.querySelector(`.detail[data-place="${place}"]`);
    const forth = find(result.order, place, original, refined);
    const back = find(result.order, place, refined, original);
    const [a, b] = [names.get(original), names.get(refined)];
    let summary = "not everything about this pair is decided";
    if (forth.verdict === "refines") summary = back.verdict === "refines" ? `nobody can tell the leakage of ${a} and ${b} apart` : `${b} is safer for everybody than ${a}`;
    else if (back.verdict === "refines") summary = `${a} is safer for everybody than ${b}`;
    else if (forth.verdict === back.verdict && forth.verdict === "does_not_refine") summary = "neither is safer for everybody: it depends on the adversary";
    const sides = element("div", undefined, { class: "sides" });
    sides.append(side(place, original, refined), side(place, refined, original));
    detail.replaceChildren(element("h3", `${a} and ${b}: ${summary}.`), sides);
    for (const one of all(`.verdict[data-place="${place}"]`)) {
      one.setAttribute("aria-pressed", String(one.dataset.original === original && one.dataset.refined === refined));
    }
  };
  const press = (target, act) => {
    target.addEventListener("click", act);
    target.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      act();
    });
  };
  for (const button of all("button.verdict")) {
    button.addEventListener("click", () => showPair(button.dataset.place, button.dataset.original, button.dataset.refined));
  }
  for (const diagram of all(".diagram")) {
    const place = diagram.dataset.place;
    for (const edge of all(".edge", diagram)) press(edge, () => showPair(place, edge.dataset.original, edge.dataset.refined));
    let first = null;
    const nodes = all(".node", diagram);
    for (const node of nodes) {
      press(node, () => {
        const done = nodes.filter((one) => one.getAttribute("aria-pressed") === "true").length > 1;
        if (done) for (const one of nodes) one.setAttribute("aria-pressed", "false");
        if (done || first === null || first === node) {
          const again = first === node && !done;
          first = again ? null : node;
          node.setAttribute("aria-pressed", String(!again));
          return;
        }
        node.setAttribute("aria-pressed", "true");
        showPair(place, first.dataset.spec, node.dataset.spec);
        first = null;
      });
    }
  }
  document.getElementById("save-json").addEventListener("click", () => save(`${JSON.stringify(result, null, 2)}\n`, "comparison.json"));
  drawAll();
})();
