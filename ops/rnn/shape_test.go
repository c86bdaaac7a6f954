package rnn

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

// row is a test case: a layer with its inputs, and its outputs or the error. The type of a shape is
// f32 if it is left out.
type row struct {
	name       string
	attributes layertest.Attributes
	inputs     string // shapes separated by blanks
	want       string
	err        string
}

func testRows(t *testing.T, rows []row) {
	cases := make([]layertest.ShapeCase, len(rows))
	for i, r := range rows {
		cases[i] = layertest.ShapeCase{
			Type: r.name, Attributes: r.attributes, Inputs: typed(r.inputs), Want: strings.Join(typed(r.want), " "), Error: r.err,
		}
	}
	layertest.Shapes(t, Ops, cases)
}

// typed splits shapes at blanks, and puts f32 before those without a type.
func typed(shapes string) []string {
	list := strings.Fields(shapes)
	for i := range list {
		if strings.HasPrefix(list[i], "[") {
			list[i] = "f32" + list[i]
		}
	}
	return list
}

func size(n string, more ...string) layertest.Attributes {
	return append(layertest.Attributes{"hidden_size", n}, more...)
}

func TestCellShapes(t *testing.T) {
	testRows(t, []row{
		{"RNNCell-1", size("4"), "[2,3] [2,4] [4,3] [4,4] [4]", "[2,4]", ""},
		{"RNNCell-1", nil, "[2,3] [2,4] [4,7] [4,4] [4]", "[2,4]", ""},
		{"RNNCell-1", size("4"), "[...] [...] [...] [...] [...]", "[?,?]", ""},
		{"RNNCell-1", size("8"), "[1..3,?] [2..,?] [8,3] [?,?] [...]", "[2..3,8]", ""},
		{"RNNCell-1", size("8"), "[?,?] [?,?] [8..9,3] [?,?] [?]", "[?,?]", ""},
		{"RNNCell-1", size("3", "activations", " TANH , nosuch"), "i8[2,3] dynamic[2,3] i8[3,3] i8[3,3] i8[3]", "i8[2,3]", ""},
		{"GRUCell-3", size("3"), "[2,3] [2,?] [9,3] [?,?] [10]", "[2,3]", ""},
		{"GRUCell-3", size("3", "linear_before_reset", "true"), "[2,3] [2,3] [9,3] [?,3] [12]", "[2,3]", ""},
		{"GRUCell-3", size("3"), "[2,3] [2,3] f16[9,3] [9,3] [9]", "[2,3]", ""},
		{"LSTMCell-1", size("4"), "[2,3] [2,4] [2,4] [16,3] [16,4]", "[2,4] [2,4]", ""},
		{"LSTMCell-1", size("4"), "[2,3] [2,4] [2,4] [16,3] [16,4] [16] f16[12]", "[2,4] [2,4]", ""},
		{"LSTMCell-1", size("4", "weights_format", "FICO"), "[...] [...] [...] [...] [...] [...]", "[?,4] [?,4]", ""},
		{"LSTMCell-1", size("4"), "[...] [...] [...] [...] [...] [...] [12,1]", "[?,4] [?,4]", ""},
		{"LSTMCell-4", size("4"), "[2,3] [2,4] [2,4] [16,3] [16,4] [16]", "[2,4] [2,4]", ""},
		{"LSTMCell-4", size("4"), "[2,3] [2,4] [2,4] [16,3] [16,4] [16]", "[2,4]", ""},
		{"LSTMCell-4", size("3"), "[2,3] [2,..3] [2,2..] [12,3] [?,?] [?]", "[2,3] [2,3]", ""},
		{"LSTMCell-4", size("3"), "[?,?] [?,..3] [?,2..] [?,?] [?,?] [?]", "[?,3] [?,3]", ""},
		{"LSTMCell-4", nil, "[...] [...] [...] [...] [...] [...]", "[?,0] [?,0]", ""},
	})
}

func TestSequenceShapes(t *testing.T) {
	direction := func(d string, more ...string) layertest.Attributes {
		return append(layertest.Attributes{"direction", d}, more...)
	}
	testRows(t, []row{
		{"RNNSequence-5", direction("forward"), "[2,5,3] [2,1,4] i32[2] [1,4,3] [1,4,4] [1,4]", "[2,1,5,4] [2,1,4]", ""},
		{"RNNSequence-5", direction("REVERSE", "activations", "nosuch"), "[2,5,3] [2,1,4] string[2] [1,4,3] [1,4,4] [1,4]", "[2,1,5,4] [2,1,4]", ""},
		{"RNNSequence-5", direction("bidirectional"), "[...] [...] i32[...] [...] [...] [...]", "[?,2,?,?] [?,2,?]", ""},
		{"RNNSequence-5", nil, "[...] [...] i32[3] [1,5..9,?] [...] [...]", "[3,1,?,5..9] [3,1,5..9]", ""},
		{"RNNSequence-5", nil, "[...] [...] i32[3] [?,5,?] [...] [...]", "[3,1,?,?] [3,1,?]", ""},
		{"GRUSequence-5", nil, "[...] [...] i32[...] [1,9..11,9] [...] [...]", "[?,1,?,3] [?,1,3]", ""},
		{"GRUSequence-5", nil, "[?,3..5,?] [...] i32[...] [1,7..,9] [1,..13,?] [...]", "[?,1,3..5,3..4] [?,1,3..4]", ""},
		{"GRUSequence-5", direction("forward", "linear_before_reset", "true"), "[2,?,3] [..4,1,4] i32[2] [?,12,3] [?,12,4] [?,16]", "[2,1,?,4] [2,1,4]", ""},
		{"LSTMSequence-5", direction("forward"), "[...] [?,1,4] [?,?,?] i32[?] [?,?,3] [?,?,4] [?,?]", "[?,1,?,4] [?,1,4] [?,1,4]", ""},

		{"RNNSequence-5", direction("bidirectional"), "[2,5,3] [2,2,4] i32[2] [1,4,3] [2,4,4] [2,4]", "", "W [1,4,3] has 1 directions, direction bidirectional has 2"},
		{"LSTMSequence-5", direction("forward"), "[...] [...] [?,2,?] i32[?] [...] [...] [...]", "", "initial_cell_state [?,2,?] has 2 directions, direction forward has 1"},
		{"RNNSequence-5", direction("sideways"), "[...] [...] i32[...] [...] [...] [...]", "", `attribute direction: "sideways" is none of forward, reverse, bidirectional`},
		{"RNNSequence-5", nil, "[2,5,3] [2,1,4] i32[3] [...] [...] [...]", "", "sequence_lengths [3] has a batch of 3, the inputs before it of 2"},
		{"RNNSequence-5", nil, "[2,5,3] [2,1,4] i32[2,1] [...] [...] [...]", "", "sequence_lengths has shape [2,1], expected rank 1"},
		{"GRUSequence-5", nil, "[...] [...] i32[...] [1,10..11,9] [...] [...]", "", "W [1,10..11,9] has 10..11 rows for 3 gates of length ?"},
		{"GRUSequence-5", nil, "[2,5,3] [2,1,4] i32[2] [1,12,3] [1,12,4] [1,16]", "", "B has shape [1,16]: 3 gates of length 4 need 12 rows"},
		{"LSTMSequence-5", nil, "[...] [...] [...] i32[...] f16[...] [...] [...]", "", "W is f16, the inputs before it are f32"},
	})
	op := layertest.FindType(t, Ops, "GRUSequence-5")
	_, err := layertest.InferOutputs(t, op, nil, 3, "f32[...]", "f32[...]", "i32[...]", "f32[...]", "f32[...]", "f32[...]")
	assert.EqualError(t, err, "the layer has 3 outputs in the file, its type has 2")
}

func TestRefusedCells(t *testing.T) {
	all := "[...] [...] [...] [...] [...]"
	testRows(t, []row{
		{"RNNCell-1", size("-4"), all, "", "attribute hidden_size: -4 is negative"},
		{"RNNCell-1", size("5"), "[2,3] [2,4] [4,3] [4,4] [4]", "", "the states are of length 4, hidden_size is 5"},
		{"RNNCell-1", layertest.Attributes{"activations", ""}, all, "", "attribute activations: 0 are named, the cell has 1"},
		{"RNNCell-1", layertest.Attributes{"activations", "nosuch"}, all, "", `attribute activations: "nosuch" is none of sigmoid, tanh, relu, hardsigmoid`},
		{"RNNCell-1", layertest.Attributes{"activations_alpha", "1,x"}, all, "", `attribute activations_alpha: "x" is not a number`},
		{"RNNCell-1", layertest.Attributes{"clip", "x"}, all, "", `attribute clip: "x" is not a number`},
		{"RNNCell-1", nil, "[2,3] [3,4] [4,3] [4,4] [4]", "", "initial_hidden_state [3,4] has a batch of 3, the inputs before it of 2"},
		{"RNNCell-1", nil, "[2,3] [2,4] [4,3] [4,5] [4]", "", "R [4,5] has states of length 5, the inputs before it of 4"},
		{"RNNCell-1", nil, "[2,3] [2,4] [5,3] [4,4] [4]", "", "W has shape [5,3]: 1 gates of length 4 need 4 rows"},
		{"RNNCell-1", nil, "[2,3] [2,4] [4,3] [4,4] [4,1]", "", "B has shape [4,1], expected rank 1"},
		{"RNNCell-1", nil, "[2] [2,4] [4,3] [4,4] [4]", "", "X has shape [2], expected rank 2"},
		{"RNNCell-1", nil, "[2,3] [2,4,1] [4,3] [4,4] [4]", "", "initial_hidden_state has shape [2,4,1], expected rank 2"},
		{"RNNCell-1", nil, "[2,3] [2,4] f16[4,3] [4,4] [4]", "", "W is f16, the inputs before it are f32"},
		{"GRUCell-3", nil, "[...] [...] [8,3] [...] [...]", "", "W [8,3] has 8 rows for 3 gates of length ?"},
		{"GRUCell-3", nil, "[...] [...] [9,3] [12,?] [...]", "", "R [12,?] has 12 rows for 3 gates of length 3"},
		{"GRUCell-3", nil, "[2,3] [2,4611686018427387904] [?,3] [...] [...]", "", "3 gates of length 4611686018427387904 need more rows than a tensor can have"},
		{"GRUCell-3", layertest.Attributes{"activations", "tanh"}, all, "", "attribute activations: 1 are named, the cell has 2"},
		{"LSTMCell-1", size("3"), "[2,3] [2,4] [2,4] [16,3] [16,4]", "", "the states are of length 4, hidden_size is 3"},
		{"LSTMCell-1", nil, "[2,3] [2,4] [2,4] [16,3] [16,4]", "", "the states are of length 4, hidden_size is 0"},
		{"LSTMCell-1", size("4"), "[...] [...] [...] [...] [...] [...] [11]", "", "P has shape [11], 3 peepholes of length 4 need 12 rows"},
		{"LSTMCell-1", size("4"), "[...] [...] [...] [...] [...] [...] [...]", "", "P has shape [...], expected rank 1"},
		{"LSTMCell-1", size("4", "weights_format", "iiii"), all, "", `attribute weights_format: "iiii" is none of fico, icof, ifco, ifoc, iofc`},
		{"LSTMCell-4", size("4"), "[...] [...] [...] [17,3] [...] [...]", "", "W [17,3] has 17 rows for 4 gates of length ?"},
	})
}
