package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/plugin"
)

// profile is what profile prints. Times are the least of the runs.
type profile struct {
	Model     string  `json:"model"`
	ReadMS    float64 `json:"read_ms"`
	CompileMS float64 `json:"compile_ms"`
	FirstMS   float64 `json:"first_ms"`
	Runs      int     `json:"runs"`
	// MinUS and MedianUS are of a whole inference, LayersUS is the sum of the layers'
	// MinUS.
	MinUS    float64         `json:"min_us"`
	MedianUS float64         `json:"median_us"`
	LayersUS float64         `json:"layers_us"`
	Layers   []*layerProfile `json:"layers"`
	Types    []*typeProfile  `json:"types"`
}

// layerProfile is a layer with those that its kernel computes too. GFlops and GB are
// a second, and absent where the kernel tells no operations, or no time was measured.
type layerProfile struct {
	Name     string      `json:"name"`
	Type     string      `json:"type"`
	Kernel   string      `json:"kernel,omitempty"`
	Outputs  []string    `json:"outputs"`
	Fused    []fusedNode `json:"fused,omitempty"`
	MinUS    float64     `json:"min_us"`
	MedianUS float64     `json:"median_us"`
	Share    float64     `json:"share"` // of LayersUS
	Flops    float64     `json:"flops,omitempty"`
	Bytes    int64       `json:"bytes"`
	GFlops   float64     `json:"gflop_s,omitempty"`
	GB       float64     `json:"gb_s,omitempty"`

	times []time.Duration
}

type fusedNode struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// typeProfile is the sum over the layers of a type.
type typeProfile struct {
	Type   string  `json:"type"`
	Layers int     `json:"layers"`
	MinUS  float64 `json:"min_us"`
	Share  float64 `json:"share"`
	GFlops float64 `json:"gflop_s,omitempty"`
	GB     float64 `json:"gb_s,omitempty"`

	flops float64
	bytes int64
}

// maxProfileRuns bounds the times that are kept, of each layer.
const maxProfileRuns = 100_000

func (a *app) profileCommand() *cobra.Command {
	var flags modelFlags
	var inputs inputFlags
	var threads, runs int
	var trace string
	cmd := &cobra.Command{
		Use:   "profile MODEL.xml",
		Short: "Time each layer of a model",
		Long: "profile infers N times after the first, and prints the least time of each layer, in the order in which\n" +
			"they run. GFLOP/s counts what the layer needs, whatever its kernel does; GB/s counts each input and\n" +
			"output once. Layers that are computed in the same pass as the one before stand in the last column.",
		Args: oneModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			if runs < 1 || runs > maxProfileRuns {
				return usagef("--runs %d is not a number from 1 to %d", runs, maxProfileRuns)
			}
			return a.profile(cmd.Context(), args[0], &flags, &inputs, threads, runs, trace)
		},
	}
	flags.add(cmd)
	flags.addShape(cmd)
	inputs.add(cmd)
	cmd.Flags().IntVar(&threads, "threads", 0, "use `N` threads; 0 is one for each processor")
	cmd.Flags().IntVar(&runs, "runs", 20, "infer `N` times after the first")
	cmd.Flags().StringVar(&trace, "trace", "", "write the runs as trace events to `FILE`, for ui.perfetto.dev or chrome://tracing")
	return cmd
}

func (a *app) profile(ctx context.Context, path string, flags *modelFlags, inputs *inputFlags, threads, runs int, traceFile string) error {
	options := plugin.CompileOptions{InferenceNumThreads: threads, EnableProfiling: true}
	begun := time.Now()
	s, err := a.open(ctx, path, flags, inputs, options)
	if err != nil {
		return err
	}
	defer s.compiled.Close()
	t := newTrace(nameOf(path), s)
	result := &profile{Model: nameOf(path), ReadMS: milliseconds(s.read), CompileMS: milliseconds(s.compile), Runs: runs}
	var times []time.Duration
	for i := range runs + 1 {
		started := time.Now()
		if err := s.request.Infer(ctx); err != nil {
			return err
		}
		took := time.Since(started)
		infos := s.request.ProfilingInfo()
		if traceFile != "" {
			t.infer(started.Sub(begun), took, infos)
		}
		if i == 0 {
			result.FirstMS = milliseconds(took)
			continue
		}
		times = append(times, took)
		result.add(infos)
	}
	slices.Sort(times)
	result.MinUS, result.MedianUS = microseconds(times[0]), microseconds(times[len(times)/2])
	result.sum()
	if traceFile != "" {
		if err := t.write(traceFile); err != nil {
			return err
		}
	}
	if a.json {
		return a.printJSON(result)
	}
	return result.print(a)
}

// add adds the times of a run.
func (p *profile) add(infos []plugin.ProfilingInfo) {
	if p.Layers == nil {
		p.Layers = make([]*layerProfile, len(infos))
		for i := range infos {
			p.Layers[i] = newLayerProfile(&infos[i])
		}
	}
	for i, layer := range p.Layers {
		layer.times = append(layer.times, infos[i].RealTime)
	}
}

func newLayerProfile(info *plugin.ProfilingInfo) *layerProfile {
	layer := &layerProfile{
		Name: info.NodeName, Type: info.NodeType, Kernel: info.Algorithm, Outputs: []string{},
		Flops: info.Flops, Bytes: info.Bytes,
	}
	for _, shape := range info.Outputs {
		layer.Outputs = append(layer.Outputs, shape.String())
	}
	for _, node := range info.Fused {
		layer.Fused = append(layer.Fused, fusedNode{node.Name, node.Type})
	}
	return layer
}

// sum finds the least times and what follows from them.
func (p *profile) sum() {
	for _, layer := range p.Layers {
		slices.Sort(layer.times)
		layer.MinUS = microseconds(layer.times[0])
		layer.MedianUS = microseconds(layer.times[len(layer.times)/2])
		layer.GFlops, layer.GB = rate(layer.Flops, layer.MinUS), rate(float64(layer.Bytes), layer.MinUS)
		p.LayersUS += layer.MinUS
	}
	types := make(map[string]*typeProfile)
	for _, layer := range p.Layers {
		layer.Share = share(layer.MinUS, p.LayersUS)
		of := types[layer.Type]
		if of == nil {
			of = &typeProfile{Type: layer.Type}
			types[layer.Type] = of
		}
		of.Layers++
		of.MinUS += layer.MinUS
		of.flops += layer.Flops
		of.bytes += layer.Bytes
	}
	p.Types = slices.SortedFunc(maps.Values(types), func(a, b *typeProfile) int {
		return cmp.Or(cmp.Compare(b.MinUS, a.MinUS), cmp.Compare(a.Type, b.Type))
	})
	for _, of := range p.Types {
		of.Share, of.GFlops, of.GB = share(of.MinUS, p.LayersUS), rate(of.flops, of.MinUS), rate(float64(of.bytes), of.MinUS)
	}
}

// rate returns n in 1e9 a second, 0 where no time has passed.
func rate(n, us float64) float64 {
	if us <= 0 {
		return 0
	}
	return n / us / 1000
}

func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}
