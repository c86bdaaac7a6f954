package main

import (
	"bufio"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

func TestProfile(t *testing.T) {
	got := vinoir("", "profile", messages, "--shape", "nodes=[5,2]", "--runs", "3", "--json", "--threads", "1")
	require.Equal(t, exitGood, got.code, got)
	result := decode[profile](t, got)
	assert.Equal(t, messages, result.Model)
	assert.Equal(t, 3, result.Runs)
	assert.LessOrEqual(t, result.MinUS, result.MedianUS)
	assert.LessOrEqual(t, result.LayersUS, result.MedianUS, "the layers are parts of the inference")
	names, sum, shares := map[string]*layerProfile{}, 0.0, 0.0
	for _, layer := range result.Layers {
		names[layer.Name] = layer
		sum, shares = sum+layer.MinUS, shares+layer.Share
		assert.LessOrEqual(t, layer.MinUS, layer.MedianUS)
	}
	assert.InDelta(t, result.LayersUS, sum, 1e-9)
	assert.InDelta(t, 1, shares, 1e-9)
	require.Contains(t, names, "sum")
	assert.Equal(t, "ScatterElementsUpdate", names["sum"].Type)
	assert.Equal(t, []string{"[5,2]"}, names["sum"].Outputs)
	assert.Greater(t, names["sum"].Bytes, int64(2*40), "data and output, and more")
	count, least := 0, 0.0
	for _, of := range result.Types {
		count, least = count+of.Layers, least+of.MinUS
	}
	assert.Equal(t, len(result.Layers), count)
	assert.InDelta(t, result.LayersUS, least, 1e-9)

	got = vinoir("", "profile", messages, "--shape", "nodes=[5,2]", "--runs", "1", "--threads", "16", "--simulate")
	require.Equal(t, exitGood, got.code, got)

	got = vinoir("", "profile", messages, "--shape", "nodes=[5,2]", "--runs", "1", "--threads", "1")
	require.Equal(t, exitGood, got.code, got)
	assert.Regexp(t, `(?m)^us +share +GFLOP/s +GB/s +prec +type +layer +output +kernel +fused$`, got.stdout)
	assert.Regexp(t, `(?m)^\d+\.\d +\d+\.\d% .* ScatterElementsUpdate +sum +\[5,2\]`, got.stdout)
	assert.Contains(t, got.stdout, "of 1 run\n")
	assert.Equal(t, exitFault, vinoir("", "profile", "none.xml").code)
}

// TestProfile_print prints tables with everything that they can show.
func TestProfile_print(t *testing.T) {
	infos := []plugin.ProfilingInfo{
		{
			NodeName: "a", NodeType: "Convolution", Algorithm: "blocked", Precision: ir.I8, Outputs: []ir.Shape{{1, 2}}, Flops: 6e6, Bytes: 4e5,
			Fused: []plugin.ProfiledNode{{Name: "bias", Type: "Add"}, {Name: "act", Type: "Relu"}}, RealTime: 75 * time.Microsecond,
		},
		{NodeName: "b", NodeType: "Split", Precision: ir.F32, Reason: "why", Outputs: []ir.Shape{{1}, {3}}, RealTime: 25 * time.Microsecond},
	}
	p := &profile{used: used{"f32", "u8"}, Runs: 2, Peaks: &peaks{productPeaks{Threads: 2, Features: []string{"AVX2", "FMA"}, Kernels: "avx2 6x16", GFlops: 200, Int8: 345.6}, 12.34}}
	p.add(infos)
	infos[0].RealTime += time.Microsecond
	p.add(infos)
	p.summarise()
	view := profileView{}
	view.apply(p)
	assert.Equal(t, []fusedNode{{"bias", "Add"}, {"act", "Relu"}}, p.Layers[0].Fused)
	var out strings.Builder
	a := &app{stdout: bufio.NewWriter(&out)}
	require.NoError(t, p.print(a))
	require.NoError(t, a.stdout.Flush())
	assert.Equal(t, `us    share  GFLOP/s  GB/s  prec  type         layer  output   kernel   fused
75.0  75.0%  80.0     5.33  i8    Convolution  a      [1,2]    blocked  Add Relu
25.0  25.0%                 f32   Split        b      [1] [3]           

us    share  GFLOP/s  GB/s  layers  type
75.0  75.0%  80.0     5.33  1       Convolution
25.0  25.0%                 1       Split

not in integers: Split b: why

2 layers 100.0 us; whole inference: min 0.0 us, median 0.0 us of 2 runs
0.0 us of an inference are between the layers (median): its start, its end, and two looks at the clock for each layer
read 0.000 ms, compile 0.000 ms, first inference 0.000 ms
precision f32, keys and values in u8; processor: AVX2 FMA; products by avx2 6x16; at most 200 GFLOP/s in f32, 346 GOP/s in i8, 12.3 GB/s of memory copied, by 2 threads
`, out.String())
}

// TestProfile_printThreads prints a layer on which several threads worked.
func TestProfile_printThreads(t *testing.T) {
	info := plugin.ProfilingInfo{NodeName: "a", NodeType: "Relu", Precision: ir.F32, RealTime: 9000, Threads: 4, Mean: 4000, Longest: 5000}
	alone := plugin.ProfilingInfo{NodeName: "b", NodeType: "Relu", Precision: ir.F32, RealTime: 1000, Threads: 1}
	p := &profile{used: used{Precision: "f32"}, Runs: 2, Peaks: &peaks{}}
	p.add([]plugin.ProfilingInfo{info, alone})
	info.Longest = 4400
	p.add([]plugin.ProfilingInfo{info, alone})
	p.summarise()
	(&profileView{}).apply(p)
	assert.InDelta(t, 1.1, p.Layers[0].Longest, 1e-9, "the least of the runs")
	var out strings.Builder
	a := &app{stdout: bufio.NewWriter(&out)}
	require.NoError(t, p.print(a))
	require.NoError(t, a.stdout.Flush())
	assert.Regexp(t, `^us +share +GFLOP/s +GB/s +threads +longest +prec +type +layer +output +kernel +fused\n`+
		`9.0 +90.0% +4 +1.10 +f32 +Relu +a *\n1.0 +10.0% +1 +f32 +Relu +b *\n`, out.String())
}

func TestProfileView(t *testing.T) {
	for _, tt := range []struct {
		view profileView
		want string
	}{
		{profileView{}, "abcd"}, {profileView{sort: sortTime}, "dacb"}, {profileView{sort: sortType}, "acdb"}, {profileView{top: 3}, "dac"},
		{profileView{sort: sortTime, top: 9}, "dacb"}, {profileView{sort: sortTime, top: 1}, "d"},
	} {
		p := &profile{}
		for i, name := range []string{"a", "b", "c", "d"} {
			p.Layers = append(p.Layers, &layerProfile{Name: name, Type: []string{"X", "Y", "X", "Y"}[i], times: []time.Duration{[]time.Duration{7000, 1000, 5000, 8000}[i]}})
		}
		p.summarise()
		tt.view.apply(p)
		names := ""
		for _, layer := range p.Layers {
			names += layer.Name
		}
		assert.Equal(t, tt.want, names, "%v", tt.view)
		assert.Equal(t, 4, p.all)
		assert.Equal(t, 21.0, p.LayersUS, "of all layers")
	}
	got := vinoir("", "profile", messages, "--shape", "nodes=[5,2]", "--runs", "1", "--sort", "time", "--top", "1")
	require.Equal(t, exitGood, got.code, got)
	assert.Regexp(t, `(?m)^\.\.\. \d layers more$`, got.stdout)
	assert.Contains(t, got.stdout, "us of an inference are between the layers (median)")
	for _, args := range [][]string{{"--sort", "name"}, {"--top", "-1"}} {
		assert.Equal(t, exitUsage, vinoir("", append([]string{"profile", messages}, args...)...).code)
	}
}

// TestCells has names that differ at their ends.
func TestCells(t *testing.T) {
	layer := &layerProfile{Type: "MaxPool", Name: "__module.model.features.3.squeeze", Outputs: []string{"[1,64,112,112]"}}
	assert.Equal(t, "…3.squeeze", layer.cells(10)[1])
	assert.Equal(t, "[1,64,112…", layer.cells(10)[2])
	assert.Equal(t, layer.Name, layer.cells(maxCell)[1])
}

func TestProfile_fitWidth(t *testing.T) {
	p := &profile{Layers: []*layerProfile{
		{Type: "Convolution", Name: strings.Repeat("n", 60), Outputs: []string{"[1,64,112,112]"}, Kernel: "implicit GEMM", Fused: []fusedNode{{"", "Add"}, {"", "Relu"}}},
		{Type: "Relu", Name: "é"},
	}}
	assert.Equal(t, maxCell, p.fitWidth(1000))
	assert.Equal(t, minCell, p.fitWidth(1))
	for _, width := range []int{90, 120, 140} {
		limit := p.fitWidth(width)
		length := numbersWidth
		for _, text := range p.Layers[0].cells(limit) {
			length += utf8.RuneCountInString(text)
		}
		assert.LessOrEqual(t, length, width)
	}
	assert.Equal(t, "Convolu…", p.Layers[0].cells(minCell)[0])
	assert.Equal(t, "Relu", p.Layers[1].cells(minCell)[0])
}

// TestProfile_trace checks a trace against the requirements of the "Trace Event Format".
func TestProfile_trace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.json")
	got := vinoir("", "profile", messages, "--shape", "nodes=[5,2]", "--runs", "2", "--trace", file)
	require.Equal(t, exitGood, got.code, got)
	var object struct {
		TraceEvents []struct {
			Name *string        `json:"name"`
			Cat  string         `json:"cat"`
			Ph   string         `json:"ph"`
			TS   *float64       `json:"ts"`
			Dur  *float64       `json:"dur"`
			PID  *int           `json:"pid"`
			TID  *int           `json:"tid"`
			Args map[string]any `json:"args"`
		} `json:"traceEvents"`
		DisplayTimeUnit string `json:"displayTimeUnit"`
	}
	decoder := json.NewDecoder(strings.NewReader(readText(t, file)))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&object))
	assert.Equal(t, "ms", object.DisplayTimeUnit)
	names := map[string]int{}
	infers, end := 0, 0.0
	for _, event := range object.TraceEvents {
		require.NotNil(t, event.Name)
		require.NotNil(t, event.TS)
		require.NotNil(t, event.PID)
		require.NotNil(t, event.TID)
		names[*event.Name]++
		switch event.Ph {
		case "M":
			assert.NotEmpty(t, event.Args["name"])
		case "X":
			require.NotNil(t, event.Dur)
			switch {
			case *event.Name == "Infer":
				assert.GreaterOrEqual(t, *event.TS, end, "inferences follow each other")
				infers, end = infers+1, *event.TS+*event.Dur
			case event.Cat != "model":
				// Times are rounded to nanoseconds.
				assert.LessOrEqual(t, *event.TS+*event.Dur, end+0.01, "a layer lies within its inference")
				assert.NotEmpty(t, event.Args["outputs"])
			}
		default:
			t.Errorf("phase %q", event.Ph)
		}
	}
	assert.Equal(t, 3, infers, "the first and two runs")
	for _, name := range []string{"process_name", "thread_name", "read", "compile"} {
		assert.Equal(t, 1, names[name], name)
	}
	assert.Equal(t, 3, names["sum"])
	assert.Equal(t, exitFault, vinoir("", "profile", messages, "--shape", "nodes=[5,2]", "--trace", filepath.Dir(file)).code)
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "", 0.123: "0.12", 9.5: "9.50", 42.24: "42.2", 123.4: "123"} {
		assert.Equal(t, want, number(v))
	}
}
