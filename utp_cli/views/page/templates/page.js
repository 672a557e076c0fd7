"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const by = (id) => document.getElementById(id);
  const articles = all("article");
  const texts = new Map();

  // Filter and search. Words that are looked for must all be there.
  const form = by("filter");
  const find = by("find");
  const textOf = (article) => {
    if (!texts.has(article)) texts.set(article, article.textContent.toLowerCase());
    return texts.get(article);
  };
  const apply = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const show = form.elements.show.value;
    const status = form.elements.status ? form.elements.status.value : "";
    let count = 0;
    for (const article of articles) {
      const fits = (!show || article.dataset.sign === show) && (!status || article.dataset.status === status)
        && words.every((word) => textOf(article).includes(word));
      article.hidden = !fits;
      count += fits;
    }
    by("count").textContent = `${count.toLocaleString("en")} of ${articles.length.toLocaleString("en")}`;
    by("none").hidden = count > 0;
  };
  const clear = () => {
    form.reset();
    apply();
  };
  let waiting = 0;
  form.hidden = articles.length < 2;
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(apply, articles.length > 300 ? 120 : 0);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  by("clear").addEventListener("click", clear);
  apply();

  for (const name of articles.length > 1 ? all("[data-find]") : []) {
    const button = document.createElement("button");
    button.type = "button";
    button.title = "Find the answers with it";
    button.className = name.className;
    button.append(...name.childNodes);
    button.addEventListener("click", () => {
      find.value = name.dataset.find;
      apply();
      form.scrollIntoView();
    });
    name.replaceWith(button);
  }

  // Open and fold.
  const fold = by("fold");
  fold.addEventListener("click", () => {
    const open = fold.textContent === "Open all";
    for (const article of articles) if (!article.hidden) article.firstElementChild.open = open;
    fold.textContent = open ? "Fold all" : "Open all";
  });

  // An anchor leads into what is folded or filtered away.
  const reveal = () => {
    const target = location.hash && by(location.hash.slice(1));
    const article = target && target.closest("article");
    if (!article) return;
    if (article.hidden) clear();
    article.firstElementChild.open = true;
    target.scrollIntoView({ block: article === target ? "start" : "center" });
  };
  addEventListener("hashchange", reveal);
  reveal();

  // Pointing at one end of a link lights up the other.
  const ends = (link) => {
    const end = by(link.hash.slice(1));
    if (!end || !end.closest("article")) return [];
    let lit = end;
    while (lit && lit.classList.contains("at")) lit = lit.nextElementSibling;
    return lit && lit.tagName !== "ARTICLE" ? [link, lit] : [link];
  };
  const light = (on) => (event) => {
    const link = event.target.closest && event.target.closest("article a[href^='#']");
    if (link) for (const element of ends(link)) element.classList.toggle("lit", on);
  };
  for (const [on, ...names] of [[true, "mouseover", "focusin"], [false, "mouseout", "focusout"]]) {
    for (const name of names) document.addEventListener(name, light(on));
  }

  // Steps can be copied.
  for (const step of all(".steps li > code:first-of-type")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(step.textContent);
        button.textContent = "copied";
      } catch {
        getSelection().selectAllChildren(step);
        button.textContent = "selected";
      }
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    });
    step.parentElement.append(button);
  }

  // Keys.
  const go = (steps) => {
    const seen = articles.filter((article) => !article.hidden);
    const here = seen.findIndex((article) => article.contains(document.activeElement));
    const next = seen[Math.min(Math.max(here + steps, 0), seen.length - 1)];
    if (next) {
      const summary = next.querySelector("summary");
      summary.focus();
      summary.scrollIntoView({ block: "nearest" });
    }
  };
  const keys = { "/": () => find.focus(), j: () => go(1), k: () => go(-1) };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.target === find) clear();
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input[type=search], select")) return;
    if (Object.hasOwn(keys, event.key)) {
      event.preventDefault();
      keys[event.key]();
    }
  });

  // Light and dark.
  const theme = by("theme");
  const themes = ["auto", "light", "dark"];
  const remember = (name) => { try { localStorage.setItem("utp-theme", name); } catch { /* no storage */ } };
  const remembered = () => { try { return localStorage.getItem("utp-theme"); } catch { return null; } };
  const use = (name) => {
    document.documentElement.dataset.theme = name;
    theme.textContent = `Theme: ${name}`;
  };
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const next = themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % themes.length];
    use(next);
    remember(next);
  });
  use(themes.includes(remembered()) ? remembered() : "auto");
})();
