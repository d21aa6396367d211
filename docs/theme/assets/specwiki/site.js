// What a static page cannot do: know today's date, know the fragment, open by the keyboard, show a mark's numbers.
(function () {
  "use strict";
  var today = new Date().toISOString().slice(0, 10);
  document.querySelectorAll("[data-good-until]").forEach(function (note) {
    var banner = note.querySelector(".sw-stale");
    if (banner && today > note.dataset.goodUntil) banner.hidden = false;
  });

  document.querySelectorAll("a.sw-language").forEach(function (link) {
    var plain = link.getAttribute("href").split("#")[0];
    var follow = function () { link.setAttribute("href", plain + location.hash); };
    follow();
    window.addEventListener("hashchange", follow);
    link.addEventListener("pointerdown", follow);
    link.addEventListener("focus", follow);
  });

  // A box that scrolls sideways is a stop for the keyboard, and says what it is; one that fits is neither. The theme
  // wraps tables, and adds buttons to code, after this script has run; what is folded gets its size when it opens.
  var vietnamese = document.documentElement.lang === "vi";
  var say = vietnamese ? "Cuộn ngang được" : "Scrolls sideways";
  var attributes = { tabindex: "0", role: "group", "aria-label": say };
  var look = function () {
    var boxes = Array.from(document.querySelectorAll(".md-typeset__scrollwrap, .sw-scroll, .sw-math"));
    var wide = boxes.map(function (box) { return box.scrollWidth > box.clientWidth; });
    boxes.forEach(function (box, i) {
      Object.keys(attributes).forEach(function (name) {
        if (wide[i]) box.setAttribute(name, attributes[name]);
        else box.removeAttribute(name);
      });
    });
    document.querySelectorAll("nav.md-code__nav").forEach(function (nav) { nav.setAttribute("role", "none"); });
  };
  var asked = 0;
  var soon = function () { cancelAnimationFrame(asked); asked = requestAnimationFrame(look); };
  soon();
  new MutationObserver(soon).observe(document.querySelector("article"), { childList: true, subtree: true });
  document.addEventListener("toggle", soon, true);
  window.addEventListener("resize", soon);

  // Labels open the menu of a narrow screen, and the keyboard passes labels by. On Enter the theme presses one that
  // has the focus; on Space, nothing does.
  var opener = document.querySelector(".md-header__button[for=__drawer]");
  if (opener) {
    var button = document.createElement("button");
    button.className = opener.className + " sw-menu";
    button.setAttribute("aria-label", vietnamese ? "Trình đơn" : "Menu");
    button.append.apply(button, opener.childNodes);
    button.addEventListener("click", function () { document.getElementById("__drawer").click(); });
    opener.replaceWith(button);
  }
  document.querySelectorAll(".md-sidebar--primary label[for=__toc]").forEach(function (label) { label.tabIndex = 0; });
  document.addEventListener("keydown", function (event) {
    var at = event.target;
    var pressed = at.name === "__palette" ? at.nextElementSibling : at.htmlFor === "__toc" ? at : null;
    if (event.key !== " " || !pressed) return;
    pressed.click();
    event.preventDefault();
  });

  // Of the palette's two buttons the theme hides one, but leaves it to the keyboard.
  document.addEventListener("focusin", function (event) {
    if (event.target.name !== "__palette" || !event.target.nextElementSibling.hidden) return;
    var shown = document.querySelector(".md-header__option label:not([hidden])").previousElementSibling;
    shown.checked = true;
    shown.focus();
  });

  var search = document.querySelector("[data-md-component=search][role=dialog]");
  var field = document.querySelector("[data-md-component=search-query]");
  if (search && field) search.setAttribute("aria-label", field.getAttribute("aria-label") || "");

  var tip = null;
  document.querySelectorAll("svg.sw-svg").forEach(function (svg) {
    svg.addEventListener("pointermove", function (event) {
      var mark = event.target.closest("[aria-roledescription=point][aria-label]");
      if (!mark) { if (tip) tip.hidden = true; return; }
      if (!tip) { tip = document.createElement("div"); tip.className = "sw-tip"; document.body.appendChild(tip); }
      tip.textContent = mark.getAttribute("aria-label");
      tip.hidden = false;
      tip.style.left = Math.min(event.pageX + 12, document.documentElement.clientWidth - 200) + "px";
      tip.style.top = event.pageY + 12 + "px";
    });
    svg.addEventListener("pointerleave", function () { if (tip) tip.hidden = true; });
  });
})();
