package plugin

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
)

// network builds the file of a model of built-in layer types.
type network struct {
	layers, edges strings.Builder
	bin           []byte
	n             int      // number of layers
	shapes        []string // shapes of the inputs
}

// port is an output port of a layer.
type port struct{ layer, port int }

// layer adds a layer and returns its output ports. data holds the attributes as XML.
func (n *network) layer(layerType, opset, data string, outputs int, inputs ...port) []port {
	id := n.n
	n.n++
	fmt.Fprintf(&n.layers, `<layer id="%d" name="%s_%d" type="%s" version="%s"><data %s/>`, id, layerType, id, layerType, opset, data)
	if len(inputs) > 0 {
		n.layers.WriteString("<input>")
		for i, in := range inputs {
			fmt.Fprintf(&n.layers, `<port id="%d"/>`, i)
			fmt.Fprintf(&n.edges, `<edge from-layer="%d" from-port="%d" to-layer="%d" to-port="%d"/>`, in.layer, in.port, id, i)
		}
		n.layers.WriteString("</input>")
	}
	var ports []port
	if outputs > 0 {
		n.layers.WriteString("<output>")
		for i := range outputs {
			fmt.Fprintf(&n.layers, `<port id="%d" precision="FP32"/>`, len(inputs)+i)
			ports = append(ports, port{id, len(inputs) + i})
		}
		n.layers.WriteString("</output>")
	}
	n.layers.WriteString("</layer>")
	return ports
}

// op adds a layer with one output. spec is "Type", "Type opset2" or "Type opset2 data".
func (n *network) op(spec string, inputs ...port) port {
	words := append(strings.SplitN(spec, " ", 3), "", "")
	if words[1] == "" {
		words[1] = "opset1"
	}
	return n.layer(words[0], words[1], words[2], 1, inputs...)[0]
}

// input adds a Parameter of f32.
func (n *network) input(shape string) port {
	n.shapes = append(n.shapes, shape)
	return n.op(fmt.Sprintf(`Parameter opset1 shape="%s" element_type="f32"`, shape))
}

func (n *network) result(in port) { n.layer("Result", "opset1", "", 0, in) }

// constant adds a Constant of the last size bytes of bin.
func (n *network) constant(elementType, shape string, size int) port {
	return n.op(fmt.Sprintf(`Const opset1 element_type="%s" shape="%s" offset="%d" size="%d"`, elementType, shape, len(n.bin)-size, size))
}

// floats adds a Constant of f32.
func (n *network) floats(shape string, values ...float32) port {
	for _, v := range values {
		n.bin = binary.LittleEndian.AppendUint32(n.bin, math.Float32bits(v))
	}
	return n.constant("f32", shape, 4*len(values))
}

// scalar adds a scalar Constant of f32.
func (n *network) scalar(v float32) port { return n.floats("", v) }

// ints adds a Constant, a vector of i64.
func (n *network) ints(values ...int64) port { return n.shapedInts(fmt.Sprint(len(values)), values...) }

// shapedInts adds a Constant of i64.
func (n *network) shapedInts(shape string, values ...int64) port {
	for _, v := range values {
		n.bin = binary.LittleEndian.AppendUint64(n.bin, uint64(v))
	}
	return n.constant("i64", shape, 8*len(values))
}

// random adds a Constant of random f32 between lo and hi.
func (n *network) random(rng *rand.Rand, lo, hi float32, lengths ...int) port {
	values := make([]float32, ir.Shape(lengths).Elements())
	for i := range values {
		values[i] = lo + (hi-lo)*rng.Float32()
	}
	return n.floats(strings.Trim(strings.ReplaceAll(fmt.Sprint(lengths), " ", ","), "[]"), values...)
}

// model reads the model from the file that n has built.
func (n *network) model(t *testing.T) *ir.Model {
	t.Helper()
	xml := `<net name="network" version="11"><layers>` + n.layers.String() + `</layers><edges>` + n.edges.String() + `</edges></net>`
	model, err := irxml.Read([]byte(xml), n.bin, irxml.ReadOptions{})
	require.NoError(t, err)
	return model
}

// compileNetwork compiles n with all layer types.
func compileNetwork(t *testing.T, n *network, disable ...Optimization) *CompiledModel {
	t.Helper()
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	compiled, err := NewCore(registry, Options{}).CompileModel(background, n.model(t), CompileOptions{InferenceNumThreads: 1, Disable: disable, DynamicQuantizationGroupSize: -1})
	require.NoError(t, err)
	t.Cleanup(compiled.Close)
	return compiled
}

func f32(t *testing.T, shape ir.Shape, values ...float32) *ir.Tensor {
	t.Helper()
	tensor, err := ir.TensorOf(ir.F32, shape, values)
	require.NoError(t, err)
	return tensor
}
