package main

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// noKernel has two layers that can be inferred but not run.
const noKernel = `<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f8e4m3"/><output><port id="0" precision="F8E4M3"><dim>2</dim></port></output></layer>
<layer id="1" name="a" type="Sigmoid" version="opset1"><input><port id="0"><dim>2</dim></port></input><output><port id="1" precision="F8E4M3"><dim>2</dim></port></output></layer>
<layer id="2" name="b" type="Sigmoid" version="opset1"><input><port id="0"><dim>2</dim></port></input><output><port id="1" precision="F8E4M3"><dim>2</dim></port></output></layer>
<layer id="3" name="y" type="Result" version="opset1"><input><port id="0"><dim>2</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/><edge from-layer="2" from-port="1" to-layer="3" to-port="0"/></edges></net>`

func TestValidate_run(t *testing.T) {
	for _, c := range []struct {
		flag, severity string
		code           int
	}{{"--run=false", "note", exitGood}, {"--run", "error", exitFault}} {
		got := vinoir(noKernel, "validate", "-", c.flag)
		assert.Equal(t, c.code, got.code)
		assert.Contains(t, got.stdout, `<stdin>:3: `+c.severity+`: layer 1 "a" (Sigmoid, opset1): layer type Sigmoid of opset1 is not supported: Sigmoid-1 has no kernel for input 0 of type f8e4m3, only for [`)
		assert.Contains(t, got.stdout, "]; this holds for 2 layers [no-kernel]\n")

		v := decode[validation](t, vinoir(noKernel, "validate", "-", c.flag, "--json"))
		require.Len(t, v.Findings, 1)
		assert.Equal(t, "no-kernel", v.Findings[0].Rule)
		assert.Equal(t, c.severity, v.Findings[0].Severity)
		assert.Equal(t, 2, v.Findings[0].Count)
		assert.Contains(t, v.Layers, "b")

		assert.Contains(t, vinoir(noKernel, "validate", "-", c.flag, "--format", "sarif").stdout, `"level":"`+c.severity+`"`)
	}
	assert.NotContains(t, vinoir("", "validate", messages, "--run").stdout, "no-kernel")
}

// TestValidate_runUnknownType checks that a layer without a rule has one finding.
func TestValidate_runUnknownType(t *testing.T) {
	v := decode[validation](t, vinoir(replaceOnce(t, noKernel, `name="b" type="Sigmoid"`, `name="b" type="Strange"`), "validate", "-", "--run", "--json"))
	require.Len(t, v.Findings, 2)
	assert.Equal(t, "unsupported-layer", v.Findings[0].Rule)
	assert.Equal(t, "no-kernel", v.Findings[1].Rule)
	assert.Zero(t, v.Findings[1].Count)
}

// TestValidate_runOtherPorts has a kernel for the type of input 0, but not for those of other
// ports.
func TestValidate_runOtherPorts(t *testing.T) {
	const model = `<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/><output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="1" name="b" type="Parameter" version="opset1"><data shape="4" element_type="u4"/><output><port id="0" precision="U4"><dim>4</dim></port></output></layer>
<layer id="2" name="a" type="Bucketize" version="opset3"><data output_type="i64" with_right_bound="true"/><input><port id="0"><dim>2</dim></port><port id="1"><dim>4</dim></port></input><output><port id="2" precision="I64"><dim>2</dim></port></output></layer>
<layer id="3" name="y" type="Result" version="opset1"><input><port id="0"><dim>2</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="2" to-port="0"/><edge from-layer="1" from-port="0" to-layer="2" to-port="1"/><edge from-layer="2" from-port="2" to-layer="3" to-port="0"/></edges></net>`
	for _, format := range []string{"text", "json", "sarif"} {
		got := vinoir(model, "validate", "-", "--run", "--format", format)
		assert.Equal(t, exitFault, got.code, got)
		assert.Contains(t, got.stdout, "Bucketize-3 has no kernel for input 1 of type u4, only for [f32 ")
		assert.Contains(t, got.stdout, "no-kernel")
	}
}

// TestValidate_runCompiles checks that validate --run accepts a model exactly if it compiles.
func TestValidate_runCompiles(t *testing.T) {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	core := plugin.NewCore(registry, plugin.Options{})
	files, err := filepath.Glob(testCase("bad", "*", "model.xml"))
	require.NoError(t, err)
	for _, pattern := range []string{messages, testCase("Add-1", "f64", "model.xml"), testCase("If-8", "*", "model.xml")} {
		more, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, more)
		files = append(files, more...)
	}
	count := map[bool]int{}
	for _, file := range files {
		m, err := irxml.ReadFile(file, irxml.ReadOptions{})
		if err != nil {
			continue
		}
		compiled, err := core.CompileModel(t.Context(), m, plugin.CompileOptions{})
		if err == nil {
			compiled.Close()
		}
		require.NoError(t, m.Close())
		got := vinoir("", "validate", file, "--run")
		assert.Equal(t, err == nil, got.code == exitGood, "%s: %v: %s", file, err, got.stdout)
		count[err == nil]++
	}
	assert.NotZero(t, count[true])
	assert.NotZero(t, count[false])

	// These models are wrong only in what the layers are given.
	got := vinoir("", "validate", testCase("bad", "se_indices_wide", "model.xml"), "--run")
	assert.Contains(t, got.stdout, `layer 4 "scatterelementsupdate4" (ScatterElementsUpdate, opset3): indices [1 5] are longer than data [3 4] along axis 1, and not only along axis 0 [no-kernel]`)
	got = vinoir("", "validate", testCase("bad", "dims_overflow_param", "model.xml"), "--run")
	want := "shape [4294967296,4294967296] has more elements than fit an int [no-kernel]"
	if strconv.IntSize == 32 {
		want = "shape [4294967296,4294967296]: dimension 0 does not fit this platform's int [no-kernel]"
	}
	assert.Contains(t, got.stdout, want)
	got = vinoir("", "validate", testCase("bad", "se_indices_wide", "model.xml"), "--run", "--no-bin")
	assert.NotContains(t, got.stdout, "no-kernel")
}

func replaceOnce(t *testing.T, text, from, to string) string {
	t.Helper()
	require.Equal(t, 1, strings.Count(text, from))
	return strings.Replace(text, from, to, 1)
}
