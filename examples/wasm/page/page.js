const element = (id) => document.getElementById(id);
const drop = element("drop"), status = element("status"), labels = element("labels");

const worker = new Worker("worker.js");
const milliseconds = (n) => n.toFixed(n < 10 ? 1 : 0) + " ms";

worker.onmessage = ({ data }) => {
  if (data.error) {
    status.textContent = data.error;
  } else if (data.opened) {
    status.textContent = "The model is open after " + milliseconds(data.opened.ms) + ".";
    drop.classList.add("ready");
  } else {
    status.textContent = milliseconds(data.classified.ms) + ", and " + milliseconds(data.classified.decodingMs) + " to decode the picture.";
    labels.replaceChildren(...data.classified.labels.map(row));
  }
};

// row returns a row of the table: a label, its score, and a bar.
function row({ label, score }) {
  const tr = document.createElement("tr");
  const cells = [label, score.toFixed(3), ""].map((text) => {
    const td = document.createElement("td");
    td.textContent = text;
    tr.append(td);
    return td;
  });
  const meter = document.createElement("meter");
  meter.value = score;
  cells[2].append(meter);
  return tr;
}

async function classify(file) {
  if (!file) return;
  status.textContent = "…";
  URL.revokeObjectURL(element("picture").src);
  element("picture").src = URL.createObjectURL(file);
  const content = await file.arrayBuffer();
  worker.postMessage(content, [content]);
}

element("file").onchange = (event) => classify(event.target.files[0]);
drop.ondragover = (event) => event.preventDefault();
drop.ondrop = (event) => {
  event.preventDefault();
  classify(event.dataTransfer.files[0]);
};
