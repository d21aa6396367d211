// Three things that a static page cannot do: know today's date, know the fragment, and show a mark's numbers.
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

  document.querySelectorAll(".md-typeset__scrollwrap").forEach(function (wrap) { wrap.tabIndex = 0; });
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
