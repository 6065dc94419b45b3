// Draws what elements with data-curve say, by uPlot; their tables say the same in text.
"use strict";

const HEIGHT = 220;
const COLOURS = ["--bar", "--second", "--third", "--main", "--dim"];
const drawn = new Map(); // element → { text, plot }

const colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Moments as everywhere on the pages: in UTC, the day once where times are shown.
const iso = (at) => new Date(at * 1e3).toISOString();
function moments(_plot, splits, _axis, _space, step) {
  const digits = step < 1 ? 21 : step < 60 ? 19 : 16;
  let before = "";
  return splits.map((at) => {
    const day = iso(at).slice(0, 10), time = iso(at).slice(11, digits);
    const told = day === before ? time : `${time}\n${day}`;
    before = day;
    return step < 86_400 ? told : day;
  });
}

// Lines, each with the band between its bounds where it has them.
function parts(said) {
  const data = [said.at], bands = [];
  const moment = (_, v) => (v == null ? "" : iso(v).slice(0, 19).replace("T", " "));
  const series = [{ label: "UTC", value: moment }];
  said.lines.forEach((line, at) => {
    const stroke = colour(COLOURS[at % COLOURS.length]);
    const paths = line.steps ? uPlot.paths.stepped({ align: 1 }) : undefined;
    const value = (_, v) => (v == null ? "" : `${v.toLocaleString("en")} ${said.unit}`);
    data.push(line.values);
    // What lies under another line is seen between its dashes.
    const dash = at ? [6, 4] : undefined;
    series.push({ label: line.label, stroke, width: 2, paths, value, dash });
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
      padding: [null, 36, null, null], // half of the last moment's text
      series,
      bands,
      axes: [{ ...axis, values: moments, space: 90 }, { ...axis, size: 64, label: said.unit, labelSize: 20 }],
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1e3), "Etc/UTC"),
      // The newest is told, until one is pointed at.
      hooks: { ready: [(u) => u.setLegend({ idx: said.at.length - 1 })] },
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
