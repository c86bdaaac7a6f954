package plugin

import (
	"time"

	"github.com/vinoir/vinoir/ir"
)

// ProfilingInfo describes the work of one layer in an inference: OpenVINO's ProfilingInfo, and data
// to judge the time.
type ProfilingInfo struct {
	NodeName, NodeType string
	// Fused lists the layers after it that its kernel computes in the same pass, in order. They
	// have no ProfilingInfo of their own.
	Fused []ProfiledNode
	// Algorithm names the kernel that ran if the layer type has several; otherwise "".
	Algorithm string
	// Precision is the type that the layer computes in: the type of output 0, f32 where f16 and
	// bf16 are computed in f32, i8 where products of 8 bits are summed as integers, and bf16 or f16
	// where the operands of products are rounded to that.
	Precision ir.ElementType
	// Reason is why a layer computes in floating point although its data or its weights are
	// quantized; otherwise "".
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
	// RealTime is the time that the layer took; 0 if an error ended the inference before it. With
	// CompileOptions.SimulateThreads, it is what it would take on so many threads.
	RealTime time.Duration
	// Threads is the number of threads that worked on the layer: 1 if its work was not divided.
	Threads int
	// Mean and Longest are the mean time that these threads worked on what was divided, and the
	// time of the one that worked longest. As much as they differ, threads waited for others. They
	// are 0 if the work was not divided.
	Mean, Longest time.Duration
	// Saved is how much less RealTime is than what the layer took, with SimulateThreads.
	Saved time.Duration
}

// ProfiledNode names a layer.
type ProfiledNode struct{ Name, Type string }

// ProfilingInfo returns the layers that ran in the last Infer, in order, with their times; nil
// unless CompileOptions.EnableProfiling is set. Layers that need no kernel, such as constants and
// reshapes, are not in the list.
func (r *InferRequest) ProfilingInfo() []ProfilingInfo {
	if r.take(accessing) != nil {
		return nil
	}
	defer r.release()
	if !r.compiled.profiling {
		return nil
	}
	var infos []ProfilingInfo
	for _, p := range r.main.Profiles() {
		info := ProfilingInfo{
			NodeName: p.Layer.Name, NodeType: p.Layer.Type, Algorithm: p.Algorithm, Precision: p.Precision, Reason: p.Reason,
			Outputs: p.Outputs, Flops: p.Flops, Bytes: p.Bytes, Start: p.Start, RealTime: p.Took,
			Threads: max(p.Division.Threads, 1), Mean: p.Division.Mean, Longest: p.Division.Longest, Saved: p.Division.Saved,
		}
		for _, layer := range p.Fused {
			info.Fused = append(info.Fused, ProfiledNode{layer.Name, layer.Type})
		}
		infos = append(infos, info)
	}
	return infos
}
