"""Times a case under ONNX Runtime at f32: CASE THREADS SECONDS; prints one JSON object."""
import json, resource, sys, time
import numpy as np, onnxruntime as ort

case, threads, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
rss = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
now = time.perf_counter
options = ort.SessionOptions()
options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
base = rss()
start = now()
session = ort.InferenceSession(f"{case}/model.onnx", options, providers=["CPUExecutionProvider"])
compile = now() - start
inputs = {x.name: np.load(f"{case}/in/{i}.npy") for i, x in enumerate(session.get_inputs())}
start = now()
session.run(None, inputs)
first = now() - start
times, end = [], now() + seconds
while not times or now() < end:
    start = now()
    session.run(None, inputs)
    times.append(now() - start)
print(json.dumps({
    "read_ms": 0, "compile_ms": compile * 1e3, "first_ms": first * 1e3, "min_us": min(times) * 1e6,
    "peak_rss_bytes": rss(), "base_rss_bytes": base, "version": ort.__version__}))
