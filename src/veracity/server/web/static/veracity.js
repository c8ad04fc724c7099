/* What the pages do beyond forms and htmx: ask with live steps, send on Enter, copy. All of it works without, only plainer. */
"use strict";
(() => {
  const thread = document.getElementById("thread");
  let running = null;
  document.documentElement.classList.toggle("can-copy", Boolean(navigator.clipboard));
  document.documentElement.classList.add("scripted");

  const copyOf = (id) => document.getElementById(id).content.firstElementChild.cloneNode(true);

  /* The text of an answer; a browser would leave out what stands in buttons. */
  const plain = (element) =>
    [...element.querySelectorAll("p, li")].map((one) => (one.tagName === "LI" ? "- " : "") + one.textContent.trim()).join("\n");

  async function* eventsOf(response) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      const frames = text.split("\n\n");
      text = frames.pop();
      for (const frame of frames) {
        const name = /^event: (.*)$/m.exec(frame);
        const data = /^data: (.*)$/m.exec(frame);
        if (name && data) yield [name[1], JSON.parse(data[1])];
      }
    }
  }

  function put(place, html) {
    place.innerHTML = html;
    const made = place.firstElementChild;
    place.replaceWith(made);
    htmx.process(made);
    made.scrollIntoView({ block: "nearest" });
    return made;
  }

  function begin(question) {
    document.querySelectorAll("[data-hero]").forEach((one) => one.classList.remove("hero"));
    document.querySelectorAll("[data-hero-title]").forEach((one) => one.classList.add("sr"));
    document.querySelectorAll("[data-hero-lead], [data-examples]").forEach((one) => one.remove());
    const working = copyOf("working");
    working.querySelector("[data-asked]").textContent = question;
    thread.append(working);
    working.scrollIntoView({ block: "nearest" });
    return working;
  }

  /* Without an answer, the question is there again, to be changed or sent once more. */
  function end(composer, trace, conversation, question) {
    const box = composer.querySelector("textarea");
    if (!trace && !box.value) box.value = question;
    composer.querySelector("[data-go]").hidden = false;
    composer.querySelector("[data-stop]").hidden = true;
    document.querySelectorAll("[data-new]").forEach((one) => (one.hidden = false));
    if (trace) {
      composer.elements.follows.value = trace;
      box.placeholder = box.dataset.follow;
      if (conversation) composer.elements.conversation.value = conversation;
      const address = conversation ? "/conversations/" + encodeURIComponent(conversation) : "/?answer=" + encodeURIComponent(trace);
      history.replaceState(null, "", address);
      document.querySelectorAll(".switch [name=next]").forEach((one) => (one.value = address));
    }
    /* Who is at work in the answer already is not called away. */
    if (!document.activeElement || document.activeElement === document.body) box.focus({ preventScroll: true });
  }

  async function ask(form, submitter) {
    const body = new URLSearchParams(new FormData(form, submitter));
    const composer = document.querySelector("[data-composer]");
    body.set("conversation", composer.elements.conversation.value);
    const said = submitter?.dataset.asks || body.get("question");
    const working = begin(said);
    running = new AbortController();
    composer.querySelector("textarea").value = "";
    composer.querySelector("[data-go]").hidden = true;
    composer.querySelector("[data-stop]").hidden = false;
    let trace = null;
    let conversation = null;
    let shown = working;
    try {
      const headers = { Accept: "text/event-stream", "HX-Request": "true" };
      const response = await fetch(form.action, { method: "POST", body, headers, signal: running.signal });
      if (!(response.headers.get("Content-Type") || "").startsWith("text/event-stream")) {
        if (response.headers.get("HX-Redirect")) location.assign(response.headers.get("HX-Redirect"));
        shown = put(working, (await response.text()) || copyOf("lost").outerHTML);
        return;
      }
      for await (const [name, data] of eventsOf(response)) {
        if (name === "begun" && data.conversation) {
          composer.elements.conversation.value = data.conversation;
          history.replaceState(null, "", "/conversations/" + encodeURIComponent(data.conversation));
        }
        if (name === "now") working.querySelector("[data-now]").innerHTML = data.html;
        if (name === "step") working.querySelector("[data-steps]").insertAdjacentHTML("beforeend", data.html);
        if (name === "answer") {
          shown = put(working, data.html);
          trace = data.trace || null;
          conversation = data.conversation || null;
        }
      }
      if (shown === working) shown = put(working, copyOf("lost").outerHTML);
    } catch (error) {
      if (shown === working) shown = put(working, copyOf(running.signal.aborted ? "stopped" : "lost").outerHTML);
    } finally {
      running = null;
      end(composer, trace, conversation, body.get("question") || "");
    }
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form[data-ask]") || !thread) return;
    event.preventDefault();
    if (!running) ask(form, event.submitter);
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.target.matches("[data-enter]")) {
      event.preventDefault();
      event.target.form.requestSubmit(event.target.form.querySelector("[data-go]"));
    }
  });

  /* A drawing of the server as a picture, twice as large as it is shown. */
  function picture(link) {
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = image.width * 2;
      canvas.height = image.height * 2;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => {
        const made = document.createElement("a");
        made.href = URL.createObjectURL(blob);
        made.download = link.dataset.png;
        made.click();
        URL.revokeObjectURL(made.href);
      });
    };
    image.src = link.href;
  }

  document.addEventListener("click", async (event) => {
    if (event.target.closest("[data-stop]") && running) {
      /* The server ends it, keeps what there is, and says so in the stream. */
      const { csrf, conversation } = document.querySelector("[data-composer]").elements;
      if (!conversation.value) running.abort();
      else fetch("/conversations/" + encodeURIComponent(conversation.value) + "/stop", { method: "POST", body: new URLSearchParams({ csrf: csrf.value }), redirect: "manual" });
    }
    const png = event.target.closest("[data-png]");
    if (png) {
      event.preventDefault();
      picture(png);
    }
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    await navigator.clipboard.writeText(plain(document.querySelector(button.dataset.copy)));
    const said = button.textContent;
    button.textContent = button.dataset.done;
    setTimeout(() => (button.textContent = said), 1500);
  });

  /* What happens on the server is an event of the page, which its parts wait for. */
  const live = document.querySelector("[data-live]");
  if (live) {
    const source = new EventSource(live.dataset.live);
    for (const name of live.dataset.events.split(" ")) source.addEventListener(name, () => htmx.trigger(document.body, "live-" + name));
  }

  /* What somebody has opened stays open when a part of the page comes again. */
  let opened = [];
  document.addEventListener("htmx:beforeSwap", () => {
    opened = [...document.querySelectorAll("details[id][open]")].map((one) => one.id);
  });
  document.addEventListener("htmx:afterSwap", () => {
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
  });

  /* On a phone the pages are a row to scroll; the current one is in sight. */
  const here = document.querySelector("nav [aria-current]");
  if (here) here.scrollIntoView({ block: "nearest", inline: "center" });

  /* A link to an entity opens it. */
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.matches("details")) target.open = true;
  };
  addEventListener("hashchange", open);
  open();
})();
