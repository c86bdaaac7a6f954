package main

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"time"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/plugin"
)

// profile is what profile prints.
type profile struct {
	used
	repetition
	Model     string  `json:"model"`
	ReadMS    float64 `json:"read_ms"`
	CompileMS float64 `json:"compile_ms"`
	FirstMS   float64 `json:"first_ms"`
	Runs      int     `json:"runs"`
	// MinUS and MedianUS are the times of a whole inference. LayersUS is the sum of the MinUS of
	// all layers. BetweenUS is the median of the part of an inference that is not in a layer.
	MinUS     float64         `json:"min_us"`
	MedianUS  float64         `json:"median_us"`
	LayersUS  float64         `json:"layers_us"`
	BetweenUS float64         `json:"between_us"`
	Layers    []*layerProfile `json:"layers"`
	Types     []*typeProfile  `json:"types"`
	Peaks     *peaks          `json:"peaks"`

	all int // layers, including those that are not printed
}

// layerProfile is a layer and the layers that its kernel computes in the same pass. GFlops and GB
// are per second of MinUS. They are absent if the kernel does not report the number of operations
// or bytes, or if MinUS is 0.
type layerProfile struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Kernel string `json:"kernel,omitempty"`
	// Precision is the type that the layer computes in, and Reason why it is not an integer type
	// although data or weights are quantized.
	Precision string      `json:"precision"`
	Reason    string      `json:"reason,omitempty"`
	Outputs   []string    `json:"outputs"`
	Fused     []fusedNode `json:"fused,omitempty"`
	MinUS     float64     `json:"min_us"`
	MedianUS  float64     `json:"median_us"`
	Share     float64     `json:"share"` // of LayersUS
	Flops     float64     `json:"flops,omitempty"`
	Bytes     int64       `json:"bytes"`
	GFlops    float64     `json:"gflop_s,omitempty"`
	GB        float64     `json:"gb_s,omitempty"`
	// Threads is the number of threads that worked on the layer, and Longest the time of the one
	// that worked longest, divided by their mean: the least of all runs.
	Threads int     `json:"threads"`
	Longest float64 `json:"longest_over_mean,omitempty"`

	times []time.Duration
}

type fusedNode struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// typeProfile is the sum of the layers of a type.
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

// maxProfileRuns bounds the number of runs, and maxTimes that of the runs times the layers, since
// the times of each layer are kept.
const (
	maxProfileRuns = 100_000
	maxTimes       = 1 << 24
)

func (a *app) profileCommand() *cobra.Command {
	var flags modelFlags
	var inputs inputFlags
	var options plugin.CompileOptions
	var runs int
	var trace, page string
	var view profileView
	cmd := &cobra.Command{
		Use:   "profile MODEL",
		Short: "Time each layer of a model",
		Long: "profile infers N times after the first inference, and prints the minimum time of each layer, in the\n" +
			"order in which the layers run, or as --sort says. GFLOP/s counts the operations that the layer needs,\n" +
			"whatever its kernel does; GB/s counts each input and output once. prec is the type that a layer computes\n" +
			"in. The last column has the layers that the kernel computes in the same pass. After the tables, there is why layers of\n" +
			"quantised networks are not computed in integers.\n" +
			"\n" +
			"With several threads, threads is how many worked on a layer, and longest the time of the one that worked\n" +
			"longest, divided by their mean: 1.00 if none waited for another. With --simulate, one thread computes all, and the\n" +
			"times are what as many threads as --threads says would take, if they did not share caches and memory.",
		Args: oneModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			if runs < 1 || runs > maxProfileRuns {
				return usagef("--runs %d is not a number from 1 to %d", runs, maxProfileRuns)
			}
			if err := view.check(); err != nil {
				return err
			}
			return a.profile(cmd.Context(), args[0], &flags, &inputs, options, runs, trace, page, view)
		},
	}
	flags.add(cmd)
	flags.addShape(cmd)
	flags.memory.add(cmd)
	inputs.add(cmd)
	addCompileFlags(cmd, &options)
	cmd.Flags().BoolVar(&options.SimulateThreads, "simulate", false, "compute on one thread, and print what the threads of --threads would take")
	cmd.Flags().IntVar(&runs, "runs", 20, "infer `N` times after the first inference")
	cmd.Flags().StringVar(&view.sort, "sort", "", "print the slowest layers first: `time or type`, which keeps those of a type together")
	cmd.Flags().IntVar(&view.top, "top", 0, "print the slowest `N` layers only, or the first of --sort type; 0 means all")
	cmd.Flags().StringVar(&trace, "trace", "", "write the runs as trace events to `FILE`, for ui.perfetto.dev or chrome://tracing")
	cmd.Flags().StringVar(&page, "html", "", "write a page to `FILE` that shows the times in a drawing of the model, as vinoir graph does")
	return cmd
}

func (a *app) profile(ctx context.Context, path string, flags *modelFlags, inputs *inputFlags, options plugin.CompileOptions, runs int, traceFile, page string, view profileView) error {
	if page != "" && path == stdinName {
		return usagef("--html needs a file, it is read twice")
	}
	result, err := a.measure(ctx, path, flags, inputs, options, runs, traceFile)
	if err != nil {
		return err
	}
	if page != "" {
		if _, err := a.draw(ctx, path, flags, result, formatHTML, page); err != nil {
			return err
		}
	}
	view.apply(result)
	if a.json {
		return a.printJSON(result)
	}
	return result.print(a)
}

// measure infers runs times after the first inference. It writes the runs to the file trace, unless
// that is "".
func (a *app) measure(ctx context.Context, path string, flags *modelFlags, inputs *inputFlags, options plugin.CompileOptions, runs int, traceFile string) (*profile, error) {
	options.EnableProfiling = true
	begun := time.Now()
	s, err := a.open(ctx, path, flags, inputs, options)
	if err != nil {
		return nil, err
	}
	defer s.compiled.Close()
	t := &trace{model: nameOf(path), read: s.read, compile: s.compile}
	result := &profile{used: usedBy(s.compiled), Model: nameOf(path), ReadMS: milliseconds(s.read), CompileMS: milliseconds(s.compile), Runs: runs}
	var times, between []time.Duration
	result.Variables = len(s.request.QueryState())
	var first time.Duration
	var firstInfos []plugin.ProfilingInfo
	add := func(took time.Duration, infos []plugin.ProfilingInfo) {
		times = append(times, took)
		for i := range infos {
			took -= infos[i].RealTime
		}
		between = append(between, took)
		result.add(infos)
	}
	for i := range runs + 1 {
		if err := s.reset(); err != nil {
			return nil, err
		}
		started := time.Now()
		err := s.request.Infer(ctx)
		took := time.Since(started)
		infos := s.request.ProfilingInfo()
		for k := range infos {
			took -= infos[k].Saved
		}
		if i == 1 && err != nil && ctx.Err() == nil {
			result.OnlyFirst, result.Runs = err.Error(), 1
			add(first, firstInfos)
			break
		}
		if err != nil {
			return nil, err
		}
		if i == 0 {
			if limit := maxTimes / max(len(infos), 1); runs > limit {
				return nil, usagef("--runs %d: the model has %d layers, the times of at most %d runs fit the memory", runs, len(infos), limit)
			}
			if limit := maxTraceEvents / max(len(infos), 1); traceFile != "" && runs >= limit {
				return nil, usagef("--runs %d: the model has %d layers, a trace has room for fewer than %d runs", runs, len(infos), limit)
			}
		}
		if traceFile != "" {
			t.infers = append(t.infers, tracedInfer{started.Sub(begun), took, infos})
		}
		if i == 0 {
			first, firstInfos = took, infos
			result.FirstMS = milliseconds(took)
			continue
		}
		add(took, infos)
	}
	slices.Sort(times)
	slices.Sort(between)
	result.MinUS, result.MedianUS = microseconds(times[0]), microseconds(times[len(times)/2])
	result.BetweenUS = microseconds(between[len(between)/2])
	result.summarise()
	if result.Peaks, err = measurePeaks(ctx, threadsOf(options)); err != nil {
		return nil, err
	}
	if traceFile != "" {
		if err := t.write(traceFile); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// add adds the times of the layers in one run.
func (p *profile) add(infos []plugin.ProfilingInfo) {
	if p.Layers == nil {
		p.Layers = make([]*layerProfile, len(infos))
		for i := range infos {
			p.Layers[i] = newLayerProfile(&infos[i])
		}
	}
	for i, layer := range p.Layers {
		layer.times = append(layer.times, infos[i].RealTime)
		layer.Threads = max(layer.Threads, infos[i].Threads)
		if infos[i].Mean > 0 {
			longest := float64(infos[i].Longest) / float64(infos[i].Mean)
			layer.Longest = min(cmp.Or(layer.Longest, longest), longest)
		}
	}
}

func newLayerProfile(info *plugin.ProfilingInfo) *layerProfile {
	layer := &layerProfile{
		Name: printable.Cut(info.NodeName, maxName), Type: printable.Cut(info.NodeType, maxType), Kernel: info.Algorithm, Outputs: []string{},
		Flops: info.Flops, Bytes: info.Bytes, Precision: info.Precision.String(), Reason: info.Reason,
	}
	for _, shape := range info.Outputs {
		layer.Outputs = append(layer.Outputs, shape.String())
	}
	for _, node := range info.Fused {
		layer.Fused = append(layer.Fused, fusedNode{printable.Cut(node.Name, maxName), printable.Cut(node.Type, maxType)})
	}
	return layer
}

// summarise computes the minimum and median times, and the rates, shares and types from them.
func (p *profile) summarise() {
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
		t := types[layer.Type]
		if t == nil {
			t = &typeProfile{Type: layer.Type}
			types[layer.Type] = t
		}
		t.Layers++
		t.MinUS += layer.MinUS
		t.flops += layer.Flops
		t.bytes += layer.Bytes
	}
	for _, t := range types {
		p.Types = append(p.Types, t)
	}
	// Unlike slices.SortFunc, sort.Slice has no instance of its own for each type.
	sort.Slice(p.Types, func(i, j int) bool {
		a, b := p.Types[i], p.Types[j]
		return cmp.Or(cmp.Compare(b.MinUS, a.MinUS), cmp.Compare(a.Type, b.Type)) < 0
	})
	for _, t := range p.Types {
		t.Share, t.GFlops, t.GB = share(t.MinUS, p.LayersUS), rate(t.flops, t.MinUS), rate(float64(t.bytes), t.MinUS)
	}
}

// rate returns n per us microseconds, in units of 1e9 per second; 0 if us is 0.
func rate(n, us float64) float64 {
	if us <= 0 {
		return 0
	}
	return n / us / 1000
}

// share returns part/whole; 0 if whole is 0.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}
