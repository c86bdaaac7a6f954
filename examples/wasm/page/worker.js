// Runs the model beside the page, so that the page stays responsive.
importScripts("wasm_exec.js");

async function get(name) {
  const response = await fetch(name);
  if (!response.ok) throw new Error(name + ": " + response.status);
  return response;
}

const bytes = async (name) => new Uint8Array(await (await get(name)).arrayBuffer());
const text = async (name) => (await get(name)).text();

// call returns the result of a function of vinoir, or throws its error.
function call(name, ...args) {
  const result = JSON.parse(vinoir[name](...args));
  if (result.error) throw new Error(result.error);
  return result;
}

async function open() {
  const go = new Go();
  const [program, ...args] = await Promise.all([
    WebAssembly.instantiateStreaming(get("app.wasm"), go.importObject),
    bytes("model.xml"), bytes("model.bin"), text("labels.txt"), text("options.json"),
  ]);
  go.run(program.instance); // returns at its first wait, when vinoir is there
  return call("open", ...args);
}

const opened = open();
opened.then((result) => postMessage({ opened: result }), (error) => postMessage({ error: error.message }));

onmessage = async (event) => {
  try {
    await opened;
    postMessage({ classified: call("classify", new Uint8Array(event.data)) });
  } catch (error) {
    postMessage({ error: error.message });
  }
};
