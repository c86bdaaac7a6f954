package plugin

import (
	"slices"
	"time"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// ProfilingInfo describes the work of one layer in an inference: OpenVINO's ProfilingInfo, and data to
// judge the time.
type ProfilingInfo struct {
	NodeName, NodeType string
	// Fused lists the layers after it that its kernel computes in the same pass, in order. They
	// have no ProfilingInfo of their own.
	Fused []ProfiledNode
	// Algorithm names the kernel that ran if the layer type has several; otherwise "".
	Algorithm string
	// Precision is the type that the layer computes in: the type of output 0, f32 where f16 and bf16 are computed in f32,
	// i8 where products of 8 bits are summed as integers, and bf16 or f16 where the operands of products are rounded to that.
	Precision ir.ElementType
	// Reason is why a layer computes in floating point although its data or its weights are quantized; otherwise "".
	Reason string
	// Outputs are the shapes of the outputs.
	Outputs []ir.Shape
	// Flops is the number of floating-point operations that the layer needs, where a
	// multiply-add counts as two; 0 if the kernel does not report it.
	Flops float64
	// Bytes is the number of bytes that the layer has to read and write: the sizes of all
	// inputs, including constants, and of the outputs that have readers, or a smaller number
	// that the kernel reports.
	Bytes int64
	// Start is the time from the start of the first layer to the start of this one.
	Start time.Duration
	// RealTime is the time that the layer took; 0 if an error ended the inference before it.
	RealTime time.Duration
}

// ProfiledNode names a layer.
type ProfiledNode struct{ Name, Type string }

// kernelInfo is the description of a kernel in ops.Prepared.
type kernelInfo struct {
	algorithm string
	flops     float64
	bytes     int64
	precision ir.ElementType
}

func infoOf(p *ops.Prepared) kernelInfo {
	return kernelInfo{p.Algorithm, p.Flops, p.MovedBytes, p.Precision}
}

// stepTime is the start of a step, relative to the first, and its duration.
type stepTime struct{ start, took time.Duration }

// ProfilingInfo returns the layers that ran in the last Infer, in order, with their times; nil unless
// CompileOptions.EnableProfiling is set. Layers that need no kernel, such as constants and reshapes,
// are not in the list.
func (r *InferRequest) ProfilingInfo() []ProfilingInfo {
	if r.take(accessing) != nil {
		return nil
	}
	defer r.release()
	if !r.compiled.profiling || r.main.running == nil {
		return nil
	}
	infos := make([]ProfilingInfo, len(r.main.times))
	for i := range infos {
		infos[i] = r.main.running.profile(i)
		infos[i].Start, infos[i].RealTime = r.main.times[i].start, r.main.times[i].took
	}
	return infos
}

// profile returns the ProfilingInfo of step i without the times.
func (b *bound) profile(i int) ProfilingInfo {
	s, run := &b.plan.steps[i], &b.steps[i].run
	about := s.about
	if late := b.steps[i].late; late != nil {
		about = late.about
	}
	info := ProfilingInfo{
		NodeName: s.layer.Name, NodeType: s.layer.Type, Algorithm: about.algorithm, Flops: about.flops, Reason: b.plan.reasons[origin(s.layer)],
	}
	switch {
	case about.precision != ir.Dynamic:
		info.Precision = about.precision
	case len(run.Outputs) > 0:
		if info.Precision = run.Outputs[0].ElementType(); info.Precision == ir.F16 || info.Precision == ir.BF16 {
			info.Precision = ir.F32
		}
	}
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

// bytesOf returns the size of the elements of t in bytes; for strings, the size of the texts.
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
