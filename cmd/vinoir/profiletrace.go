package main

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/plugin"
)

// maxTraceEvents bounds the number of layers of all runs in a trace.
const maxTraceEvents = 1 << 20

// trace is a file of trace events for Perfetto and Chrome, in the JSON object format of the "Trace
// Event Format". They show a slice that lies within another slice of the same thread below it.
type trace struct {
	model         string
	read, compile time.Duration
	infers        []tracedInfer
}

// tracedInfer is an inference that began at the given time after the start of the trace.
type tracedInfer struct {
	at, took time.Duration
	layers   []plugin.ProfilingInfo
}

// traceEvent is a slice of time (Phase "X") or a name (Phase "M"). TS and Dur are in
// microseconds.
type traceEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	TS       float64        `json:"ts"`
	Dur      *float64       `json:"dur,omitempty"`
	PID      int            `json:"pid"`
	TID      int            `json:"tid"`
	Args     map[string]any `json:"args,omitempty"`
}

// write writes the trace to the file at path, event by event. If that fails, it removes the file,
// unless the file was there before: it can be a device.
func (t *trace) write(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	created := err == nil
	if errors.Is(err, fs.ErrExist) {
		file, err = os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	}
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	events := traceWriter{jsonList{app: &app{stdout: w}}}
	events.list.raw(`{"traceEvents":[`)
	events.all(t)
	events.list.raw("],\"displayTimeUnit\":\"ms\"}\n")
	if err = faults.Join(events.list.err, w.Flush(), file.Close()); err != nil && created {
		err = faults.Join(err, os.Remove(path))
	}
	return err
}

// traceWriter writes trace events.
type traceWriter struct{ list jsonList }

// all writes the names of the process and of its thread, and slices for reading and compiling the
// model and for each inference.
func (w *traceWriter) all(t *trace) {
	w.named("process_name", "vinoir profile "+t.model)
	w.named("thread_name", "InferRequest")
	w.slice("read", "model", 0, t.read, nil)
	w.slice("compile", "model", t.read, t.compile, nil)
	for i := range t.infers {
		w.infer(&t.infers[i])
	}
}

// named writes a name. kind is "process_name" or "thread_name".
func (w *traceWriter) named(kind, name string) {
	w.list.value(traceEvent{Name: kind, Phase: "M", PID: 1, TID: 1, Args: map[string]any{"name": name}})
}

// slice writes a slice that begins at the given time after the start of the trace.
func (w *traceWriter) slice(name, category string, at, took time.Duration, args map[string]any) {
	dur := microseconds(took)
	w.list.value(traceEvent{
		Name: name, Category: category, Phase: "X", TS: microseconds(at), Dur: &dur, PID: 1, TID: 1, Args: args,
	})
}

// infer writes slices for an inference and for its layers.
func (w *traceWriter) infer(t *tracedInfer) {
	w.slice("Infer", "model", t.at, t.took, nil)
	// The times of the layers start at the first layer, which is a little later than the
	// inference. The end of the last layer is taken as the end of the inference.
	at := t.at
	if n := len(t.layers); n > 0 {
		at += max(t.took-t.layers[n-1].Start-t.layers[n-1].RealTime, 0)
	}
	for i := range t.layers {
		info := &t.layers[i]
		layer := newLayerProfile(info)
		args := map[string]any{"type": layer.Type, "outputs": layer.Outputs, "bytes": layer.Bytes, "precision": layer.Precision}
		if layer.Kernel != "" {
			args["kernel"] = layer.Kernel
		}
		if layer.Flops > 0 {
			args["flops"] = layer.Flops
		}
		if layer.Fused != nil {
			args["fused"] = layer.Fused
		}
		w.slice(layer.Name, layer.Type, at+info.Start, info.RealTime, args)
	}
}
