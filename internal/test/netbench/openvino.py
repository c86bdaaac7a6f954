"""Times a case under OpenVINO's CPU plugin at f32: CASE THREADS SECONDS; prints one JSON object."""
import json, resource, sys, time
import numpy as np, openvino as ov

case, threads, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
rss = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
now = time.perf_counter
core = ov.Core()
base = rss()
start = now()
model = core.read_model(f"{case}/model.xml")
read = now() - start
start = now()
compiled = core.compile_model(model, "CPU", {
    "INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY"})
compile = now() - start
request = compiled.create_infer_request()
for i in range(len(model.inputs)):
    request.set_input_tensor(i, ov.Tensor(np.ascontiguousarray(np.load(f"{case}/in/{i}.npy"))))
start = now()
request.infer(share_outputs=True)  # without it, Python copies every output
first = now() - start
times, end = [], now() + seconds
while not times or now() < end:
    start = now()
    request.infer(share_outputs=True)
    times.append(now() - start)
print(json.dumps({
    "read_ms": read * 1e3, "compile_ms": compile * 1e3, "first_ms": first * 1e3, "min_us": min(times) * 1e6,
    "peak_rss_bytes": rss(), "base_rss_bytes": base, "version": ov.__version__.split("-")[0]}))
