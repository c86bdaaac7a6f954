package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// engineVariable makes the test program an engine that behaves as its value says.
const engineVariable = "VINOIR_TEST_ENGINE"

func TestMain(m *testing.M) {
	if behaviour := os.Getenv(engineVariable); behaviour != "" {
		engine(behaviour)
		return
	}
	os.Exit(m.Run())
}

// engine speaks the protocol of openvino.py. Every output is 1 element of f32, 7.
func engine(behaviour string) {
	answer := func(r response) {
		line, err := json.Marshal(r)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(line))
	}
	answer(response{Version: "test"})
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			panic(err)
		}
		switch {
		case behaviour == "refuses" || behaviour == "no reference" && r.Reference:
			answer(response{Stage: "compile", Error: "no"})
		case behaviour == "dies":
			os.Exit(3)
		case behaviour == "sleeps":
			time.Sleep(time.Hour)
		case behaviour == "dies once":
			mark := filepath.Join(r.Folder, "died")
			if _, err := os.Stat(mark); err != nil {
				if err := os.WriteFile(mark, nil, 0o600); err != nil {
					panic(err)
				}
				os.Exit(3)
			}
			fallthrough
		default:
			bytes := []byte{0, 0, 0xe0, 0x40}
			if err := os.WriteFile(filepath.Join(r.Folder, "out_0"), bytes, 0o600); err != nil {
				panic(err)
			}
			answer(response{Outputs: []array{{Type: "f32", Shape: ir.Shape{1}}}})
		}
	}
}

// command returns a command that runs the test program as an engine.
func command(t *testing.T, behaviour string) func() *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	return func() *exec.Cmd {
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), engineVariable+"="+behaviour)
		return cmd
	}
}

// identity writes a model whose output is its input of shape [1], 7, and returns its folder. With
// fault, vinoir refuses it.
func identity(t *testing.T, fault bool) string {
	t.Helper()
	folder := t.TempDir()
	layer := "Relu"
	if fault {
		layer = "Unheard"
	}
	port := `<port id="0" precision="FP32"><dim>1</dim></port>`
	xml := `<net name="n" version="11"><layers>` +
		`<layer id="0" name="x" type="Parameter" version="opset1"><data element_type="f32" shape="1"/><output>` + port + `</output></layer>` +
		`<layer id="1" name="y" type="` + layer + `" version="opset1"><input>` + port + `</input><output>` +
		strings.Replace(port, `"0"`, `"1"`, 1) + `</output></layer>` +
		`<layer id="2" name="z" type="Result" version="opset1"><input>` + port + `</input></layer></layers>` +
		`<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>`
	require.NoError(t, os.WriteFile(filepath.Join(folder, "model.xml"), []byte(xml), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(folder, "in"), 0o700))
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }"
	header += strings.Repeat(" ", 117-len(header)) + "\n"
	npy := "\x93NUMPY\x01\x00\x76\x00" + header + "\x00\x00\xe0\x40"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "in", "0.npy"), []byte(npy), 0o600))
	return folder
}

// TestRun_classes runs one model under engines of each behaviour.
func TestRun_classes(t *testing.T) {
	for _, test := range []struct {
		behaviour string
		fault     bool
		class     string
	}{
		{"answers", false, equal},
		{"answers", true, vinoirRefuses},
		{"no reference", true, vinoirRefuses},
		{"refuses", false, openVINORefuses},
		{"refuses", true, bothRefuse},
		{"dies", false, openVINODied},
		{"dies once", false, equal},
		{"sleeps", true, openVINODied},
	} {
		o := &options{command: command(t, test.behaviour), patience: 20 * time.Second, keep: t.TempDir(), folders: []string{identity(t, test.fault)}}
		if test.behaviour == "sleeps" {
			o.patience = 100 * time.Millisecond
		}
		var out, counts strings.Builder
		require.NoError(t, o.run(context.Background(), &out, &counts), "%s", test.behaviour)
		var r result
		require.NoError(t, json.Unmarshal([]byte(out.String()), &r))
		assert.Equal(t, test.class, r.Class, "%+v", test)
		assert.Contains(t, counts.String(), "1 "+test.class)
		_, err := os.Stat(filepath.Join(o.keep, "0_"+r.Case, "in", "0.npy"))
		assert.Equal(t, test.class == vinoirRefuses || test.class == openVINODied, err == nil, "%+v: kept", test)
	}
}

// TestRun_differ has an input that the engine does not expect.
func TestRun_differ(t *testing.T) {
	folder := identity(t, false)
	require.NoError(t, os.Remove(filepath.Join(folder, "in", "0.npy")))
	o := &options{command: command(t, "answers"), patience: 20 * time.Second, folders: []string{folder}}
	var out strings.Builder
	require.NoError(t, o.run(context.Background(), &out, io.Discard))
	var r result
	require.NoError(t, json.Unmarshal([]byte(out.String()), &r))
	assert.Equal(t, differ, r.Class)
	assert.Contains(t, r.Vinoir, "not 7")
	assert.Equal(t, "agrees with OpenVINO", r.Reference)
}

func TestParse(t *testing.T) {
	o, err := parse([]string{"-seed", "7", "-n", "3", "a"}, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, uint64(7), o.seed)
	for args, message := range map[string]string{"-n -1 a": "-n -1 is negative", "-first -1 a": "-first -1 is negative", "": "a FOLDER is needed"} {
		_, err := parse(strings.Fields(args), io.Discard)
		assert.ErrorContains(t, err, message)
	}
}

// TestRun_noModel has a folder without models, and a Python that does not exist.
func TestRun_noModel(t *testing.T) {
	err := run(context.Background(), []string{t.TempDir()}, io.Discard, io.Discard)
	assert.ErrorContains(t, err, "no model.xml")
	err = run(context.Background(), []string{"-python", filepath.Join(t.TempDir(), "none"), "-n", "0", identity(t, false)}, io.Discard, io.Discard)
	assert.ErrorContains(t, err, "none")
}

var cases = filepath.Join("..", "..", "..", "testdata", "ir")

// TestMutate makes mutants: each differs from its model as its changes say, and is the same each
// time.
func TestMutate(t *testing.T) {
	folders, err := findCases([]string{cases})
	require.NoError(t, err)
	u, folders := newMutator(folders)
	require.NotEmpty(t, folders)
	kinds := map[string]bool{}
	text := func(m *model) string {
		xml, err := m.xml.WriteToString()
		require.NoError(t, err)
		return xml + string(m.bin)
	}
	for i := range 300 {
		folder := folders[i%len(folders)]
		var first string
		for k := range 2 {
			m, err := readModel(folder)
			require.NoError(t, err)
			before := text(m)
			u.rng = rand.New(rand.NewPCG(1, uint64(i)))
			changes := u.mutate(m)
			if len(changes) == 0 {
				continue
			}
			for _, change := range changes {
				for _, kind := range []string{"element_type", "shape", "element ", "dim of", "edge", "-> opset", "axis"} {
					kinds[kind] = kinds[kind] || strings.Contains(change, kind)
				}
			}
			if k == 0 {
				first = text(m)
				if len(changes) == 1 { // a second one can undo the first
					assert.NotEqual(t, before, first, "%s %v", folder, changes)
				}
			} else {
				assert.Equal(t, first, text(m), "%s %v", folder, changes)
			}
		}
	}
	assert.Len(t, kinds, 7)
	for kind, seen := range kinds {
		assert.True(t, seen, "%s", kind)
	}
}

// TestRepeat converts elements.
func TestRepeat(t *testing.T) {
	given, err := ir.TensorOf(ir.F32, ir.Shape{3}, []float32{-1, 300, float32(math.NaN())})
	require.NoError(t, err)
	for _, test := range []struct {
		kind ir.ElementType
		want []float64
	}{
		{ir.U8, []float64{0, 255, 0, 0}}, {ir.I8, []float64{-1, 127, 0, -1}}, {ir.I64, []float64{-1, 300, 0, -1}},
		{ir.U64, []float64{0, 300, 0, 0}}, {ir.F16, []float64{-1, 300, math.NaN(), -1}}, {ir.Boolean, []float64{1, 1, 1, 1}},
		{ir.F32, []float64{-1, 300, math.NaN(), -1}}, {ir.BF16, []float64{-1, 300, math.NaN(), -1}},
	} {
		tensor, err := ir.NewTensor(test.kind, 4)
		require.NoError(t, err)
		repeat(tensor, given)
		for i, want := range test.want {
			if got := reader(tensor)(i); got != want && (got == got || want == want) {
				t.Errorf("%v: element %d is %v, expected %v", test.kind, i, got, want)
			}
		}
	}
}

func TestCompare(t *testing.T) {
	of := func(kind ir.ElementType, values ...float64) *ir.Tensor {
		tensor, err := ir.NewTensor(kind, len(values))
		require.NoError(t, err)
		for i, x := range values {
			writer(tensor)(i, x)
		}
		return tensor
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, test := range []struct {
		got, want *ir.Tensor
		message   string
	}{
		{of(ir.F32, 1, nan, inf, 1e-40), of(ir.F32, 1.00001, nan, inf, 0), ""},
		{of(ir.F32, 1, 2), of(ir.F32, 1.001, 2), "1 of 2 elements of f32 differ, element 0 is 1, not 1.00"},
		{of(ir.F32, inf), of(ir.F32, -inf), "differ"},
		{of(ir.F32, nan), of(ir.F32, 1), "differ"},
		{of(ir.F16, 1), of(ir.F16, 1.002), ""},
		{of(ir.I64, 1<<40), of(ir.I64, 1<<40+1), "differ"},
		{of(ir.F32, 1), of(ir.F16, 1), "f32, not f16"},
		{of(ir.F32, 1), of(ir.F32, 1, 1), "shape [1], not [2]"},
	} {
		got := compare([]*ir.Tensor{test.got}, []*ir.Tensor{test.want})
		if test.message == "" {
			assert.Empty(t, got)
		} else {
			assert.Contains(t, got, test.message)
		}
	}
	assert.Contains(t, compare(nil, []*ir.Tensor{of(ir.F32, 1)}), "0 outputs, not 1")
}
