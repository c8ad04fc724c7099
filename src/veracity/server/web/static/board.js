/* Answers of a board change places: by buttons, by arrow keys, by dragging. Without it, the buttons send their form. */
"use strict";
(() => {
  const board = document.querySelector(".board");
  const told = document.querySelector("[data-moved]");
  const cards = () => [...board.querySelectorAll(".pinned")];
  let drag = null;
  let sending = false;

  const put = (card, index) => {
    const others = cards().filter((one) => one !== card);
    board.insertBefore(card, others[index] || null);
  };

  /* Every form names the version that is on the page, and every button the place that it leads to. */
  function renew(version) {
    cards().forEach((card, index, all) => {
      card.querySelectorAll("[data-by]").forEach((button) => {
        button.value = index + 1 + Number(button.dataset.by);
        button.disabled = !all[button.value - 1];
      });
    });
    document.querySelectorAll("input[name=version]").forEach((one) => (one.value = version));
  }

  async function keep(card, before) {
    const place = cards().indexOf(card) + 1;
    if (place === before + 1) return;
    const form = card.querySelector("[data-move]");
    const body = new URLSearchParams(new FormData(form));
    body.set("place", place);
    sending = true;
    const response = await fetch(form.action, { method: "POST", body, headers: { "HX-Request": "true" } }).catch(() => null);
    sending = false;
    if (!response || !response.ok) {
      /* Sent once more as a form, the page says what is the matter. */
      const again = form.querySelector("[data-by]");
      again.disabled = false;
      again.value = place;
      form.removeAttribute("data-move");
      return form.requestSubmit(again);
    }
    renew(await response.text());
    const said = told.dataset.moved.replace("{place}", place).replace("{count}", cards().length);
    told.textContent = said.replace("{title}", () => card.querySelector("h2").textContent);
  }

  function step(card, by, focused) {
    const before = cards().indexOf(card);
    if (sending || drag || !cards()[before + by]) return;
    put(card, before + by);
    focused.focus();
    card.scrollIntoView({ block: "nearest" });
    keep(card, before).then(() => focused.disabled && card.querySelector("[data-handle]").focus());
  }

  board.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-move]") || !event.submitter) return;
    event.preventDefault();
    step(event.target.closest(".pinned"), Number(event.submitter.dataset.by), event.submitter);
  });

  board.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (!by || !event.target.matches("[data-handle]")) return;
    event.preventDefault();
    step(event.target.closest(".pinned"), by, event.target);
  });

  function drop(kept) {
    if (!drag) return;
    const { card, before } = drag;
    drag = null;
    card.classList.remove("moving");
    if (kept) keep(card, before);
    else put(card, before);
  }

  board.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest("[data-handle]");
    if (!handle || event.button || sending) return;
    const card = handle.closest(".pinned");
    drag = { card, before: cards().indexOf(card), over: card };
    card.classList.add("moving");
  });
  addEventListener("pointermove", (event) => {
    if (!drag) return;
    const over = document.elementFromPoint(event.clientX, event.clientY)?.closest(".pinned");
    /* Places change once for each answer that is reached: after that, the same one may lie under the pointer again. */
    if (over === drag.over) return;
    drag.over = over;
    if (over && over !== drag.card) put(drag.card, cards().indexOf(over));
  });
  addEventListener("pointerup", () => drop(true));
  addEventListener("pointercancel", () => drop(false));
  addEventListener("keydown", (event) => event.key === "Escape" && drop(false));
})();
