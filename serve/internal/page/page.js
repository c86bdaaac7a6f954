"use strict";

// How often the numbers are read, and how many of them a chart shows.
const interval = 2000, points = 60;

const get = id => document.getElementById(id);
const histories = new Map(); // of each version: the last numbers, and the points of its charts
let versions = [];

// element returns a new element with a class and a text.
function element(name, className, text) {
  const e = document.createElement(name);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}

// chart returns a small line of values, of which null ones are gaps at 0.
function chart(values, title) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", `0 0 ${points - 1} 20`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", title);
  const line = document.createElementNS(space, "polyline");
  const top = Math.max(...values, 1e-9);
  line.setAttribute("points", values.map((v, i) => `${points - values.length + i},${19 - 18 * v / top}`).join(" "));
  svg.append(line);
  return svg;
}

// follow adds the newest numbers of a version to its history, and returns it.
function follow(v, time) {
  const key = JSON.stringify([v.name, v.version]);
  const h = histories.get(key) ?? { rate: [], latency: [] };
  if (h.last && time > h.time && v.success >= h.last.success) {
    const requests = v.success - h.last.success;
    h.rate.push(requests / ((time - h.time) / 1000));
    h.latency.push(requests ? (v.request_us - h.last.request_us) / requests / 1000 : 0);
    for (const list of [h.rate, h.latency]) if (list.length > points) list.shift();
  }
  h.last = v;
  h.time = time;
  histories.set(key, h);
  return h;
}

function measured(values, digits, title) {
  const cell = element("td", "number", values.length ? values.at(-1).toFixed(digits) : "");
  if (values.length > 1) cell.append(chart(values, title));
  return cell;
}

function modelRow(v, time) {
  const h = follow(v, time), row = element("tr");
  const name = element("td", "text", v.name);
  name.title = [...(v.inputs ?? []).map(p => `input ${describe(p)}`), ...(v.outputs ?? []).map(p => `output ${describe(p)}`)].join("\n");
  const state = element("td", "text");
  state.append(element("span", "state " + (v.state === "READY" ? "good" : v.state === "UNAVAILABLE" ? "bad" : ""), v.state));
  if (v.reason) state.append(" " + v.reason);
  row.append(name, element("td", "number", v.version), state);
  for (const n of [v.pending, v.success, v.fail]) row.append(element("td", "number", n));
  row.append(measured(h.rate, 1, `requests per second of ${v.name}`), measured(h.latency, 2, `latency of ${v.name}`));
  row.append(element("td", "number", (v.memory_bytes / 1e6).toFixed(1)));
  return row;
}

const describe = p => `${p.name} ${p.datatype} [${p.shape.join(",")}]`;

function errorRow(e) {
  const row = element("tr");
  row.append(element("td", "number", new Date(e.time).toLocaleTimeString()), element("td", "", `${e.protocol} ${e.method}`),
    element("td", "text", [e.model, e.version].filter(Boolean).join(" ")), element("td", "text", e.text));
  return row;
}

// choose keeps the choice of the form while versions come and go.
function choose() {
  const select = get("model"), chosen = select.value;
  const ready = versions.filter(v => v.state === "READY");
  const names = ready.map(v => JSON.stringify([v.name, v.version]));
  if ([...select.options].map(o => o.value).join() === names.join()) return;
  select.replaceChildren(...ready.map((v, i) => {
    const option = element("option", "", `${v.name} ${v.version}`);
    option.value = names[i];
    option.selected = names[i] === chosen;
    return option;
  }));
}

function show(status) {
  document.title = get("title").textContent = `${status.name} ${status.version}`;
  const ready = get("ready");
  ready.textContent = status.ready ? "ready" : "not ready";
  ready.className = "state " + (status.ready ? "good" : "bad");
  get("addresses").textContent = Object.entries(status.addresses ?? {}).map(([name, at]) => `${name} ${at}`).join(" · ");
  versions = status.models;
  const time = Date.parse(status.time);
  get("models").replaceChildren(...versions.map(v => modelRow(v, time)));
  get("nothing").hidden = versions.length > 0;
  get("errors").replaceChildren(...status.errors.map(errorRow));
  get("none").hidden = status.errors.length > 0;
  choose();
}

// headers has the key of the form, which is kept nowhere.
const headers = () => get("key").value ? { Authorization: "Bearer " + get("key").value } : {};

async function refresh() {
  try {
    const response = await fetch("status/status.json", { headers: headers() });
    if (!response.ok) throw new Error((await response.json()).error ?? response.statusText);
    show(await response.json());
  } catch (error) {
    get("ready").textContent = `no answer: ${error.message}`;
    get("ready").className = "state bad";
  }
  setTimeout(refresh, interval);
}

const limit = 1 << 20; // elements of a made-up input

// makeUp returns a tensor for a port: numbers from 0 to 1, small integers, or short texts.
function makeUp(p, length) {
  const shape = p.shape.map(n => n < 0 ? length : n), count = shape.reduce((a, b) => a * b, 1);
  if (count > limit) throw new Error(`${p.name} has ${count} elements, more than ${limit}`);
  const value = p.datatype === "BOOL" ? () => Math.random() < 0.5
    : p.datatype === "BYTES" ? () => "text"
    : /^U?INT/.test(p.datatype) ? () => Math.floor(Math.random() * 10)
    : () => Math.round(Math.random() * 1e4) / 1e4;
  return { name: p.name, datatype: p.datatype, shape, data: Array.from({ length: count }, value) };
}

async function infer(event) {
  event.preventDefault();
  const result = get("result");
  result.hidden = false;
  try {
    const v = versions.find(v => JSON.stringify([v.name, v.version]) === get("model").value);
    if (!v) throw new Error("no model is ready");
    const body = JSON.stringify({ id: "status-page", inputs: v.inputs.map(p => makeUp(p, Number(get("length").value) || 1)) });
    const start = performance.now();
    const response = await fetch(`v2/models/${encodeURIComponent(v.name)}/versions/${encodeURIComponent(v.version)}/infer`,
      { method: "POST", headers: headers(), body });
    const answer = await response.json(), took = performance.now() - start;
    if (!response.ok) throw new Error(answer.error);
    result.textContent = [`answered in ${took.toFixed(1)} ms`, ...answer.outputs.map(o =>
      `${describe(o)}: ${o.data.flat(Infinity).slice(0, 10).join(", ")}${o.data.length > 10 ? ", …" : ""}`)].join("\n");
  } catch (error) {
    result.textContent = error.message;
  }
}

get("form").addEventListener("submit", infer);
refresh();
