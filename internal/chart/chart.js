// Where scripts run, a uPlot chart of the same numbers lies over each picture of a
// chart: the reader can zoom into it and ask for its values. The picture keeps the
// place, so that nothing moves, and is what is printed.
"use strict";
{
const reach = 30; // of the pointer, in pixels

// label is a value of an axis in words: 812 k, or 812,000 where the axis is a plain one.
function label(axis, v) {
  const own = axis.ticks?.find(t => axis.categories ? t.value === Math.round(v) : Math.abs(t.value - v) <= 1e-6 * v);
  if (own) return own.label;
  if (axis.percentiles) return +(100 - 100 / v).toPrecision(6) + " %";
  const [unit, prefix] = !axis.plain && [[1e9, " G"], [1e6, " M"], [1e3, " k"]].find(u => Math.abs(v) >= u[0]) || [1, ""];
  return (v / unit).toLocaleString("en", {maximumSignificantDigits: 7}) + prefix;
}

// spaced are the ticks whose labels have room below the plot, the last one always; null stands for others.
function spaced(u, axis, values) {
  const half = v => label(axis, v).length * 3.2 + 4, last = values.at(-1);
  const apart = (a, b) => a === null || u.valToPos(b, "x") - u.valToPos(a, "x") >= half(a) + half(b);
  let before = null;
  return values.map(v => apart(before, v) && (v === last || apart(v, last)) ? before = v : null);
}

class Live {
  constructor(figure) {
    this.place = figure.querySelector(".drawing");
    this.chart = JSON.parse(figure.querySelector("script").textContent);
    this.style = getComputedStyle(figure);
    this.bars = this.chart.series.filter(s => s.bars);
    const named = this.chart.series.filter(s => s.name);
    figure.querySelectorAll(".key").forEach((key, i) => this.listen(key, named[i]));
    new ResizeObserver(() => this.resize()).observe(this.place);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.u?.redraw(false));
  }

  // listen lets a key of the legend hide its series, and what has its colour and no name.
  listen(key, series) {
    const toggle = () => {
      const show = !key.classList.toggle("off");
      key.ariaPressed = String(show);
      this.chart.series.forEach((s, i) => {
        if (s === series || !s.name && s.color === series.color) this.u.series[i + 1].show = show;
      });
      this.u.redraw(false);
    };
    Object.assign(key, {role: "button", tabIndex: 0, ariaPressed: "true"});
    key.addEventListener("click", toggle);
    key.addEventListener("keydown", e => {
      if (e.key === "Enter" || e.key === " ") e.preventDefault(), toggle();
    });
  }

  // resize makes the chart when the picture has a size, which it has not in what is folded.
  resize() {
    const size = {width: this.place.clientWidth, height: this.place.clientHeight};
    if (!size.width || !this.chart.series.length) return;
    if (this.u) return this.u.setSize(size);
    const data = this.chart.series.map(s => [s.points.map(p => p.x), s.points.map(p => p.y)]);
    this.u = new uPlot({...size, ...this.options()}, [null, ...data], this.place);
    [this.ring, this.tip] = ["ring", "tip"].map(className => Object.assign(document.createElement("div"), {className, hidden: true}));
    this.u.over.append(this.ring, this.tip);
    this.place.classList.add("live");
  }

  color(name) { return this.style.getPropertyValue(name); }

  options() {
    const {x, y, series} = this.chart, color = name => () => this.color(name), ratio = devicePixelRatio;
    const scale = a => ({time: false, distr: a.log ? 3 : 1, auto: (u, all) => all, range: () => [a.min, a.max]});
    const axis = {font: "12px " + this.style.fontFamily, stroke: color("--soft")}, line = {show: true, stroke: color("--muted"), width: 1};
    const filter = (u, values) => x.ticks ? spaced(u, x, values) : values, draw = f => [(u, i) => this.draw(u, f, i)];
    return {
      mode: 2, pxAlign: 0, legend: {show: false}, scales: {x: scale(x), y: scale(y)},
      padding: [34, Math.max(14, label(x, x.ticks?.at(-1).value ?? x.max).length * 3.9), 0, 0],
      cursor: {drag: {x: true, y: true, uni: reach, dist: 4}, points: {show: false}, dataIdx: () => null},
      axes: [
        {...axis, size: 40, gap: 4, space: 62, filter, grid: {show: false}, border: line, ticks: {...line, show: !x.categories, size: 4, filter},
          splits: x.ticks && ((u, i, min, max) => x.ticks.map(t => t.value).filter(v => v >= min && v <= max)),
          values: (u, list) => list.map(v => v === null ? "" : label(x, v))},
        {...axis, gap: 7, space: 38, ticks: {show: false},
          grid: {stroke: color("--grid"), width: 1, filter: (u, ...rest) => u.axes[1].filter(u, ...rest)},
          size: (u, list) => Math.max(12, ...(list || []).map(text => text.length * 6.4 + 11)),
          values: (u, list) => list.map(v => v === null ? "" : label(y, v))},
      ],
      series: [null, ...series.map(s => ({
        stroke: color(s.ink), width: s.color < 0 ? 1.4 : 2.2, cap: "round", dash: s.dashed ? [5 * ratio, 5 * ratio] : [],
        paths: s.line ? uPlot.paths.linear() : () => null, points: {show: false}}))],
      hooks: {drawAxes: draw(this.frame), drawSeries: draw(this.marks), setCursor: [() => this.ask()]},
    };
  }

  // draw lets f draw in CSS pixels, from the corner of the plot on.
  draw(u, f, i) {
    const ratio = devicePixelRatio, {ctx, bbox} = u;
    ctx.save();
    ctx.scale(ratio, ratio);
    ctx.translate(bbox.left / ratio, bbox.top / ratio);
    f.call(this, u, ctx, bbox.width / ratio, bbox.height / ratio, i);
    ctx.restore();
  }

  write(ctx, text, x, y, textAlign, fillStyle, weight = 600) {
    Object.assign(ctx, {font: `${weight} 12px ${this.style.fontFamily}`, textAlign, fillStyle, textBaseline: "alphabetic"});
    ctx.fillText(text, x, y);
  }

  // frame draws the names of the axes and the upright rules.
  frame(u, ctx, width, height) {
    const {x, y, rules} = this.chart, soft = this.color("--soft"), whole = (scale, a) => scale.min === a.min && scale.max === a.max;
    this.write(ctx, y.label, -u.bbox.left / devicePixelRatio, -22, "left", soft);
    this.write(ctx, x.label, width, height + 34, "right", soft);
    if (!whole(u.scales.x, x) || !whole(u.scales.y, y)) this.write(ctx, "double click for all", width, -22, "right", soft, 400);
    Object.assign(ctx, {strokeStyle: this.color("--muted"), globalAlpha: .55});
    ctx.setLineDash([2, 4]);
    for (const at of (rules || []).map(v => u.valToPos(v, "x")).filter(at => at >= 0 && at <= width)) ctx.stroke(new Path2D(`M${at} 0V${height}`));
  }

  // marks draws what a series has besides its line.
  marks(u, ctx, width, height, i) {
    const s = this.chart.series[i - 1], ink = this.color(s.ink), {points} = s;
    const at = (p, v = p.y) => [u.valToPos(p.x, "x"), u.valToPos(v, "y")];
    ctx.save();
    ctx.clip(new Path2D(`M0 0H${width}V${height}H0z`));
    ctx.fillStyle = ink;
    const spans = points.map(p => ({low: 0, high: 0, ...p})).filter(p => p.low <= p.y && p.y <= p.high);
    if (s.band) {
      ctx.globalAlpha = .2;
      ctx.fill(new Path2D("M" + [...spans.map(p => at(p, p.high)), ...spans.reverse().map(p => at(p, p.low))].join("L")));
    } else for (const p of spans.filter(p => p.low < p.high)) {
      const [x, y] = at(p), high = at(p, p.high)[1];
      ctx.globalAlpha = .38;
      ctx.fillRect(x - 3, high, 6, at(p, p.low)[1] - high);
      ctx.globalAlpha = 1;
      ctx.fillRect(x - 7, y - 1.3, 14, 2.6);
    }
    if (s.bars) points.map(p => this.bar(u, s, p)).forEach(([left, top, w]) => ctx.fillRect(left + 1, top, w - 2, height - top));
    if (s.faint) {
      ctx.globalAlpha = .3;
      ctx.fill(new Path2D(points.map(p => `M${at(p)}m-1.3 0a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0-2.6 0`).join("")));
    }
    ctx.restore();
    const seen = p => at(p).every((v, i) => v >= -1 && v <= (i ? height : width) + 1);
    for (const p of points.filter(seen)) {
      if (s.dots) {
        const dot = new Path2D(`M${at(p).join(" ")}${s.shape}`), card = this.color("--card");
        Object.assign(ctx, p.hollow ? {fillStyle: card, strokeStyle: ink, lineWidth: 1.6} : {fillStyle: ink, strokeStyle: card, lineWidth: 1.2});
        ctx.setLineDash(p.hollow ? [2, 1.6] : []);
        ctx.fill(dot);
        ctx.stroke(dot);
      }
      const [left, top, w] = this.bar(u, s, p);
      if (p.mark?.length * 6.4 < w) this.write(ctx, p.mark, left + w / 2, top - 5, "center", this.color("--ink"), 400);
    }
    const [first, last] = [points[0], points.at(-1)];
    if (s.start && seen(first)) this.write(ctx, s.start, at(first)[0] + 6, at(first)[1] - 5, "left", ink);
    if (s.end && seen(last)) this.write(ctx, s.end, at(last)[0], at(last)[1] - 9, "right", ink);
  }

  // bar is the left and upper end of a point's bar, and its width.
  bar(u, s, p) {
    const slot = u.valToPos(1, "x") - u.valToPos(0, "x"), width = Math.min(slot * .76 / this.bars.length, 44);
    return [u.valToPos(p.x, "x") + (this.bars.indexOf(s) - this.bars.length / 2) * width, u.valToPos(p.y, "y"), width];
  }

  // ask shows the values of the point that is next to the pointer.
  ask() {
    const {u, tip, ring} = this, {x, y, series} = this.chart, {left, top} = u.cursor;
    const room = [u.over.clientWidth, u.over.clientHeight], inside = at => at.every((v, i) => v >= -1 && v <= room[i] + 1);
    let near, least = left < 0 ? 0 : reach;
    series.forEach((s, i) => {
      for (const p of s.faint || !u.series[i + 1].show ? [] : s.points) {
        const [from, upper, width] = s.bars ? this.bar(u, s, p) : [u.valToPos(p.x, "x"), u.valToPos(p.y, "y"), 0];
        const at = [from + width / 2, s.bars ? Math.max(upper, top) : upper], far = Math.hypot(at[0] - left, at[1] - top);
        if (far < least && inside(at)) [near, least] = [{s, p, at}, far];
      }
    });
    tip.hidden = ring.hidden = !near;
    if (!near) return;
    const {s, p, at} = near, name = s.name || series.find(o => o.name && o.color === s.color)?.name || s.start || s.end;
    tip.textContent = p.tip || [name, `${x.label}: ${label(x, p.x)}`, `${y.label}: ${label(y, p.y)}`].filter(Boolean).join("\n");
    ring.style.translate = at.map(v => v + "px").join(" ");
    const size = [tip.offsetWidth, tip.offsetHeight];
    tip.style.translate = at.map((v, i) => (v < room[i] / 2 ? v + 12 : v - 12 - size[i]) + "px").join(" ");
  }
}

const draw = () => document.querySelectorAll("figure.plot").forEach(figure => new Live(figure));
addEventListener("DOMContentLoaded", draw);
addEventListener("weir-drawn", draw); // what the page shows was replaced
}
