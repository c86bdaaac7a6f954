'use strict';
// The data of the page. Text in it comes from a file: it becomes text nodes, never markup.
const data = JSON.parse(document.getElementById('data').textContent), layers = data.layers;
const byID = id => document.getElementById(id), view = byID('view'), map = byID('map'), side = byID('side'), search = byID('search'), found = byID('found');
const kinds = ['other', 'input or output', 'product', 'activation', 'pooling, reduction, normalisation', 'shape and movement', 'arithmetic', 'bodies and variables', 'conversion'];

// el makes an element. Attributes that are functions are listeners; children are elements or text.
function el(tag, attributes, ...children) {
  const svg = tag.startsWith('svg:'), e = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === 'function') e.addEventListener(name, value);
    else if (value !== false && value !== undefined) e.setAttribute(name, value);
  }
  e.append(...children.flat(Infinity).filter(c => c !== undefined && c !== ''));
  return e;
}

// Readers, and the box that shows a layer: that of its reader if the layer is constant.
layers.forEach((l, i) => { l.n = i; l.readers = []; l.findings = []; });
for (const l of layers) l.in.forEach(([from], input) => from >= 0 && layers[from].readers.push([l.n, input]));
data.graphs.forEach((g, i) => { for (const n of g.boxes) layers[n].graph = i; });
for (const l of layers) for (const b of l.bodies || []) data.graphs[b.graph].owner = l.n;
for (let n = layers.length - 1; n >= 0; n--) layers[n].shown = layers[n].into === undefined ? n : layers[layers[n].into].shown; // readers come later
const shown = n => layers[n].shown;
for (const f of data.findings) if (f.layer !== undefined) { layers[f.layer].findings.push(f); const b = shown(f.layer); if (b !== f.layer) layers[b].findings.push(f); }
for (const l of layers) l.worst = ['error', 'warning', 'note'].find(s => l.findings.some(f => f.severity === s));

// Times: of the layers that have one, and the layer in whose pass each other one is computed.
const profile = data.profile;
let slowest = 0;
if (profile) {
  profile.layers.forEach((t, i) => {
    slowest = Math.max(slowest, t.min_us);
    t.n = profile.at[i];
    if (t.n >= 0) layers[t.n].time = t;
    for (const n of profile.fused_at[i]) if (n >= 0 && t.n >= 0 && n !== t.n) layers[n].leader = t.n;
  });
}

let opened = new Set(), scene, selected = -1, marked = null, scale = 1, left = 0, top_ = 0, colours = profile ? 'time' : 'kind', palette = {}, drawn = 0;

// arrange returns the boxes and edges of a graph. A layer whose bodies are shown is larger than it was laid out: everything right
// of its middle and below its row moves away. Such a move keeps the order of places, so nothing that was apart overlaps.
function arrange(number) {
  const g = data.graphs[number], boxes = new Map(), bottoms = new Map(), right = [], down = new Map(), result = {boxes: [], edges: [], frames: []};
  for (const n of g.boxes) {
    const [x, y, w, h] = layers[n].box;
    bottoms.set(y, Math.max(bottoms.get(y) || 0, y + h));
    boxes.set(n, {n, x, y, w, h, ox: x, ow: w, bottom: 0});
  }
  for (const b of boxes.values()) {
    b.bottom = bottoms.get(b.y);
    if (!opened.has(b.n)) continue;
    b.inner = layers[b.n].bodies.map(body => arrange(body.graph));
    const w = b.inner.reduce((sum, i) => sum + i.width + 24, 24), h = Math.max(...b.inner.map(i => i.height)) + 44;
    right.push({at: b.x + b.w / 2, by: Math.max(0, w - b.w)});
    down.set(b.bottom, Math.max(down.get(b.bottom) || 0, h));
    b.inside = b.h;
    b.w = Math.max(w, b.w);
    b.h += h;
  }
  const fx = x => right.reduce((sum, r) => sum + (r.at < x ? r.by : 0), x);
  const fy = y => { let sum = y; for (const [at, by] of down) if (at <= y) sum += by; return sum; };
  for (const b of boxes.values()) {
    b.x = fx(b.x);
    b.y = fy(b.y);
    result.boxes.push(b);
    if (!b.inner) continue;
    let x = b.x + 24;
    b.inner.forEach((inner, k) => {
      const y = b.y + b.inside + 24;
      result.frames.push({x: x - 10, y: y - 10, w: inner.width + 20, h: inner.height + 20});
      for (const part of [...inner.boxes, ...inner.frames]) { part.x += x; part.y += y; result[part.n === undefined ? 'frames' : 'boxes'].push(part); }
      for (const e of inner.edges) { for (let i = 0; i < e.points.length; i += 2) { e.points[i] += x; e.points[i + 1] += y; } result.edges.push(e); }
      x += inner.width + 24;
    });
  }
  for (const [from, output, to, input, direct, ...p] of g.edges) {
    const a = boxes.get(from), b = boxes.get(to), last = p.length - 2, points = [];
    const start = a.x + (p[0] - a.ox) * a.w / a.ow, end = b.x + (p[last] - b.ox) * b.w / b.ow;
    points.push(start, a.y + a.h);
    if (!direct) {
      const row = fy(a.bottom);
      if (row > a.y + a.h) points.push(start, row);
      for (let i = 2; i < last; i += 2) if (!(p[i] === p[0] && p[i + 1] === a.bottom)) points.push(fx(p[i]), fy(p[i + 1]));
    }
    points.push(end, b.y);
    result.edges.push({from, output, to, input, direct, points});
  }
  result.width = fx(g.width);
  result.height = fy(g.height);
  return result;
}

function rebuild() {
  scene = arrange(0);
  scene.at = new Map(scene.boxes.map(b => [b.n, b]));
  for (const e of scene.edges) {
    const xs = e.points.filter((_, i) => i % 2 === 0);
    e.x0 = Math.min(...xs); e.x1 = Math.max(...xs); e.y0 = e.points[1]; e.y1 = e.points[e.points.length - 1];
  }
  drawMap();
  redraw();
}

function readPalette() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['bg', 'panel', 'text', 'soft', 'line', 'edge', 'accent', 'error', 'warning', 'note', 'cold', 'hot', 'bar']) palette[name] = style.getPropertyValue('--' + name).trim();
  palette.fill = kinds.map((_, i) => style.getPropertyValue('--k' + i).trim());
  palette.stroke = kinds.map((_, i) => style.getPropertyValue('--s' + i).trim());
}

// mix returns the colour between two of #rrggbb.
function mix(a, b, part) {
  const at = (c, i) => parseInt(c.slice(1 + 2 * i, 3 + 2 * i), 16);
  return '#' + [0, 1, 2].map(i => Math.round(at(a, i) + (at(b, i) - at(a, i)) * part).toString(16).padStart(2, '0')).join('');
}

function fillOf(l) {
  if (colours !== 'time') return palette.fill[l.kind];
  const t = l.time || (l.leader !== undefined && layers[l.leader].time);
  return t && slowest ? mix(palette.cold, palette.hot, Math.sqrt(t.min_us / slowest) * (l.time ? .85 : .4)) : palette.bg;
}

function trace(c, e, curves) {
  const p = e.points;
  c.moveTo(p[0], p[1]);
  for (let i = 2; i < p.length; i += 2) {
    if (!curves || e.direct || p[i] === p[i - 2]) c.lineTo(p[i], p[i + 1]);
    else { const y = (p[i - 1] + p[i + 1]) / 2; c.bezierCurveTo(p[i - 2], y, p[i], y, p[i], p[i + 1]); }
  }
}

let pending = false;
function redraw() {
  if (!pending) { pending = true; requestAnimationFrame(draw); }
}

// draw draws what is in view. Far away, text and curves are left out.
function draw() {
  pending = false;
  const ratio = devicePixelRatio || 1, w = view.clientWidth, h = view.clientHeight;
  if (view.width !== Math.round(w * ratio) || view.height !== Math.round(h * ratio)) { view.width = Math.round(w * ratio); view.height = Math.round(h * ratio); }
  const c = view.getContext('2d');
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.fillStyle = palette.bg;
  c.fillRect(0, 0, w, h);
  c.setTransform(ratio * scale, 0, 0, ratio * scale, -left * scale * ratio, -top_ * scale * ratio);
  const x1 = left + w / scale, y1 = top_ + h / scale, near = scale > .3;
  const seen = b => b.x < x1 && b.x + b.w > left && b.y < y1 && b.y + b.h + 20 > top_;
  const edges = scene.edges.filter(e => e.x0 < x1 && e.x1 > left && e.y0 < y1 && e.y1 > top_ && (near || (e.x1 - e.x0 + e.y1 - e.y0) * scale > 2)), boxes = scene.boxes.filter(seen);
  const fade = marked && marked.size > 0, on = e => fade ? marked.has(e.from) && marked.has(e.to) : e.from === selected || e.to === selected;
  const pass = (list, colour, width, dash) => {
    c.strokeStyle = colour; c.lineWidth = Math.max(width, width * .6 / scale); c.setLineDash(dash);
    c.beginPath();
    for (const e of list) trace(c, e, near);
    c.stroke();
    c.setLineDash([]);
  };
  const show = b => box(c, b, near, fade && !marked.has(b.n) && b.n !== selected);
  c.textAlign = 'center';
  for (const b of boxes) if (b.inner) show(b); // the edges of their bodies are on top of them
  c.strokeStyle = palette.edge; c.lineWidth = 1; c.setLineDash([5, 4]);
  for (const f of scene.frames) if (seen(f)) c.strokeRect(f.x, f.y, f.w, f.h);
  c.setLineDash([]);
  c.globalAlpha = fade ? .3 : 1;
  const lit = edges.filter(on), dim = edges.filter(e => !on(e));
  pass(dim.filter(e => !e.direct), palette.edge, 1.1, []);
  pass(dim.filter(e => e.direct), palette.edge, .8, [5, 5]);
  c.globalAlpha = 1;
  pass(lit, palette.accent, 2.4, []);
  for (const b of boxes) {
    if (!b.inner) show(b);
    if (near) labels(c, b, fade && !marked.has(b.n) ? .3 : 1);
  }
  frameMap();
  drawn = boxes.length;
}

function box(c, b, near, dim) {
  const l = layers[b.n], middle = b.x + b.w / 2;
  c.globalAlpha = dim ? .3 : 1;
  c.beginPath();
  if (near) c.roundRect(b.x, b.y, b.w, b.h, 6); else c.rect(b.x, b.y, b.w, b.h);
  c.fillStyle = b.inner ? palette.bg : near || colours === 'time' ? fillOf(l) : palette.stroke[l.kind];
  c.fill();
  const finding = l.worst;
  c.strokeStyle = b.n === selected ? palette.accent : finding ? palette[finding] : colours === 'time' ? palette.edge : palette.stroke[l.kind];
  c.lineWidth = (b.n === selected ? 3 : finding && finding !== 'note' ? 2.5 : 1) * Math.max(1, .5 / scale);
  if (colours === 'time' && l.leader !== undefined) c.setLineDash([4, 3]);
  if (near || finding || b.n === selected) c.stroke();
  c.setLineDash([]);
  if (near) {
    c.fillStyle = palette.text;
    c.font = '600 12px system-ui,sans-serif';
    c.fillText(l.title, middle, b.y + 16);
    c.font = '11px system-ui,sans-serif';
    c.fillStyle = palette.text;
    c.globalAlpha *= colours === 'time' ? .95 : .82;
    (l.lines || []).forEach((line, i) => c.fillText(line, middle, b.y + 30 + 14 * i, b.w - 8));
    c.globalAlpha = dim ? .3 : 1;
    if (finding) { c.fillStyle = palette[finding]; c.beginPath(); c.arc(b.x + b.w - 2, b.y + 2, 6, 0, 7); c.fill(); c.fillStyle = palette.panel; c.font = '700 9px system-ui'; c.fillText(finding === 'note' ? 'i' : '!', b.x + b.w - 2, b.y + 5); }
    if (l.bodies) { c.fillStyle = palette.accent; c.font = '600 12px system-ui'; c.fillText(b.inner ? '−' : '+', b.x + 10, b.y + 16); }
  }
  if (profile) {
    const t = l.time, bottom = b.y + (b.inside || b.h);
    if (t) {
      c.fillStyle = palette.bar;
      c.fillRect(b.x, bottom - 4, b.w * t.min_us / slowest, 4);
    }
    if (near && (t || l.leader !== undefined)) {
      c.fillStyle = palette.text;
      c.font = '600 10.5px system-ui,sans-serif';
      c.fillText(t ? time(t.min_us) + ' · ' + percent(t.share) : 'in the pass of ' + layers[l.leader].type, middle, bottom - 8, b.w - 8);
    }
  }
  c.globalAlpha = 1;
}

// labels writes the types and shapes of the outputs below a box.
function labels(c, b, alpha) {
  const l = layers[b.n];
  c.font = '10px system-ui,sans-serif';
  c.globalAlpha = alpha;
  for (const out of l.out) {
    if (!out.label || !l.readers.length) continue;
    const x = b.x + b.w / 2 + (out.start || 0) * b.w / l.box[2], width = c.measureText(out.label).width + 8;
    c.fillStyle = palette.bg;
    c.fillRect(x - width / 2, b.y + b.h + 4, width, 14);
    c.fillStyle = /\?|\.\./.test(out.label) ? palette.accent : palette.soft;
    c.fillText(out.label, x, b.y + b.h + 15);
  }
  c.globalAlpha = 1;
}

// The map shows the whole graph, and what is in view.
let mapImage, mapScale;
function drawMap() {
  mapScale = Math.min(150 / scene.width, 240 / scene.height);
  map.width = Math.max(24, Math.ceil(scene.width * mapScale)) + 8;
  map.height = Math.max(24, Math.ceil(scene.height * mapScale)) + 8;
  mapImage = document.createElement('canvas');
  mapImage.width = map.width;
  mapImage.height = map.height;
  const c = mapImage.getContext('2d');
  c.translate(4, 4);
  for (const b of scene.boxes) { c.fillStyle = b.inner ? palette.line : colours === 'time' ? fillOf(layers[b.n]) : palette.stroke[layers[b.n].kind]; c.fillRect(b.x * mapScale, b.y * mapScale, Math.max(1.5, b.w * mapScale), Math.max(1, b.h * mapScale)); }
}
function frameMap() {
  map.hidden = scale * scene.width <= view.clientWidth && scale * scene.height <= view.clientHeight;
  const c = map.getContext('2d');
  c.clearRect(0, 0, map.width, map.height);
  c.drawImage(mapImage, 0, 0);
  c.strokeStyle = palette.accent;
  c.lineWidth = 1.5;
  const x = Math.max(1, 4 + left * mapScale), y = Math.max(1, 4 + top_ * mapScale);
  c.strokeRect(x, y, Math.min(map.width - 1, 4 + (left + view.clientWidth / scale) * mapScale) - x, Math.min(map.height - 1, 4 + (top_ + view.clientHeight / scale) * mapScale) - y);
}

function zoom(factor, x = view.clientWidth / 2, y = view.clientHeight / 2) {
  const next = Math.min(4, Math.max(Math.min(.02, fitted()), scale * factor));
  left += x / scale - x / next;
  top_ += y / scale - y / next;
  scale = next;
  redraw();
}
const fitted = () => Math.min((view.clientWidth - 40) / scene.width, (view.clientHeight - 40) / scene.height, 1.5);
function centre(x, y) {
  left = x - view.clientWidth / scale / 2;
  top_ = y - view.clientHeight / scale / 2;
  redraw();
}
function fit() {
  scale = fitted();
  centre(scene.width / 2, scene.height / 2);
}

// The start of a large graph is more useful than all of it.
function begin() {
  scale = Math.max(fitted(), Math.min(1, Math.max(.55, (view.clientWidth - 40) / scene.width)));
  const first = scene.boxes.find(b => b.y === 0) || {x: 0, w: scene.width};
  left = first.x + first.w / 2 - view.clientWidth / scale / 2;
  if (scale * scene.width < view.clientWidth) left = scene.width / 2 - view.clientWidth / scale / 2;
  top_ = scale * scene.height < view.clientHeight ? scene.height / 2 - view.clientHeight / scale / 2 : -20 / scale;
  redraw();
}

// reveal shows the bodies around a layer.
function reveal(n) {
  let changed = false;
  for (let owner = data.graphs[layers[shown(n)].graph].owner; owner !== undefined; owner = data.graphs[layers[owner].graph].owner) if (!opened.has(owner)) { opened.add(owner); changed = true; }
  if (changed) rebuild();
}

function select(n, move) {
  selected = n < 0 ? -1 : shown(n);
  marked = null;
  if (n >= 0) {
    reveal(n);
    const b = scene.at.get(selected);
    if (move) {
      if (scale < .45) scale = .8;
      centre(b.x + b.w / 2, b.y + Math.min(b.h, 200) / 2 + (isNarrow() ? view.clientHeight / 4 / scale : 0)); // above the sheet
    }
    details(n);
    panel(true);
  } else {
    summary();
    if (isNarrow()) panel(false);
  }
  side.scrollTop = 0;
  redraw();
}
function toggle(n) {
  if (!layers[n].bodies) return;
  const before = scene.at.get(n);
  if (!opened.delete(n)) opened.add(n);
  rebuild();
  const after = scene.at.get(n);
  left += after.x - before.x;
  top_ += after.y - before.y;
  details(n);
}

// cone marks all layers that lead to a layer, or that it leads to.
function cone(n, up) {
  marked = new Set([n]);
  for (const stack = [n]; stack.length;) {
    const l = layers[stack.pop()];
    for (const [m] of up ? l.in : l.readers) if (m >= 0 && layers[m].into === undefined && !marked.has(m)) { marked.add(m); stack.push(m); }
  }
  redraw();
}

const number = v => v === undefined ? '' : Math.abs(v) >= 1e5 || v && Math.abs(v) < 1e-3 ? v.toExponential(3) : String(+v.toPrecision(5));
const time = us => us >= 1000 ? (us / 1000).toFixed(2) + ' ms' : us.toFixed(1) + ' µs';
const percent = part => (100 * part).toFixed(1) + '%';
const link = (n, text) => n < 0 ? el('span', {class: 'soft'}, text || 'a layer that is not drawn') : el('a', {href: '#', click: e => { e.preventDefault(); select(n, true); }}, text || layers[n].name || layers[n].type);
const rows = list => el('table', {}, list.map(([name, ...cells]) => el('tr', {}, el('th', {scope: 'row'}, name), cells.map(c => el('td', {}, c)))));
const section = (title, ...children) => children.flat().length ? [el('h3', {}, title), ...children.flat()] : [];
const button = (text, title, click, pressed) => el('button', {title, click, 'aria-pressed': pressed}, text);
const findings = list => list.map(f => el('p', {}, el('span', {class: f.severity}, f.severity + ': '), f.layer === undefined ? '' : [link(f.layer), ' '], f.message, el('span', {class: 'soft'}, ' [' + f.rule + ']' + (f.line ? ' line ' + f.line : ''))));

// bars draws a histogram.
function bars(s) {
  const most = Math.max(...s.histogram), w = 320 / s.histogram.length;
  return el('svg:svg', {class: 'plot', viewBox: '0 0 320 74', role: 'img', 'aria-label': 'histogram of the elements'},
    s.histogram.map((n, i) => el('svg:rect', {x: i * w, y: 58 - 56 * n / most, width: w - 1, height: 56 * n / most, fill: palette.stroke[2]}, el('svg:title', {}, String(n)))),
    el('svg:text', {x: 0, y: 71}, number(s.min)), el('svg:text', {x: 320, y: 71, 'text-anchor': 'end'}, number(s.max)));
}

function weights(n) {
  const l = layers[n], c = l.constant, s = c.statistics, out = l.out[0] || {};
  return [el('p', {}, link(n), el('span', {class: 'soft'}, ' ' + out.type + ' ' + out.shape + ', ' + c.size + ' bytes' + (c.offset === undefined ? '' : ' at ' + c.offset + ' of the .bin'))),
    s && s.elements > 6 ? el('p', {class: 'soft'}, 'min ' + number(s.min) + ', max ' + number(s.max) + ', mean ' + number(s.mean) + ', deviation ' + number(s.deviation) + ', ' + s.zeros + ' zeros' + (s.sampled ? ' in a sample of ' + s.sampled : '') + ' of ' + s.elements) : '',
    s && (s.nans || s.infinite) ? el('p', {class: 'error'}, (s.nans || 0) + ' NaN, ' + (s.infinite || 0) + ' infinite') : '',
    s && s.histogram && s.elements > 6 ? bars(s) : '', c.values && (!s || s.elements <= 24) ? el('p', {}, el('code', {}, c.values)) : ''];
}

// constantsOf returns the constants that a layer is computed from, without those of other boxes.
function constantsOf(n) {
  const list = [], seen = new Set([n]);
  for (const m of seen) { // which grows
    if (layers[m].constant) list.push(m);
    for (const [from] of layers[m].in) if (from >= 0 && layers[from].into !== undefined) seen.add(from);
  }
  return list;
}

// dims shows a shape as buttons that explain each dim.
function dims(out, place) {
  const parts = out.shape.slice(1, -1).split(',');
  if (!out.dims || !out.dims.length || parts.length !== out.dims.length) return [el('code', {}, out.type + ' ' + out.shape)];
  return [el('code', {}, out.type + ' '), parts.map((text, i) => el('button', {class: 'dim', title: 'Where does this dim come from?', click: () => explain(out.dims[i], place)}, text))];
}

// explain lists the causes of an origin, and marks the layers between.
function explain(origin, place) {
  marked = new Set();
  let lines = 0;
  const mark = n => n >= 0 && layers[n].into === undefined && marked.add(n);
  const item = (o, depth, seen) => {
    const d = data.origins[o];
    mark(d.layer);
    if (lines++ > 300) return el('li', {class: 'soft'}, '…');
    const inner = seen.has(o) || depth > 40 ? [] : (d.causes || []).map(c => { (c.via || []).forEach(mark); return item(c.origin, depth + 1, new Set([...seen, o])); });
    return el('li', {}, d.text, el('span', {class: 'soft'}, {input: ' of the input ', constant: ' of the constant ', layer: ' by the attributes of ', cut: ', which is not followed further, of '}[d.source] || ' of '), link(d.layer), inner.length ? el('ul', {class: 'tree'}, inner) : '');
  };
  place.replaceChildren(el('ul', {class: 'tree'}, item(origin, 0, new Set())));
  redraw();
}

function details(n) {
  const l = layers[n], box = shown(n), t = l.time, why = el('div');
  const parts = [el('h2', {}, l.type), el('p', {}, l.name), el('p', {class: 'soft'}, 'id ' + l.id + ' · ' + l.opset + (l.line ? ' · line ' + l.line : '')),
    box !== n ? el('p', {class: 'soft'}, 'constant, part of ', link(box)) : '',
    el('div', {class: 'row'}, button('To inputs', 'Mark what it is computed from (i)', () => cone(box, true)), button('To outputs', 'Mark what is computed from it (o)', () => cone(box, false)),
      l.bodies ? button(opened.has(n) ? 'Fold' : 'Unfold', 'Show or hide its bodies (Enter)', () => toggle(n)) : '', button('Close', 'Back to the summary (Esc)', () => select(-1)))];
  parts.push(...section('Findings', findings(l.findings.map(f => f.layer === n ? {...f, layer: undefined} : f))));
  if (t) {
    parts.push(...section('Time', rows([['shortest', time(t.min_us) + ', ' + percent(t.share) + ' of all layers'], ['median', time(t.median_us)], ['kernel', t.kernel || '—'], ['computed in', t.precision], ...(t.reason ? [['not in integers', t.reason]] : []),
      ['speed', [t.gflop_s && number(t.gflop_s) + ' GFLOP/s', t.gb_s && number(t.gb_s) + ' GB/s'].filter(Boolean).join(', ') || '—']])));
    const fused = profile.fused_at[profile.layers.indexOf(t)];
    if (fused.length) parts.push(...section('In the same pass', fused.map((m, i) => el('p', {}, t.fused[i].type + ' ', link(m, t.fused[i].name)))));
  } else if (l.leader !== undefined) parts.push(...section('Time', el('p', {}, 'computed in the pass of ', link(l.leader))));
  parts.push(...section('Outputs', l.out.map((out, i) => el('p', {}, el('span', {class: 'soft'}, i + ' '), dims(out, why), (out.names || []).map(name => el('div', {class: 'soft'}, name)))), why));
  parts.push(...section('Inputs', l.in.map(([from, output], i) => el('p', {}, el('span', {class: 'soft'}, i + ' '), from < 0 ? '' : el('code', {}, layers[from].out[output] ? layers[from].out[output].type + ' ' + layers[from].out[output].shape : ''), ' ', link(from)))));
  if (l.readers.length) parts.push(...section('Read by', l.readers.slice(0, 30).map(([m, input]) => el('p', {}, link(m), el('span', {class: 'soft'}, ' ' + layers[m].type + ', input ' + input))), l.readers.length > 30 ? el('p', {class: 'soft'}, l.readers.length - 30 + ' more') : []));
  if (l.attributes) parts.push(...section('Attributes', rows(l.attributes)));
  for (const b of l.bodies || []) parts.push(...section('Body', [...b.inputs || [], ...b.outputs || [], ...(b.back_edges || []).map(e => 'back: ' + e)].map(text => el('p', {}, text))));
  const constants = l.constant ? [n] : constantsOf(n);
  if (constants.length) parts.push(...section('Weights', constants.slice(0, 20).flatMap(weights)));
  if (l.info) parts.push(...section('rt_info', rows(l.info)));
  side.replaceChildren(...parts.filter(p => p !== ''));
}

// roofline plots the speed of layers over their operations for each byte.
function roofline() {
  const p = profile.peaks, points = profile.layers.filter(t => t.gflop_s && t.gb_s).map(t => ({t, x: t.gflop_s / t.gb_s, y: t.gflop_s}));
  if (!p || !points.length) return [];
  const lx = v => Math.log10(v), x0 = lx(Math.min(.1, ...points.map(q => q.x))), x1 = lx(Math.max(p.gflop_s / p.gb_s * 10, ...points.map(q => q.x))), y1 = lx(Math.max(p.gflop_s, ...points.map(q => q.y)) * 1.3), y0 = Math.min(y1 - 3, lx(Math.min(...points.map(q => q.y)) / 1.3));
  const X = v => 34 + 290 * (lx(v) - x0) / (x1 - x0), Y = v => 156 - 146 * (lx(v) - y0) / (y1 - y0), low = 10 ** x0, knee = p.gflop_s / p.gb_s, start = Math.max(low, 10 ** y0 / p.gb_s);
  return section('Roofline', el('svg:svg', {class: 'plot', viewBox: '0 0 330 184', role: 'img', 'aria-label': 'roofline of the layers'},
    el('svg:path', {d: `M${X(start)} ${Y(start * p.gb_s)}L${X(knee)} ${Y(p.gflop_s)}L${X(10 ** x1)} ${Y(p.gflop_s)}`, fill: 'none', stroke: palette.soft, 'stroke-width': 1.5}),
    Array.from({length: Math.floor(y1) - Math.ceil(y0) + 1}, (_, i) => Math.ceil(y0) + i).map(e => [el('svg:path', {d: `M34 ${Y(10 ** e)}H324`, stroke: palette.line}), el('svg:text', {x: 30, y: Y(10 ** e) + 3, 'text-anchor': 'end'}, String(+(10 ** e).toPrecision(1)))]).flat(),
    Array.from({length: Math.floor(x1) - Math.ceil(x0) + 1}, (_, i) => Math.ceil(x0) + i).map(e => el('svg:text', {x: X(10 ** e), y: 168, 'text-anchor': 'middle'}, String(+(10 ** e).toPrecision(1)))),
    el('svg:text', {x: 324, y: 181, 'text-anchor': 'end'}, 'operations for each byte'), el('svg:text', {x: 38, y: 9}, 'GFLOP/s'),
    points.map(q => el('svg:circle', {cx: X(q.x), cy: Y(q.y), r: 2.5 + 6 * Math.sqrt(q.t.share), fill: palette.bar, 'fill-opacity': .6, stroke: palette.panel, tabindex: q.t.n >= 0 ? 0 : -1, click: () => q.t.n >= 0 && select(q.t.n, true), keydown: e => e.key === 'Enter' && q.t.n >= 0 && select(q.t.n, true)}, el('svg:title', {}, q.t.type + ' ' + q.t.name + ': ' + number(q.y) + ' GFLOP/s, ' + time(q.t.min_us))))),
    el('p', {class: 'soft'}, 'The line is what this machine reached with ' + p.threads + (p.threads === 1 ? ' thread: ' : ' threads: ') + number(p.gflop_s) + ' GFLOP/s in a product of matrices in the cache, ' + number(p.gb_s) + ' GB/s in a copy. A layer with a Winograd kernel can be above it: that needs fewer operations than are counted.'));
}

function summary() {
  const boxes = data.graphs.flatMap(g => g.boxes), ports = type => data.graphs[0].boxes.filter(n => layers[n].type === type);
  const port = n => { const o = layers[n].out[0]; return el('p', {}, link(n), o ? el('code', {}, ' ' + o.type + ' ' + o.shape) : ''); };
  const counts = new Map();
  for (const n of boxes) counts.set(layers[n].type, (counts.get(layers[n].type) || 0) + 1);
  const table = (list, most) => el('table', {}, list.map(([type, text, part, kind]) => {
    const bar = el('div', {class: 'bar'});
    bar.style.width = 100 * part / most + '%';
    bar.style.background = kind === undefined ? palette.bar : palette.stroke[kind];
    return el('tr', {}, el('td', {}, el('a', {href: '#', click: e => { e.preventDefault(); search.value = type; search.focus(); find(); }}, type)), el('td', {class: 'n'}, text), el('td', {width: '32%'}, bar));
  }));
  const parts = [el('h2', {}, data.name || data.model), el('p', {class: 'soft'}, 'IR version ' + data.version + ', ' + layers.length + ' layers, ' + (layers.length - boxes.length) + ' of them constant')];
  parts.push(...section('Findings', findings(data.findings.slice(0, 100)), data.findings.length > 100 ? el('p', {class: 'soft'}, data.findings.length - 100 + ' more') : []));
  if (profile) {
    parts.push(...section('Time', rows([['inference', time(profile.min_us) + ' shortest, ' + time(profile.median_us) + ' median of ' + profile.runs], ['layers', time(profile.layers_us)], ['read, compile', profile.read_ms.toFixed(1) + ' ms, ' + profile.compile_ms.toFixed(1) + ' ms']])));
    parts.push(...section('Time by type', table(profile.types.slice(0, 14).map(t => [t.type, time(t.min_us) + ' · ' + percent(t.share), t.min_us]), profile.types[0].min_us)));
    parts.push(...roofline());
    const list = [...profile.layers].sort((a, b) => b.min_us - a.min_us).slice(0, 15);
    parts.push(...section('Slowest layers', el('table', {}, list.map(t => el('tr', {}, el('td', {class: 'n'}, time(t.min_us)), el('td', {}, t.type + ' ', link(t.n, t.name)))))));
  }
  parts.push(...section('Inputs', ports('Parameter').slice(0, 50).map(port)), ...section('Outputs', ports('Result').slice(0, 50).map(port)));
  const types = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 40);
  if (types.length) parts.push(...section('Layers by type', table(types.map(([type, n]) => [type, String(n), n, layers[boxes.find(b => layers[b].type === type)].kind]), types[0][1])));
  parts.push(...section('Colours', kinds.map((name, i) => { const mark = el('span', {}, '■ '); mark.style.color = palette.stroke[i]; return el('div', {}, mark, name); })));
  side.replaceChildren(...parts);
}

function help() {
  selected = -1;
  panel(true);
  side.replaceChildren(el('h2', {}, 'Keys'), el('table', {}, [['/', 'search'], ['↑ ↓', 'the layer before, after'], ['← →', 'the layer beside'], ['Enter', 'show or hide bodies'], ['i o', 'mark the way to the inputs, outputs'], ['Esc', 'back'], ['+ −', 'zoom'], ['f', 'show all'],
    ['c', 'colours: types or times'], ['t', 'light or dark'], ['s', 'save as SVG'], ['d', 'show or hide this panel'], ['?', 'this list']].map(([k, text]) => el('tr', {}, el('td', {}, el('kbd', {}, k)), el('td', {}, text)))));
  redraw();
}

// Search: each word must be in the name, the type or the id.
let hits = [], hit = 0;
function find() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  hits = [];
  if (words.length) for (const l of layers) {
    const text = (l.name + ' ' + l.type + ' ' + l.id).toLowerCase();
    if (words.every(w => text.includes(w))) hits.push(l.n);
  }
  hits.sort((a, b) => (layers[a].into !== undefined) - (layers[b].into !== undefined));
  hit = 0;
  marked = words.length ? new Set(hits.map(shown)) : null;
  found.hidden = !words.length;
  list();
  redraw();
}
function list() {
  found.replaceChildren(el('li', {class: 'soft'}, hits.length + ' found'), ...hits.slice(0, 60).map((n, i) => el('li', {'aria-selected': String(i === hit), mousedown: e => { e.preventDefault(); go(i); }}, el('b', {}, layers[n].type), ' ', layers[n].name)));
}
function go(i) {
  if (!hits.length) return;
  hit = (i + hits.length) % hits.length;
  list();
  const m = new Set(hits.map(shown));
  select(hits[hit], true);
  marked = m;
}
search.addEventListener('input', find);
search.addEventListener('focus', () => { if (search.value) found.hidden = false; });
search.addEventListener('blur', () => { found.hidden = true; });
search.addEventListener('keydown', e => {
  e.stopPropagation();
  if (e.key === 'Enter') go(selected < 0 || !marked ? 0 : hit + (e.shiftKey ? -1 : 1));
  else if (e.key === 'ArrowDown') go(selected < 0 ? 0 : hit + 1);
  else if (e.key === 'ArrowUp') go(hit - 1);
  else if (e.key === 'Escape') { search.value = ''; find(); view.focus(); }
  else return;
  e.preventDefault();
});

// step moves to a layer beside the selected one, or before or after it.
function step(key) {
  if (selected < 0) return select(data.graphs[0].boxes[0], true);
  const l = layers[selected], b = scene.at.get(selected);
  if (key === 'ArrowUp' || key === 'ArrowDown') {
    const next = (key === 'ArrowUp' ? l.in : l.readers).map(([m]) => m).filter(m => m >= 0 && layers[m].into === undefined);
    return next.length && select(next[0], true);
  }
  const row = scene.boxes.filter(o => o.y === b.y && layers[o.n].graph === l.graph).sort((p, q) => p.x - q.x), next = row[row.indexOf(b) + (key === 'ArrowLeft' ? -1 : 1)];
  if (next) select(next.n, true);
}

function theme(dark) {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  readPalette();
  drawMap();
  if (selected < 0) summary(); else details(selected);
  redraw();
}
const isDark = () => document.documentElement.dataset.theme === 'dark';
function colour() {
  if (!profile) return;
  colours = colours === 'time' ? 'kind' : 'time';
  drawMap();
  redraw();
}

// save makes an SVG of all that the scene has.
function save() {
  const svg = el('svg:svg', {xmlns: 'http://www.w3.org/2000/svg', width: scene.width + 40, height: scene.height + 40, viewBox: `-20 -20 ${scene.width + 40} ${scene.height + 40}`, 'font-family': 'system-ui,sans-serif', 'font-size': 11, 'text-anchor': 'middle'},
    el('svg:rect', {x: -20, y: -20, width: scene.width + 40, height: scene.height + 40, fill: palette.bg}));
  for (const e of scene.edges) {
    let d = '';
    trace({moveTo: (...p) => { d += 'M' + p; }, lineTo: (...p) => { d += 'L' + p; }, bezierCurveTo: (...p) => { d += 'C' + p; }}, e, true);
    svg.append(el('svg:path', {d, fill: 'none', stroke: palette.edge}));
  }
  for (const f of scene.frames) svg.append(el('svg:rect', {x: f.x, y: f.y, width: f.w, height: f.h, fill: 'none', stroke: palette.edge, 'stroke-dasharray': '5 4'}));
  for (const b of scene.boxes) {
    const l = layers[b.n], x = b.x + b.w / 2, text = (y, t, more) => svg.append(el('svg:text', {x, y, fill: palette.text, ...more}, t)), severity = l.worst;
    svg.append(el('svg:rect', {x: b.x, y: b.y, width: b.w, height: b.h, rx: 6, fill: b.inner ? 'none' : fillOf(l), stroke: severity ? palette[severity] : palette.stroke[l.kind]}));
    text(b.y + 16, l.title, {'font-weight': 600, 'font-size': 12});
    (l.lines || []).forEach((line, i) => text(b.y + 30 + 14 * i, line));
    if (profile && l.time) text(b.y + (b.inside || b.h) - 8, time(l.time.min_us) + ' · ' + percent(l.time.share), {'font-size': 10.5});
    for (const out of l.out) if (out.label && l.readers.length) text(b.y + b.h + 15, out.label, {x: x + (out.start || 0) * b.w / l.box[2], fill: palette.soft, 'font-size': 10, stroke: palette.bg, 'stroke-width': 4, 'paint-order': 'stroke'});
  }
  const url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(svg)], {type: 'image/svg+xml'}));
  el('a', {href: url, download: data.model.replace(/\.xml$/, '') + '.svg'}).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// isNarrow reports whether the panel is a sheet over the graph, as on a phone.
const isNarrow = () => matchMedia('(max-width:760px)').matches;
// panel shows or hides the panel.
function panel(open) {
  side.classList.toggle('closed', !open);
  byID('panel').setAttribute('aria-pressed', String(open));
  redraw();
}

const keys = {'/': () => search.focus(), '?': help, f: fit, '+': () => zoom(1.25), '=': () => zoom(1.25), '-': () => zoom(.8), c: colour, t: () => theme(!isDark()), s: save, d: () => panel(side.classList.contains('closed')),
  i: () => selected >= 0 && cone(selected, true), o: () => selected >= 0 && cone(selected, false), Escape: () => { if (marked) { marked = null; redraw(); } else select(-1); }, Enter: () => selected >= 0 && toggle(selected)};
for (const key of ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight']) keys[key] = () => step(key);
document.addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey || !Object.hasOwn(keys, e.key) || (e.key === 'Enter' && e.target !== view && e.target !== document.body)) return;
  e.preventDefault();
  keys[e.key]();
});

// The pointer: one drags, two zoom, a click selects.
const pointers = new Map();
let moved = 0;
view.addEventListener('pointerdown', e => { pointers.set(e.pointerId, e); moved = 0; view.setPointerCapture(e.pointerId); });
view.addEventListener('pointermove', e => {
  const last = pointers.get(e.pointerId);
  if (!last) { view.style.cursor = boxAt(e) < 0 ? 'grab' : 'pointer'; return; }
  const dx = e.clientX - last.clientX, dy = e.clientY - last.clientY, other = [...pointers.values()].find(p => p.pointerId !== e.pointerId);
  moved += Math.abs(dx) + Math.abs(dy);
  if (other) zoom(Math.hypot(e.clientX - other.clientX, e.clientY - other.clientY) / Math.max(1, Math.hypot(last.clientX - other.clientX, last.clientY - other.clientY)), e.offsetX, e.offsetY);
  else { left -= dx / scale; top_ -= dy / scale; redraw(); }
  pointers.set(e.pointerId, e);
});
view.addEventListener('pointerup', e => {
  pointers.delete(e.pointerId);
  if (moved > 5) return;
  const n = boxAt(e), b = scene.at.get(n);
  if (b && layers[n].bodies && left + e.offsetX / scale < b.x + 22 && top_ + e.offsetY / scale < b.y + 22) { select(n); toggle(n); } else select(n);
});
view.addEventListener('pointercancel', e => pointers.delete(e.pointerId));
view.addEventListener('dblclick', e => { const n = boxAt(e); if (n >= 0) toggle(n); });
view.addEventListener('wheel', e => {
  e.preventDefault();
  if (e.ctrlKey || !e.shiftKey && !e.deltaX && Math.abs(e.deltaY) >= 50) zoom(Math.exp(-Math.sign(e.deltaY) * Math.min(Math.abs(e.deltaY), 120) / 500), e.offsetX, e.offsetY);
  else { left += (e.shiftKey ? e.deltaY : e.deltaX) / scale; top_ += (e.shiftKey ? 0 : e.deltaY) / scale; redraw(); }
}, {passive: false});
function boxAt(e) {
  const x = left + e.offsetX / scale, y = top_ + e.offsetY / scale;
  for (let i = scene.boxes.length - 1; i >= 0; i--) { const b = scene.boxes[i]; if (x >= b.x && x <= b.x + b.w && y >= b.y && y <= b.y + b.h) return b.n; }
  return -1;
}
const jump = e => { if (e.buttons) centre((e.offsetX - 4) / mapScale, (e.offsetY - 4) / mapScale); };
map.addEventListener('pointerdown', jump);
map.addEventListener('pointermove', jump);

byID('title').textContent = document.title = data.model;
byID('tools').append(...[button('Fit', 'Show all (f)', fit), button('−', 'Zoom out (-)', () => zoom(.8)), button('+', 'Zoom in (+)', () => zoom(1.25)), profile && button('Colours', 'Colours by type or by time (c)', colour),
  button('Theme', 'Light or dark (t)', () => theme(!isDark())), button('SVG', 'Save as SVG (s)', save), button('?', 'Keys (?)', help), button('Panel', 'Show or hide the panel (d)', keys.d)].filter(Boolean));
document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
byID('tools').lastChild.id = 'panel';
panel(!isNarrow());
readPalette();
rebuild();
summary();
begin();
new ResizeObserver(redraw).observe(view);
