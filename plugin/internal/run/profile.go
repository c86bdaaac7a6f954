package run

import (
	"slices"
	"time"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/internal/graph"
	"github.com/vinoir/vinoir/plugin/internal/plan"
)

// stepTime is the start of a step, relative to the first, its duration, and how its work was
// divided. If threads are simulated, the times are less what they save.
type stepTime struct {
	start, took time.Duration
	division    parallel.Division
}

// StepProfile describes the work of a step, as plugin.ProfilingInfo does.
type StepProfile struct {
	Layer       *ir.Layer
	Fused       []*ir.Layer
	Algorithm   string
	Precision   ir.ElementType
	Reason      string
	Outputs     []ir.Shape
	Flops       float64
	Bytes       int64
	Start, Took time.Duration
	Division    parallel.Division
}

// Profiles returns the steps of the last run, with their times.
func (e *Execution) Profiles() []StepProfile {
	if e.Running == nil {
		return nil
	}
	list := make([]StepProfile, len(e.times))
	for i := range list {
		list[i] = e.Running.profile(i)
		list[i].Start, list[i].Took, list[i].Division = e.times[i].start, e.times[i].took, e.times[i].division
	}
	return list
}

// profile returns the StepProfile of step i without the times.
func (b *bound) profile(i int) StepProfile {
	s, run := &b.Plan.Steps[i], &b.Steps[i].Run
	about := s.About
	if dynamic := b.Steps[i].dynamic; dynamic != nil {
		about = dynamic.about
	}
	info := StepProfile{
		Layer: s.Layer, Fused: s.Fused, Algorithm: about.Algorithm, Flops: about.Flops, Reason: b.Plan.Reasons[graph.Origin(s.Layer)],
	}
	switch {
	case about.Precision != ir.Dynamic:
		info.Precision = about.Precision
	case len(run.Outputs) > 0:
		if info.Precision = run.Outputs[0].ElementType(); info.Precision == ir.F16 || info.Precision == ir.BF16 {
			info.Precision = ir.F32
		}
	}
	for _, t := range run.Inputs {
		info.Bytes += plan.BytesOf(t)
	}
	for k, t := range run.Outputs {
		if b.Plan.Values[b.Plan.Owner(s.Outputs[k])].Last > i {
			info.Bytes += plan.BytesOf(t)
		}
		info.Outputs = append(info.Outputs, slices.Clone(t.Shape()))
	}
	if about.Bytes > 0 {
		info.Bytes = about.Bytes
	}
	return info
}
