package plugin

import (
	"fmt"
	"strconv"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// namedPorts returns the outputs of a model with a tensor of n names, which Results with each of
// the given output names read.
func namedPorts(t *testing.T, n int, outputNames ...[]string) []Port {
	x := irtest.Parameter("x", "1")
	x.Outputs = []ir.Output{{Declared: ir.UnknownRank}}
	for i := range n {
		x.Outputs[0].Names = append(x.Outputs[0].Names, "t"+strconv.Itoa(i))
	}
	layers := []*ir.Layer{x}
	rules := irtest.SumRules()
	rules["Result"] = &infer.Rule{Inputs: infer.Arity{Min: 1, Max: 1}, Infer: func(in *infer.Inference) error {
		in.Outputs[0] = in.Inputs[0]
		return nil
	}}
	for i, names := range outputNames {
		result := irtest.Layer(fmt.Sprintf("y%d", i), "Result", x)
		result.OutputNames = names
		layers = append(layers, result)
	}
	m := irtest.Model(layers...)
	m.Results = layers[1:]
	shapes, err := infer.Propagate(t.Context(), m, rules, nil)
	require.NoError(t, err)
	_, outputs := Ports(m, shapes)
	return outputs
}

func TestPorts_names(t *testing.T) {
	outputs := namedPorts(t, 3, nil, []string{"t2", "t1"}, []string{"other"})
	assert.Equal(t, []string{"t0", "t1", "t2"}, outputs[0].Names)
	assert.Equal(t, []string{"t2", "t1", "t0"}, outputs[1].Names)
	assert.Equal(t, []string{"other", "t0", "t1", "t2"}, outputs[2].Names)
	assert.Equal(t, map[string]int{"t0": 0, "t1": 0, "t2": 0, "other": 2, "x": 0, "y0": 0, "y1": 1, "y2": 2}, portIndices(outputs))
}

// TestPorts_manyNames has Results that read one tensor with many names: they share its list.
func TestPorts_manyNames(t *testing.T) {
	const n = 1000
	var own [][]string
	for i := range 50 {
		own = append(own, []string{"t" + strconv.Itoa(n-1-i)})
	}
	outputs := namedPorts(t, n, append(own, nil, []string{"other"})...)
	first := unsafe.SliceData(outputs[0].Names)
	for i := range outputs[:51] {
		assert.Len(t, outputs[i].Names, n)
		assert.Same(t, first, unsafe.SliceData(outputs[i].Names), "output %d", i)
	}
	assert.Len(t, outputs[51].Names, n+1)
	indices := portIndices(outputs)
	assert.Equal(t, 51, indices["other"])
	assert.Equal(t, 0, indices["t999"])

	// A list can be the beginning of another one.
	all := outputs[0].Names
	indices = portIndices([]Port{{Names: all[:2]}, {Names: all[:3]}, {Names: all[:3]}})
	assert.Equal(t, map[string]int{"t0": 0, "t1": 0, "t2": 1, "": 0}, indices)

	var unknown *ir.NameError
	require.ErrorAs(t, unknownPort("output", outputs, "z"), &unknown)
	assert.Len(t, unknown.Names[0], 1+maxOwnNames)
}
