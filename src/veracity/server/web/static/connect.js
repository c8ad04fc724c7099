/* Sends a file with a bar that shows how far it is; a file can be dropped on the form. Without it, the form works as it is. */
"use strict";
(() => {
  const form = document.querySelector("form[data-upload]");
  if (!form) return;
  const file = form.elements.file;
  const sending = form.querySelector("[data-sending]");
  const bar = sending.querySelector("progress");
  const percent = sending.querySelector("[data-percent]");
  const told = document.getElementById("told");
  let running = null;

  function tell(text) {
    const notice = document.createElement("div");
    const title = document.createElement("strong");
    const said = document.createElement("p");
    notice.className = "notice bad";
    title.textContent = form.dataset.title;
    said.textContent = text;
    notice.append(title, said);
    told.replaceChildren(notice);
    told.scrollIntoView({ block: "nearest" });
  }

  function end() {
    running = null;
    sending.hidden = true;
    form.querySelector("[data-go]").hidden = false;
  }

  function detail(request) {
    if ((request.getResponseHeader("Content-Type") || "").includes("json")) return JSON.parse(request.responseText).detail;
    const page = new DOMParser().parseFromString(request.responseText, "text/html");
    return page.querySelector(".notice p")?.textContent || form.dataset.lost;
  }

  function send() {
    const request = new XMLHttpRequest();
    running = request;
    told.replaceChildren();
    bar.value = 0;
    percent.textContent = "0 %";
    sending.hidden = false;
    form.querySelector("[data-go]").hidden = true;
    request.upload.onprogress = (event) => {
      if (!event.lengthComputable) return;
      bar.value = (100 * event.loaded) / event.total;
      percent.textContent = Math.floor(bar.value) + " %";
    };
    request.onload = () => {
      if (request.status < 300) return location.assign(request.responseURL);
      tell(detail(request));
      end();
    };
    request.onerror = () => {
      tell(form.dataset.lost);
      end();
    };
    request.onabort = end;
    request.open("POST", form.action);
    request.setRequestHeader("HX-Request", "true");
    request.send(new FormData(form));
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (running || !file.files.length) return;
    if (file.files[0].size > Number(form.dataset.limit)) tell(form.dataset.tooBig);
    else send();
  });
  form.querySelector("[data-cancel]").addEventListener("click", () => running && running.abort());
  file.addEventListener("change", () => file.files.length && form.requestSubmit());

  for (const name of ["dragenter", "dragover"])
    addEventListener(name, (event) => {
      event.preventDefault();
      form.classList.add("over");
    });
  for (const name of ["dragleave", "drop"]) addEventListener(name, () => form.classList.remove("over"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    if (running || !event.dataTransfer.files.length) return;
    file.files = event.dataTransfer.files;
    form.requestSubmit();
  });
})();
