package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

func TestBenchmark(t *testing.T) {
	for _, args := range [][]string{
		{"--threads", "1", "--seconds", "0.01"}, {"--threads", "2", "--hint", "throughput", "--seconds", "0.01"},
		{"--threads", "2", "--streams", "2", "--requests", "5", "--runs", "7", "--warmup", "1ms"},
	} {
		got := vinoir("", append([]string{"benchmark", messages, "--shape", "nodes=[5,2]", "--json", "--percentiles", "10,99.9"}, args...)...)
		require.Equal(t, exitGood, got.code, got)
		result := decode[timing](t, got)
		assert.Equal(t, messages, result.Model)
		assert.Equal(t, []inputSummary{{"nodes", "f32", "[5,2]", "filled with random numbers, seed 0"}}, result.Inputs)
		assert.Equal(t, "f32", result.Precision)
		assert.Positive(t, result.Runs)
		assert.Positive(t, result.MinUS)
		assert.LessOrEqual(t, result.MinUS, result.MedianUS)
		assert.LessOrEqual(t, result.MedianUS, result.P99US)
		require.Len(t, result.Percentiles, 2)
		assert.Equal(t, []float64{10, 99.9}, []float64{result.Percentiles[0].Percent, result.Percentiles[1].Percent})
		assert.LessOrEqual(t, result.Percentiles[0].US, result.MedianUS)
		assert.GreaterOrEqual(t, result.Percentiles[1].US, result.P99US)
		assert.InEpsilon(t, float64(result.Runs)/result.Seconds, result.FPS, 1e-9)
		assert.Greater(t, result.PeakRSSBytes, uint64(1<<20))
		for _, field := range []string{"read_ms", "compile_ms", "first_ms", "min_us", "median_us", "p99_us", "runs", "peak_rss_bytes"} {
			assert.Contains(t, got.stdout, `"`+field+`":`)
		}
		switch args[1] + args[3] {
		case "10.01":
			assert.Equal(t, []int{1, 1, 1}, []int{result.Requests, result.Streams, result.Threads})
			assert.Equal(t, "LATENCY", result.Hint)
		case "2throughput":
			assert.Equal(t, []int{2, 2, 2}, []int{result.Requests, result.Streams, result.Threads})
			assert.Equal(t, "THROUGHPUT", result.Hint)
		default:
			assert.Equal(t, []int{5, 2, 2}, []int{result.Requests, result.Streams, result.Threads})
			assert.Equal(t, 7, result.Runs)
		}
	}

	got := vinoir("", "benchmark", messages, "--shape", "nodes=[5,2]", "--seconds", "0", "--threads", "1")
	assert.Equal(t, exitGood, got.code)
	assert.Regexp(t, `model.xml: hint LATENCY, 1 request, 1 stream, 1 thread, precision f32
input 0 "nodes": f32\[5,2\], filled with random numbers, seed 0
read .* ms, compile .* ms, first inference .* ms
1 inference in .* s: .* FPS
latency: min .* us, p50 .* us, p90 .* us, p99 .* us
peak memory .* MiB
processor: .*; products by .*; at most .* GFLOP/s in f32.*, by 1 thread
$`, got.stdout)
	assert.NotContains(t, got.stdout, "copied", "the memory for that would be most of the peak")
	got = vinoir("", "benchmark", messages, "--shape", "nodes=[5,2]", "--seconds", "0", "--threads", "2", "--hint", "throughput")
	assert.Contains(t, got.stdout, "\n1 inference in ")
	assert.Equal(t, exitFault, vinoir("", "benchmark", "none.xml").code)
}

// stateful is a model that adds its inputs to a variable.
const stateful = "../../testdata/ir/Assign-6/f32/model.xml"

// TestMeasured_variables measures a model with a variable: it is reset, and if there is no memory
// for the second value, the first inference counts.
func TestMeasured_variables(t *testing.T) {
	for _, args := range [][]string{
		{"benchmark", stateful, "--runs", "3", "--threads", "1"}, {"benchmark", stateful, "--runs", "3", "--threads", "2", "--requests", "2"},
		{"profile", stateful, "--runs", "3"},
	} {
		got := vinoir("", args...)
		require.Equal(t, exitGood, got.code, got)
		assert.Contains(t, got.stdout, "\n1 variable reset before each inference\n")
		assert.NotContains(t, got.stdout, "measured on the first inference")

		args = append(args, "--max-memory", "200")
		got = vinoir("", args...)
		require.Equal(t, exitGood, got.code, got)
		assert.Regexp(t, `\nmeasured on the first inference, since the second one failed: layer .* MaxTotalBytes, 200\n`, got.stdout)
		var result struct {
			repetition
			Runs int `json:"runs"`
		}
		require.NoError(t, json.Unmarshal([]byte(vinoir("", append(args, "--json")...).stdout), &result))
		assert.Equal(t, 1, result.Runs)
		assert.Equal(t, 1, result.Variables)
		assert.Contains(t, result.OnlyFirst, "MaxTotalBytes, 200")
	}
}

func TestBenchmark_report(t *testing.T) {
	dir := t.TempDir()
	input := filepath.Join(dir, `a,"b".npy`)
	nodes, err := ir.NewTensor(ir.F32, 5, 2)
	require.NoError(t, err)
	require.NoError(t, npy.WriteFile(input, nodes))
	args := []string{"benchmark", messages, "--in", "nodes=" + input, "--runs", "3", "--json", "--report"}
	file := filepath.Join(dir, "report.json")
	got := vinoir("", append(args, file)...)
	require.Equal(t, exitGood, got.code, got)
	assert.Equal(t, got.stdout, readText(t, file))

	file = filepath.Join(dir, "report.csv")
	require.Equal(t, exitGood, vinoir("", append(args, file)...).code)
	records, err := csv.NewReader(strings.NewReader(readText(t, file))).ReadAll()
	require.NoError(t, err)
	require.Len(t, records, 2)
	values := map[string]string{}
	for i, name := range records[0] {
		values[name] = records[1][i]
	}
	assert.Equal(t, messages, values["model"])
	assert.Equal(t, "nodes f32[5,2] read from "+input, values["inputs"])
	assert.Equal(t, "3", values["runs"])
	assert.Contains(t, values, "p99_us")

	got = vinoir("", append(args, filepath.Join(dir, "none", "report.csv"))...)
	assert.Equal(t, exitFault, got.code)
	assert.Contains(t, got.stderr, "--report")
	assert.Empty(t, got.stdout)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder.csv"), 0o755))
	assert.Equal(t, exitFault, vinoir("", append(args, filepath.Join(dir, "folder.csv"))...).code)
}

// TestBenchmark_fails runs a model that fails when it runs: the edges in it need five nodes.
func TestBenchmark_fails(t *testing.T) {
	for _, hint := range []string{"latency", "throughput"} {
		got := vinoir("", "benchmark", messages, "--shape", "nodes=[1,2]", "--hint", hint)
		assert.Equal(t, exitFault, got.code)
		assert.Contains(t, got.stderr, "index 1 at position [0 0] is outside [-1,0]")
		assert.Empty(t, got.stdout)
	}
}

// countdown is a context that ends when it was asked a number of times.
type countdown struct {
	context.Context
	end  context.CancelFunc
	left atomic.Int64
}

func (c *countdown) Done() <-chan struct{} {
	if c.left.Add(-1) == 0 {
		c.end()
	}
	return c.Context.Done()
}

// TestBenchmark_interrupt ends the context during the measurement.
func TestBenchmark_interrupt(t *testing.T) {
	ctx := &countdown{}
	ctx.Context, ctx.end = context.WithCancel(t.Context())
	ctx.left.Store(20_000) // the model takes far fewer to compile
	var stdout, stderr strings.Builder
	code := run(ctx, []string{"benchmark", messages, "--shape", "nodes=[5,2]", "--seconds", "3600"}, strings.NewReader(""), &stdout, &stderr)
	assert.Equal(t, exitInterrupted, code)
	assert.Equal(t, "vinoir: interrupted\n", stderr.String())
	assert.Regexp(t, `\d+ inferences in .* FPS\n`, stdout.String())
}

func TestQueueTimer_interrupt(t *testing.T) {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	a := &app{registry: registry}
	flags, inputs := modelFlags{shapes: []string{"nodes=[5,2]"}}, inputFlags{fill: "zeros", limit: 1000}
	flags.memory.limit = 1 << 20
	s, err := a.open(t.Context(), messages, &flags, &inputs, plugin.CompileOptions{})
	require.NoError(t, err)
	defer s.compiled.Close()
	queue, err := s.compiled.NewQueue(plugin.QueueOptions{Requests: 3})
	require.NoError(t, err)
	timer := newQueueTimer(s, queue, 3)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for begun := false; !begun; runtime.Gosched() {
			timer.mu.Lock()
			begun = len(timer.times) > 0
			timer.mu.Unlock()
		}
		cancel()
	}()
	times, took, err := timer.measure(ctx, maxRuns, time.Hour)
	assert.ErrorIs(t, err, context.Canceled)
	assert.NotEmpty(t, times)
	assert.Positive(t, took)
	require.NoError(t, queue.Close())
}

func TestPercentile(t *testing.T) {
	times := []time.Duration{1000, 2000, 3000, 4000}
	for p, want := range map[float64]float64{0.001: 1, 25: 1, 25.1: 2, 50: 2, 75: 3, 76: 4, 99.9: 4, 100: 4} {
		assert.Equal(t, want, percentile(times, p), "%v", p)
	}
	assert.Equal(t, 1.0, percentile(times[:1], 50))
}

func TestBenchmarkAppArgs(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"", ""},
		{"run -m a.xml", "run -m a.xml"},
		{"benchmark a.xml --hint latency", "benchmark a.xml --hint latency"},
		{"benchmark -m a.xml -d CPU -hint tput -nireq 4 -nstreams=2 -nthreads 2", "benchmark a.xml --hint=throughput --requests=4 --streams=2 --threads=2"},
		{"benchmark -m a.xml -hint none -t 5 -niter 100", "benchmark a.xml --seconds=5 --runs=100"},
		{"benchmark a.xml -infer_precision f32 -latency_percentile 90", "benchmark a.xml --precision=f32 --percentiles=90"},
		{"benchmark a.xml -shape x[1,3..5],y[?] -data_shape [2]", "benchmark a.xml --shape=x=[1,3..5] --shape=y=[?] --shape=[2]"},
		{"benchmark a.xml -i x:0:a.npy,y:b.npy -i c.npy", "benchmark a.xml --in=x:0=a.npy --in=y=b.npy --in=0=c.npy"},
		{"benchmark a.xml -api async", "benchmark a.xml"},
		{"benchmark pc -api sync", "benchmark pc --requests=1"},
		{"benchmark a.xml -hint ctput -b 4", "benchmark a.xml --hint=cumulative_throughput --batch=4"},
		{"benchmark a.xml -i cat.jpg -layout [NHWC] --mean_values [1,2,3] --scale_values 4,5,6", "benchmark a.xml --in=0=cat.jpg --layout=NHWC --mean=1,2,3 --scale=4,5,6"},
		{
			"benchmark --path_to_model a.xml --target_device=CPU --perf_hint latency --number_infer_requests 1 --number_streams 1 --number_threads 2 --number_iterations 3 --time 4 --batch_size 5 --paths_to_input x:a.npy",
			"benchmark a.xml --hint=latency --requests=1 --streams=1 --threads=2 --runs=3 --seconds=4 --batch=5 --in=x=a.npy",
		},
	} {
		got, err := benchmarkAppArgs(strings.Fields(tt.args))
		require.NoError(t, err)
		assert.Equal(t, tt.want, strings.Join(got, " "))
	}
	got := vinoir("", "benchmark", "-m", messages, "-d", "CPU", "-hint", "throughput", "-nireq", "2", "-niter", "5", "-data_shape", "nodes[5,2]", "--json")
	require.Equal(t, exitGood, got.code, got)
	assert.Equal(t, 5, decode[timing](t, got).Runs)
}

// TestBenchmark_appPictures has flags of benchmark_app for pictures, and a directory with one in
// it.
func TestBenchmark_appPictures(t *testing.T) {
	dir := t.TempDir()
	picture := filepath.Join(dir, "cat.png")
	writePicture(t, picture)
	model := identityModel(ir.F32, "1,3,4,4")
	for _, in := range []string{picture, dir, "0:" + dir} {
		got := vinoir(model, "benchmark", "-", "-i", in, "-niter", "1", "--mean_values", "[1,2,3]", "--json")
		require.Equal(t, exitGood, got.code, got)
		assert.Contains(t, decode[timing](t, got).Inputs[0].Source, "cat.png")
	}
	writePicture(t, filepath.Join(dir, "dog.png"))
	for _, c := range []struct{ args, want string }{
		{"-i " + dir, " has 2 files: vinoir benchmark takes one for each input, name it"},
		{"-i " + picture + "," + picture, " has no name of an input: vinoir benchmark takes one file for each"},
		{"-i " + picture + " --mean_values x[1,2,3],y[1,2,3]", "--mean holds for all pictures, write it without the name of an input"},
		{"-niter 0", "-niter 0: vinoir benchmark infers at least once; vinoir info --plan only compiles the model"},
		{"--target_device GPU", "--target_device GPU: there is only CPU"},
		{"-api both", "-api both is none of sync, async"},
		{"-pc", "-pc is a flag of benchmark_app only: vinoir profile MODEL measures each layer"},
		{"-report_type no_counters", "-report_type is a flag of benchmark_app only: --report F.csv or F.json writes the result to a file"},
		{"-ip u8", "-ip is a flag of benchmark_app only: vinoir convert --preprocess gives an input another type"},
		{"-cdir=cache", "-cdir is a flag of benchmark_app only: leave it out"},
	} {
		got := vinoir(model, append([]string{"benchmark", "-"}, strings.Fields(c.args)...)...)
		assert.Equal(t, exitUsage, got.code, got)
		assert.Contains(t, got.stderr, c.want)
		assert.Contains(t, got.stderr, "See vinoir benchmark --help.")
	}
}
