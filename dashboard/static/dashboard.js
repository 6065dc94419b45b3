// What pages need beside htmx. Nothing is fetched and nothing is kept.
"use strict";

// A button with data-copies="ID" copies the text of that element.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copies);
  const range = document.createRange();
  range.selectNodeContents(source);
  const selection = window.getSelection();
  selection.removeAllRanges();
  selection.addRange(range); // without a secure context the person copies it
  let done = false;
  try {
    await navigator.clipboard.writeText(source.textContent);
    done = true;
  } catch {
    done = document.execCommand("copy");
  }
  const said = document.querySelector(`[data-said="${button.dataset.copies}"]`);
  if (said) said.textContent = done ? "Copied" : "Selected: press Ctrl+C";
});

// A part that came by itself is told in one sentence, and only where that is news.
document.addEventListener("htmx:afterSwap", (event) => {
  const told = event.target.querySelector("[data-news]");
  const news = document.getElementById("news");
  if (!told || !news || news.textContent === told.dataset.news) return;
  news.textContent = told.dataset.news;
});

// What was asked for by a button is looked at next, by eyes and by screen readers.
document.addEventListener("htmx:afterSwap", (event) => {
  const head = event.target.querySelector("[data-focus]");
  if (head) head.focus();
});
