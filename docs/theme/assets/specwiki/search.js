// Stands where the theme looks for its search worker, and fetches that and the index once somebody types: together
// they weigh as much as a page. Messages, as the theme has them: 0 set up, 1 is set up, 2 query, 3 found.
(function () {
  "use strict";
  var SETUP = 0, READY = 1, QUERY = 2, FOUND = 3;
  var options = null, waiting = null, state = "idle";
  var answer = self.postMessage.bind(self);
  var give = function (message) { self.dispatchEvent(new MessageEvent("message", { data: message })); };

  self.addEventListener("message", function (event) {
    if (state === "ready") return;
    if (event.data.type === SETUP) {
      if (state === "loading") return;
      options = event.data.data.options;
      answer({ type: READY });
    } else if (event.data.type === QUERY && !event.data.data) {
      answer({ type: FOUND, data: { items: [] } });
    } else if (event.data.type === QUERY) {
      waiting = event.data;
      if (state === "idle") load();
    }
  });

  function load() {
    state = "loading";
    fetch("../../../search/all.json").then(function (got) { return got.json(); }).then(function (index) {
      importScripts("search.js");
      // The theme's code answers from here on; its first word is that it is set up.
      self.postMessage = function (message) {
        if (message.type !== READY) return answer(message);
        state = "ready";
        give(waiting);
      };
      give({ type: SETUP, data: { config: index.config, docs: index.docs, options: options } });
    }).catch(function () {
      state = "idle";
      answer({ type: FOUND, data: { items: [] } });
    });
  }
})();
