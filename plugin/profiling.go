package plugin

import (
	"slices"
	"time"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// ProfilingInfo is what one layer did in an inference: OpenVINO's ProfilingInfo,
// and what it takes to judge the time.
type ProfilingInfo struct {
	NodeName, NodeType string
	// Fused are the layers behind it, in their order, that its kernel computes in
	// the same pass. They are not listed on their own.
	Fused []ProfiledNode
	// Algorithm says in a few words which of several kernels ran; "" where there is
	// one.
	Algorithm string
	// Outputs are the shapes of the outputs.
	Outputs []ir.Shape
	// Flops are the floating-point operations that the layer needs, a multiplication
	// and an addition being two; 0 where the kernel does not tell.
	Flops float64
	// Bytes is what the layer has to read and write: the size of all inputs,
	// constants among them, and of the outputs that are read, less where the kernel
	// tells so.
	Bytes int64
	// Start is when the layer began, from the beginning of the first.
	Start time.Duration
	// RealTime is zero for a layer that an error kept from running.
	RealTime time.Duration
}

// ProfiledNode names a layer.
type ProfiledNode struct{ Name, Type string }

// kernelInfo is what Prepare tells of the kernel: see ops.Preparation.
type kernelInfo struct {
	algorithm string
	flops     float64
	bytes     int64
}

func infoOf(p *ops.Prepared) kernelInfo { return kernelInfo{p.Algorithm, p.Flops, p.MovedBytes} }

// stepTime is when a step began, and how long it took.
type stepTime struct{ start, took time.Duration }

// ProfilingInfo returns the layers that ran in the last Infer, in their order,
// with their times; nil unless CompileOptions.EnableProfiling was set. Layers that
// take no time, such as constants and those that only give a tensor another
// shape, are not among them.
func (r *InferRequest) ProfilingInfo() []ProfilingInfo {
	if r.busy.Load() || !r.compiled.profiling || r.main.running == nil {
		return nil
	}
	infos := make([]ProfilingInfo, len(r.main.times))
	for i := range infos {
		infos[i] = r.main.running.profile(i)
		infos[i].Start, infos[i].RealTime = r.main.times[i].start, r.main.times[i].took
	}
	return infos
}

// profile describes step i, but for its time.
func (b *bound) profile(i int) ProfilingInfo {
	s, run := &b.plan.steps[i], &b.steps[i].run
	about := s.about
	if late := b.steps[i].late; late != nil && late.entry != nil {
		about = late.entry.about
	}
	info := ProfilingInfo{NodeName: s.layer.Name, NodeType: s.layer.Type, Algorithm: about.algorithm, Flops: about.flops}
	for _, layer := range s.fused {
		info.Fused = append(info.Fused, ProfiledNode{layer.Name, layer.Type})
	}
	for _, t := range run.Inputs {
		info.Bytes += bytesOf(t)
	}
	for k, t := range run.Outputs {
		if b.plan.values[b.plan.owner(s.outputs[k])].last > i {
			info.Bytes += bytesOf(t)
		}
		info.Outputs = append(info.Outputs, slices.Clone(t.Shape()))
	}
	if about.bytes > 0 {
		info.Bytes = about.bytes
	}
	return info
}

// bytesOf returns the size of a tensor's elements, of strings that of their texts.
func bytesOf(t *ir.Tensor) int64 {
	if t.ElementType() == ir.String {
		n := int64(0)
		for _, s := range t.Strings() {
			n += int64(len(s))
		}
		return n
	}
	n, err := ir.ByteSize(t.ElementType(), t.Shape())
	if err != nil {
		return 0 // a tensor that no kernel has set
	}
	return int64(n)
}
