package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// pageData is the JSON in a page.
type pageData struct {
	Model, Name string
	Layers      []struct {
		Name, Type, Title string
		Lines             []string
		Box               []float64
		Into              *int
		In                [][2]int
		Out               []struct {
			Type, Shape, Label string
			Dims               []int
		}
		Attributes [][2]string
		Bodies     []pageBody
		Constant   *pageConstant
	}
	Graphs []struct {
		Width, Height float64
		Boxes         []int
		Edges         [][]float64
	}
	Findings []pageFinding
	Origins  []pageOrigin
	Profile  *struct {
		At    []int
		Fused [][]int `json:"fused_at"`
		Peaks peaks
		MinUS float64 `json:"min_us"`
	}
}

// pagePolicy returns the policy of a page: it loads nothing, and runs only its own script.
func pagePolicy() string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return `content="default-src 'none'; script-src ` + hash(pageJS) + `; style-src ` + hash(pageCSS) + `"`
}

// TestGraph_policy compares the hashes in graphpage.html with those of the script and the style.
// VINOIR_UPDATE=1 writes them.
func TestGraph_policy(t *testing.T) {
	if os.Getenv("VINOIR_UPDATE") != "" {
		pageHTML := regexp.MustCompile(`content="default-src[^"]*"`).ReplaceAllLiteralString(pageHTML, pagePolicy())
		require.NoError(t, os.WriteFile("graphpage.html", []byte(pageHTML), 0o600))
		t.Skip("written")
	}
	assert.Contains(t, pageHTML, pagePolicy(), "VINOIR_UPDATE=1 go test ./cmd/vinoir -run TestGraph_policy writes it")
	assert.Equal(t, []int{1, 1, 1}, []int{strings.Count(pageHTML, "STYLE"), strings.Count(pageHTML, "DATA"), strings.Count(pageHTML, "SCRIPT")})
}

// readPage returns the data in a page. It checks that nothing in it but the two scripts and the
// style is markup that can do something, and that the policy allows only those.
func readPage(t *testing.T, page string) pageData {
	t.Helper()
	scripts := regexp.MustCompile(`(?s)<script([^>]*)>(.*?)</script>`).FindAllStringSubmatch(page, -1)
	require.Len(t, scripts, 2)
	assert.Equal(t, ` type="application/json" id="data"`, scripts[0][1])
	assert.Equal(t, pageJS, scripts[1][2])
	assert.Equal(t, 2, strings.Count(page, "<script"))
	assert.NotContains(t, scripts[0][2], "<")
	assert.Contains(t, page, pagePolicy())
	assertPrintable(t, page, "page")
	var data pageData
	require.NoError(t, json.Unmarshal([]byte(scripts[0][2]), &data))
	return data
}

// TestGraph_golden compares an SVG and a DOT with those in testdata. VINOIR_UPDATE=1 writes them.
func TestGraph_golden(t *testing.T) {
	for _, format := range []string{formatSVG, formatDOT} {
		file := filepath.Join(t.TempDir(), "if."+format)
		got := vinoir("", "graph", testCase("If-8", "boolean", "model.xml"), "-o", file)
		require.Equal(t, exitGood, got.code, got)
		golden := filepath.Join("testdata", "graph", "if."+format)
		text := readText(t, file)
		if os.Getenv("VINOIR_UPDATE") != "" {
			require.NoError(t, os.WriteFile(golden, []byte(text), 0o600))
		}
		assert.Equal(t, readText(t, golden), text, "VINOIR_UPDATE=1 go test ./cmd/vinoir -run TestGraph_golden writes it")
		got = vinoir(readText(t, testCase("If-8", "boolean", "model.xml")), "graph", "-", "-o", "-", "--format", format, "--bin", testCase("If-8", "boolean", "model.bin"))
		require.Equal(t, exitGood, got.code, got)
		assert.Equal(t, strings.Replace(text, "<title>model.xml", "<title>&lt;stdin&gt;", 1), got.stdout)
	}
}

func TestGraph_page(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.html")
	got := vinoir("", "graph", testCase("If-8", "boolean", "model.xml"), "-o", file, "--json")
	require.Equal(t, exitGood, got.code, got)
	result := decode[graphResult](t, got)
	page := readText(t, file)
	assert.Equal(t, graphResult{File: file, Layers: 13, Drawn: 12, Bytes: int64(len(page))}, result)
	data := readPage(t, page)
	assert.Equal(t, "model.xml", data.Model)
	require.Len(t, data.Graphs, 3)
	assert.Equal(t, []int{0, 1, 2, 3, 4}, data.Graphs[0].Boxes)
	assert.Len(t, data.Graphs[0].Edges, 4)
	drawn := 0
	for _, l := range data.Layers {
		if l.Into != nil {
			assert.Nil(t, l.Box)
			require.NotNil(t, l.Constant)
			assert.Equal(t, "Multiply", data.Layers[*l.Into].Type)
			continue
		}
		drawn++
		assert.Len(t, l.Box, 4)
	}
	assert.Equal(t, 12, drawn)
	branch := data.Layers[3]
	assert.Equal(t, "If", branch.Type)
	assert.Equal(t, 1, branch.Bodies[0].Graph)
	assert.Len(t, branch.Bodies, 2)
	assert.Equal(t, "f16 [1]", branch.Out[0].Label)
	require.Len(t, branch.Out[0].Dims, 1)
	assert.Contains(t, data.Origins[branch.Out[0].Dims[0]].Text, "dim 0 = 1")
	assert.Nil(t, data.Profile)
}

func TestGraph_profile(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{"graph", "--profile", "-o"}, {"profile", "--html"}} {
		file := filepath.Join(dir, args[0]+".html")
		got := vinoir("", append(args, file, messages, "--shape", "nodes=[5,2]", "--runs", "2", "--threads", "1")...)
		require.Equal(t, exitGood, got.code, got)
		data := readPage(t, readText(t, file))
		require.NotNil(t, data.Profile)
		require.NotEmpty(t, data.Profile.At)
		found := false
		for _, at := range data.Profile.At {
			found = found || at >= 0 && data.Layers[at].Name == "sum"
		}
		assert.True(t, found)
		assert.Len(t, data.Profile.Fused, len(data.Profile.At))
		assert.Equal(t, 1, data.Profile.Peaks.Threads)
		assert.Positive(t, data.Profile.Peaks.GFlops)
		assert.Positive(t, data.Profile.Peaks.GB)
	}
}

// TestGraph_hostile draws a model whose names close every kind of markup and text that they come
// to.
func TestGraph_hostile(t *testing.T) {
	const attack = `]]>&lt;/script>&lt;!--&lt;script>alert(1)&lt;/script>&quot;\&quot; onload=x &#x2028;&#10;'`
	model := strings.ReplaceAll(hostileModel("Relu"), "&#27;", attack+"&#27;")
	for _, format := range []string{formatHTML, formatSVG, formatDOT} {
		got := vinoir(model, "graph", "-", "-o", "-", "--format", format)
		require.Equal(t, exitGood, got.code, got)
		assertPrintable(t, got.stdout, format)
		switch format {
		case formatHTML:
			data := readPage(t, got.stdout)
			assert.Contains(t, data.Layers[0].Name, "</script><!--<script>alert(1)")
			assert.NotEmpty(t, data.Findings)
		case formatSVG:
			elements := map[string]bool{}
			decoder := xml.NewDecoder(strings.NewReader(got.stdout))
			for {
				token, err := decoder.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err)
				if start, ok := token.(xml.StartElement); ok {
					elements[start.Name.Local] = true
				}
			}
			assert.Equal(t, map[string]bool{"svg": true, "style": true, "title": true, "g": true, "rect": true, "text": true, "path": true}, elements)
		case formatDOT:
			for line := range strings.Lines(got.stdout) {
				bare := regexp.MustCompile(`\\.`).ReplaceAllString(line, "")
				assert.Zero(t, strings.Count(bare, `"`)%2, line)
			}
		}
	}
}

func TestGraph_wrongUse(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"--format", "png"}, "--format png is none of html, svg, dot", exitUsage},
		{[]string{"--profile", "--format", "svg"}, "--profile goes with --format html", exitUsage},
		{[]string{"--profile", "--no-bin"}, "--profile needs a file and its weights", exitUsage},
		{[]string{"--runs", "0"}, "--runs 0 is not a number from 1", exitUsage},
		{[]string{"-o", dir}, "not a regular file", exitFault},
		{[]string{"-o", filepath.Join(dir, "none", "a.svg")}, "none", exitFault},
	} {
		got := vinoir("", append([]string{"graph", messages}, tt.args...)...)
		assert.Equal(t, tt.code, got.code, tt.args)
		assert.Contains(t, got.stderr, tt.want)
	}
}

// TestGraph_large has more layers than are drawn.
func TestGraph_large(t *testing.T) {
	var b strings.Builder
	b.WriteString(`<net name="m" version="11"><layers><layer id="0" name="p" type="Parameter" version="opset1"><data shape="1" element_type="f32"/><output><port id="0" precision="FP32"><dim>1</dim></port></output></layer>`)
	for i := range maxScene {
		fmt.Fprintf(&b, `<layer id="%d" name="r" type="Result" version="opset1"><input><port id="0"/></input></layer>`, 1+i)
	}
	b.WriteString(`</layers><edges>`)
	for i := range maxScene {
		fmt.Fprintf(&b, `<edge from-layer="0" from-port="0" to-layer="%d" to-port="0"/>`, 1+i)
	}
	b.WriteString(`</edges></net>`)
	got := vinoir(b.String(), "graph", "-", "-o", "-")
	assert.Equal(t, exitFault, got.code)
	assert.Contains(t, got.stderr, "more than the 50000 layers that can be drawn")
}

func TestGraph_cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file := filepath.Join(t.TempDir(), "a.html")
	var out strings.Builder
	assert.Equal(t, exitInterrupted, run(ctx, []string{"graph", messages, "-o", file}, strings.NewReader(""), &out, &out))
	assert.NoFileExists(t, file)
}

// TestScene_constant draws a model that computes only from constants.
func TestScene_constant(t *testing.T) {
	const layer = `<layer id="%d" name="%s" type="%s" version="opset1">%s</layer>`
	model := `<net name="m" version="11"><layers>` +
		fmt.Sprintf(layer, 0, "c", "Const", `<data element_type="f32" shape="2" offset="0" size="8"/><output><port id="0" precision="FP32"><dim>2</dim></port></output>`) +
		fmt.Sprintf(layer, 1, "a", "Abs", `<input><port id="0"/></input><output><port id="1" precision="FP32"><dim>2</dim></port></output>`) +
		fmt.Sprintf(layer, 2, "r", "Result", `<input><port id="0"/></input>`) +
		`</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>`
	got := vinoir(model, "graph", "-", "-o", "-", "--format", "dot")
	require.Equal(t, exitGood, got.code, got)
	assert.Contains(t, got.stdout, `l1 [label="Abs\na\n0: f32 [2]"]`)
	assert.Contains(t, got.stdout, "l1 -> l2")
}

func TestStatisticsOf(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		data any
		want *weightStatistics
	}{
		{[]float64{nan, inf, 0, 1, -1, 4}, &weightStatistics{Elements: 6, NaNs: 1, Infinite: 1, Zeros: 1, Min: -1, Max: 4, Mean: 1, Deviation: math.Sqrt(3.5)}},
		{[]float64{nan, -inf}, &weightStatistics{Elements: 2, NaNs: 1, Infinite: 1}},
		{[]float64{-math.MaxFloat64, math.MaxFloat64}, &weightStatistics{Elements: 2, Min: -math.MaxFloat64, Max: math.MaxFloat64, Deviation: math.MaxFloat64}},
		{[]float32{5, 5}, &weightStatistics{Elements: 2, Min: 5, Max: 5, Mean: 5}},
		{[]int8{-128, 0, 1, 127}, &weightStatistics{Elements: 4, Zeros: 1, Min: -128, Max: 127, Deviation: math.Sqrt((128.*128 + 1 + 127*127) / 4)}},
		{[]float32{}, nil},
		{[]string{"a"}, nil},
	} {
		tensor, err := ir.TensorFrom(tt.data)
		require.NoError(t, err)
		got, err := statisticsOf(t.Context(), tensor, 100)
		require.NoError(t, err)
		if tt.want == nil {
			assert.Nil(t, got)
			continue
		}
		count := 0
		for _, n := range got.Histogram {
			count += n
		}
		if tt.want.Min < tt.want.Max {
			assert.Equal(t, tt.want.Elements-tt.want.NaNs-tt.want.Infinite, count)
		}
		got.Histogram = nil
		assert.InEpsilon(t, 1+tt.want.Deviation, 1+got.Deviation, 1e-12)
		got.Deviation = tt.want.Deviation
		assert.InDelta(t, tt.want.Mean, got.Mean, 1e-12)
		got.Mean = tt.want.Mean
		assert.Equal(t, tt.want, got)
	}
	many := make([]float32, 1000)
	for i := range many {
		many[i] = float32(i)
	}
	tensor, err := ir.TensorFrom(many)
	require.NoError(t, err)
	got, err := statisticsOf(t.Context(), tensor, 10)
	require.NoError(t, err)
	assert.Equal(t, 10, got.Sampled)
	assert.Equal(t, 900.0, got.Max)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = statisticsOf(ctx, tensor, 10)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestNumbersOf(t *testing.T) {
	for _, tt := range []struct {
		data any
		n    int
		want []string
	}{
		{[]int64{math.MaxInt64, -1}, 2, []string{"9223372036854775807", "-1"}},
		{[]int32{12, 3}, 1, []string{"12"}},
		{[]float32{0.1, float32(math.NaN())}, 2, []string{"0.1", "NaN"}},
		{[]uint64{math.MaxUint64}, 1, []string{"1.84467e+19"}},
	} {
		tensor, err := ir.TensorFrom(tt.data)
		require.NoError(t, err)
		assert.Equal(t, tt.want, numbersOf(tensor, tt.n))
	}
}

func TestMiddle(t *testing.T) {
	assert.Equal(t, "abc", middle("abc", 3))
	assert.Equal(t, "é…fgh", middle("éabcdefgh", 5))
}
