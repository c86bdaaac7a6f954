package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/vinoir/vinoir/plugin"
)

// trace is a file of trace events for Perfetto and Chrome, in the JSON object format of the "Trace
// Event Format". They show a slice that lies within another slice of the same thread below it.
type trace struct {
	Events []traceEvent `json:"traceEvents"`
	Unit   string       `json:"displayTimeUnit"` // "ms" or "ns"
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

// newTrace returns a trace with the names of the process and of its thread, and with slices for
// reading and compiling the model.
func newTrace(model string, s *session) *trace {
	t := &trace{Unit: "ms"}
	t.named("process_name", "vinoir profile "+model)
	t.named("thread_name", "InferRequest")
	t.slice("read", "model", 0, s.read, nil)
	t.slice("compile", "model", s.read, s.compile, nil)
	return t
}

// named adds a name. kind is "process_name" or "thread_name".
func (t *trace) named(kind, name string) {
	t.Events = append(t.Events, traceEvent{Name: kind, Phase: "M", PID: 1, TID: 1, Args: map[string]any{"name": name}})
}

// slice adds a slice that begins at the given time after the start of the trace.
func (t *trace) slice(name, category string, at, took time.Duration, args map[string]any) {
	dur := microseconds(took)
	t.Events = append(t.Events, traceEvent{
		Name: name, Category: category, Phase: "X", TS: microseconds(at), Dur: &dur, PID: 1, TID: 1, Args: args,
	})
}

// infer adds slices for an inference that began at the given time, and for its layers.
func (t *trace) infer(at, took time.Duration, infos []plugin.ProfilingInfo) {
	t.slice("Infer", "model", at, took, nil)
	// The times of the layers start at the first layer, which is a little later than the
	// inference. The end of the last layer is taken as the end of the inference.
	if n := len(infos); n > 0 {
		at += max(took-infos[n-1].Start-infos[n-1].RealTime, 0)
	}
	for i := range infos {
		info := &infos[i]
		layer := newLayerProfile(info)
		args := map[string]any{"type": layer.Type, "outputs": layer.Outputs, "bytes": layer.Bytes}
		if layer.Kernel != "" {
			args["kernel"] = layer.Kernel
		}
		if layer.Flops > 0 {
			args["flops"] = layer.Flops
		}
		if layer.Fused != nil {
			args["fused"] = layer.Fused
		}
		t.slice(layer.Name, layer.Type, at+info.Start, info.RealTime, args)
	}
}

// write writes the trace to a file. If that fails, it removes the file.
func (t *trace) write(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	if err = errors.Join(encoder.Encode(t), w.Flush(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
