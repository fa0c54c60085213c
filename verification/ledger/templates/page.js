"use strict";
// Filters, search, copy buttons and the graph's highlight. Everything else works without this file.
// Words of the paper for parts of ids.
const SHORT = { proposition: "prop", equation: "eq", section: "sec", figure: "fig" };
(() => {
  const form = document.getElementById("filters");
  for (const box of document.querySelectorAll(".formula, .wide, pre")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0; // scrolls: reachable by keyboard
  }
  for (const pre of document.querySelectorAll("pre.python")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(pre.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(pre);
        button.textContent = "Selected: press Ctrl+C";
      }
    });
    pre.before(button);
  }
  for (const node of document.querySelectorAll("svg.graph a")) {
    const id = node.dataset.claim;
    const near = document.querySelectorAll(`path[data-from="${id}"], path[data-to="${id}"]`);
    const mark = (on) => near.forEach((path) => path.classList.toggle("near", on));
    for (const name of ["mouseenter", "focus"]) node.addEventListener(name, () => mark(true));
    for (const name of ["mouseleave", "blur"]) node.addEventListener(name, () => mark(false));
  }
  if (!form) return;
  form.hidden = false;
  const articles = [...document.querySelectorAll("main article")].map((article) => ({
    article,
    data: article.querySelector("h3").dataset,
    text: article.textContent.toLowerCase().replace(/\s+/g, " "),
  }));
  const shown = document.getElementById("shown");
  // "Proposition 9", "prop 9" and "Lemma4" are names of claims, too
  const idOf = (words) =>
    words
      .replace(/\b(proposition|equation|section|figure)\b/g, (word) => SHORT[word])
      .replace(/([a-z])[ .-]*(\d)/g, "$1-$2")
      .replace(/[ _]+/g, "-");
  const apply = () => {
    const typed = form.search.value.toLowerCase().trim().replace(/\s+/g, " ");
    const words = typed.replace(/"/g, "");
    const name = idOf(words);
    const named = words === typed && articles.some(({ article }) => article.id === name);
    let count = 0;
    for (const { article, data, text } of articles) {
      const fits =
        (!form.status.value || data.status === form.status.value) &&
        (!form.section.value || data.section === form.section.value) &&
        (!form.kind.value || data.kinds.split(" ").includes(form.kind.value)) &&
        (!words || (named ? article.id === name : text.includes(words) || article.id.includes(name)));
      article.hidden = !fits;
      count += fits;
    }
    for (const section of document.querySelectorAll("main section.claims")) {
      section.hidden = !section.querySelector("article:not([hidden])");
    }
    shown.textContent = count === articles.length ? `All ${count} claims.` : `${count} of ${articles.length} claims.`;
    if (named) shown.textContent += ` Found by its name; "${typed}" in quotes finds all that mention it.`;
    if (!count && form.kind.value === "training") shown.textContent += " No training run bears on any.";
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.closest("[hidden]")) {
      form.reset();
      setTimeout(() => target.scrollIntoView());
    }
  };
  addEventListener("hashchange", reveal);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-filter]");
    if (!link) return;
    form.reset();
    form[link.dataset.filter].value = link.dataset.value;
    setTimeout(apply);
  });
  apply();
})();
