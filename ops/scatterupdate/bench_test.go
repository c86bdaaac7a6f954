package scatterupdate

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		name          string
		t             ir.ElementType
		data, indices []int
		axis          int
	}{
		{"rows_f32", ir.F32, []int{100000, 128}, []int{4096}, 0},
		{"mid_f32", ir.F32, []int{32, 256, 10, 15}, []int{125, 2}, 1},
		{"mid_f16", ir.F16, []int{32, 256, 10, 15}, []int{125, 2}, 1},
		{"last_f32", ir.F32, []int{1000, 1000}, []int{500}, 1},
		{"tiny_f32", ir.F32, []int{16, 16}, []int{4}, 0},
	} {
		for _, threads := range []int{1, 2} {
			for _, inPlace := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s/threads=%d/inplace=%t", c.name, threads, inPlace), func(b *testing.B) {
					inputs := benchInputs(b, c.t, c.data, c.indices, c.axis)
					out, err := ir.NewTensor(c.t, c.data...)
					require.NoError(b, err)
					if inPlace {
						out = inputs[dataPort]
					}
					kernel, scratch, err := prepareLayer(inputs, threads)
					require.NoError(b, err)
					pool := parallel.New(threads)
					defer pool.Close()
					r := &ops.Run{Inputs: inputs, Outputs: []*ir.Tensor{out}, Scratch: scratch, Pool: pool}
					b.SetBytes(int64(len(out.Bytes())))
					b.ReportAllocs()
					for b.Loop() {
						if err := kernel(r); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

func benchInputs(b *testing.B, t ir.ElementType, data, indices []int, axis int) []*ir.Tensor {
	rng := rand.New(rand.NewPCG(1, 2))
	count := ir.Shape(indices).Elements()
	ids := rng.Perm(data[axis])
	for len(ids) < count {
		ids = append(ids, rng.IntN(data[axis]))
	}
	narrow := make([]int32, count)
	for i := range narrow {
		narrow[i] = int32(ids[i])
	}
	inputs := make([]*ir.Tensor, 4)
	var err error
	inputs[dataPort], err = ir.NewTensor(t, data...)
	require.NoError(b, err)
	inputs[indicesPort], err = ir.TensorOf(ir.I32, indices, narrow)
	require.NoError(b, err)
	inputs[updatesPort], err = ir.NewTensor(t, updatesShape(data, indices, axis)...)
	require.NoError(b, err)
	inputs[axisPort], err = ir.TensorOf(ir.I32, nil, []int32{int32(axis)})
	require.NoError(b, err)
	return inputs
}

// prepareLayer infers and prepares the layer for its inputs.
func prepareLayer(inputs []*ir.Tensor, threads int) (ops.Kernel, []byte, error) {
	facts := make([]ir.Fact, len(inputs))
	for i, t := range inputs {
		facts[i] = ir.Fact{Type: t.ElementType(), Shape: t.Shape().Partial()}
	}
	facts[axisPort].Tensor = inputs[axisPort]
	in := ir.Inference{Inputs: facts, Outputs: make([]ir.Fact, 1)}
	if err := infer(&in); err != nil {
		return nil, nil, err
	}
	p := &ops.Preparation{Inputs: facts, Outputs: in.Outputs, Threads: threads}
	kernel, err := prepare(p)
	return kernel, ir.AlignedBytes(p.ScratchBytes), err
}
