package main

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

// expectFlags are the flags for expected outputs.
type expectFlags struct {
	dir        string
	rtol, atol float64

	tensors []*ir.Tensor // of each output
	sources []string
}

// The tolerances of the cases in testdata/ir for f32.
const (
	defaultRTol = 1e-4
	defaultATol = 1e-5
)

func (f *expectFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.dir, "expect", "", "compare the outputs with those in `DIR` or DIR.npz, which are named like the inputs of --in-dir;\nexit with 1 if one differs")
	cmd.Flags().Float64Var(&f.atol, "atol", defaultATol, "let floating-point outputs differ by the number `A` ...")
	cmd.Flags().Float64Var(&f.rtol, "rtol", defaultRTol, "... plus `R` times the expected number, as NumPy's allclose does")
}

// check checks the flags before a model is read.
func (f *expectFlags) check(cmd *cobra.Command) error {
	switch {
	case f.dir == "" && (cmd.Flags().Changed("atol") || cmd.Flags().Changed("rtol")):
		return usagef("--atol and --rtol go with --expect")
	case !(f.atol >= 0 && f.atol < math.Inf(1)):
		return usagef("--atol %v is not a number of at least 0", f.atol)
	case !(f.rtol >= 0 && f.rtol < math.Inf(1)):
		return usagef("--rtol %v is not a number of at least 0", f.rtol)
	}
	return nil
}

// read reads the expected outputs.
func (f *expectFlags) read(ctx context.Context, ports []plugin.Port, cast bool) error {
	if f.dir == "" {
		return nil
	}
	reader := tensorReader{ctx: ctx, kind: "output", cast: cast, left: defaultMemory()}
	folder, err := reader.open(f.dir)
	if err != nil {
		return faults.Errorf("--expect %w", err)
	}
	for i := range ports {
		tensor, source, err := folder.tensor(&reader, i, &ports[i])
		if err != nil {
			return err
		}
		f.tensors, f.sources = append(f.tensors, tensor), append(f.sources, source)
	}
	return nil
}

// comparison says how an output differs from the expected one.
type comparison struct {
	Expected string `json:"expected"` // where it was read from
	// Largest is the largest difference of two elements, and At the index of the first that has it.
	// They are absent if no element differs, if the shapes or types differ, or if a difference is
	// not a finite number.
	Largest *float64 `json:"largest_difference,omitempty"`
	At      *int     `json:"at,omitempty"`
	// Fault says how the output differs by more than the tolerance.
	Fault string `json:"fault,omitempty"`
}

// compare compares output i with the expected one.
func (f *expectFlags) compare(i int, got *ir.Tensor) *comparison {
	if f.dir == "" {
		return nil
	}
	want := f.tensors[i]
	c := &comparison{Expected: f.sources[i]}
	if err := conformance.Near(got, want, f.rtol, f.atol); err != nil {
		c.Fault = err.Error()
	}
	if got.ElementType() != want.ElementType() || got.Shape().String() != want.Shape().String() || !castable(got.ElementType()) {
		return c
	}
	a, b := got.Values(), want.Values()
	largest, at := 0.0, -1
	for k := range got.Len() {
		d := math.Abs(a(k) - b(k))
		if a(k) == b(k) || math.IsNaN(a(k)) && math.IsNaN(b(k)) {
			continue // a difference of infinities would be NaN
		}
		if !(d < math.Inf(1)) {
			return c
		}
		if d > largest {
			largest, at = d, k
		}
	}
	if at >= 0 {
		c.Largest, c.At = &largest, &at
	}
	return c
}

// String returns the comparison in words.
func (c *comparison) String() string {
	text := "as expected"
	if c.Fault != "" {
		text = "not as expected: " + c.Fault
	}
	if c.Largest != nil {
		text += fmt.Sprintf("; the largest difference is %.3g, at %d", *c.Largest, *c.At)
	}
	return text + "; " + c.Expected
}
