// Draws what elements with data-curve say, by uPlot; their tables say the same in text.
"use strict";

const HEIGHT = 220;
const COLOURS = ["--bar", "--second", "--third", "--main", "--dim"];
const drawn = new Map(); // element → { text, plot }

const colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Lines, each with the band between its bounds where it has them.
function parts(said) {
  const data = [said.at], series = [{}], bands = [];
  said.lines.forEach((line, at) => {
    const stroke = colour(COLOURS[at % COLOURS.length]);
    const paths = line.steps ? uPlot.paths.stepped({ align: 1 }) : undefined;
    const value = (_, v) => (v == null ? "" : `${v.toLocaleString("en")} ${said.unit}`);
    data.push(line.values);
    series.push({ label: line.label, stroke, width: 2, paths, value });
    if (!line.low.length) return;
    const bound = { stroke: "transparent", width: 0, points: { show: false }, value };
    data.push(line.high, line.low);
    series.push({ ...bound, label: "at most" }, { ...bound, label: "at least" });
    const first = series.length - 2;
    bands.push({ series: [first, first + 1], fill: colour("--band") });
  });
  return { data, series, bands };
}

function draw(place) {
  const text = place.dataset.curve;
  const before = drawn.get(place);
  if (before && before.text === text) return;
  if (before) before.plot.destroy();
  const said = JSON.parse(text);
  if (!said.at.length) return;
  const { data, series, bands } = parts(said);
  const axis = { stroke: colour("--ink"), grid: { stroke: colour("--line"), width: 1 } };
  const plot = new uPlot(
    {
      width: place.clientWidth || 300,
      height: HEIGHT,
      series,
      bands,
      axes: [axis, { ...axis, size: 64, label: said.unit, labelSize: 20 }],
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1e3), "Etc/UTC"),
      cursor: { drag: { x: false, y: false } },
    },
    data,
    place,
  );
  drawn.set(place, { text, plot });
}

function drawAll() {
  for (const [place, { plot }] of drawn) {
    if (place.isConnected) continue;
    plot.destroy();
    drawn.delete(place);
  }
  document.querySelectorAll("[data-curve]").forEach(draw);
}

function again() {
  for (const { plot } of drawn.values()) plot.destroy();
  drawn.clear();
  drawAll();
}

document.addEventListener("htmx:afterSwap", drawAll); // before the eye sees it empty
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
let wide = window.innerWidth;
window.addEventListener("resize", () => {
  if (wide === window.innerWidth) return;
  wide = window.innerWidth;
  for (const [place, { plot }] of drawn)
    plot.setSize({ width: place.clientWidth, height: HEIGHT });
});
drawAll();
