package ops

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

func TestRun_Own(t *testing.T) {
	var r, other Run
	made := 0
	own := func(r *Run) int { return r.Own(func() any { made++; return made }).(int) }
	assert.Equal(t, []int{1, 1, 2, 1}, []int{own(&r), own(&r), own(&other), own(&r)})
	assert.Zero(t, testing.AllocsPerRun(10, func() { own(&r) }))
}

func TestPreparation_PickedBytes(t *testing.T) {
	fact := func(et ir.ElementType, lengths ...int64) ir.Fact {
		return ir.Fact{Type: et, Shape: ir.StaticShape(lengths...)}
	}
	p := Preparation{
		Inputs:  []ir.Fact{fact(ir.F32, 1000, 8), fact(ir.I64, 3), fact(ir.I32)},
		Outputs: []ir.Fact{fact(ir.F32, 3, 8)},
	}
	assert.Equal(t, int64(2*96+24+4), p.PickedBytes())
	assert.Zero(t, (&Preparation{}).PickedBytes(), "there is no layer")
}

func TestOp_Computes(t *testing.T) {
	kernel := func(*Preparation) (*Prepared, error) { return nil, nil }
	facts := func(types ...ir.ElementType) []ir.Fact {
		list := make([]ir.Fact, len(types))
		for i, t := range types {
			list[i].Type = t
		}
		return list
	}
	floats := &Op{Type: "Sum", Version: 1, Types: []ir.ElementType{ir.F32, ir.F16}, Prepare: kernel}
	assert.NoError(t, floats.Computes(facts(ir.F16, ir.I64), facts(ir.I64)), "the first input counts")
	assert.NoError(t, floats.Computes(facts(ir.Dynamic), nil), "not known yet")
	assert.EqualError(t, floats.Computes(facts(ir.I64), facts(ir.F32)), "Sum-1 has no kernel for input 0 of type i64, only for [f32 f16]")
	assert.EqualError(t, floats.Computes(nil, facts(ir.U8)), "Sum-1 has no kernel for output 0 of type u8, only for [f32 f16]")
	counts := &Op{Type: "Count", Version: 1, Prepare: kernel, PortTypes: []PortTypes{{Port: 1, Types: []ir.ElementType{ir.I64}}, {Output: true, Types: []ir.ElementType{ir.I32}}}}
	assert.NoError(t, counts.Computes(facts(ir.F16, ir.I64), facts(ir.I32)))
	assert.NoError(t, counts.Computes(facts(ir.F16), facts(ir.Dynamic)), "not connected, and not known yet")
	assert.EqualError(t, counts.Computes(facts(ir.F16, ir.F16), facts(ir.I32)), "Count-1 has no kernel for input 1 of type f16, only for [i64]")
	assert.EqualError(t, counts.Computes(facts(ir.F16, ir.I64), facts(ir.F32)), "Count-1 has no kernel for output 0 of type f32, only for [i32]")
	assert.NoError(t, (&Op{Type: "Move", Version: 1, Prepare: kernel}).Computes(facts(ir.String), nil))
	assert.EqualError(t, (&Op{Type: "Move", Version: 1}).Computes(facts(ir.F32), nil), "Move-1 has a shape rule and no kernel")
}

// TestOp_PrepareKernel calls Prepare functions that violate their contract.
func TestOp_PrepareKernel(t *testing.T) {
	for want, prepare := range map[string]func(*Preparation) (*Prepared, error){
		"BUG: Prepare returned no kernel":                           func(*Preparation) (*Prepared, error) { return &Prepared{}, nil },
		"BUG: panic while the kernel is prepared: oh":               func(*Preparation) (*Prepared, error) { panic("oh") },
		"the kernel needs 9 bytes of scratch memory, more than the": func(*Preparation) (*Prepared, error) { return &Prepared{Kernel: copyBytes, ScratchBytes: 9}, nil },
		"the kernel needs -1 bytes of scratch memory":               func(*Preparation) (*Prepared, error) { return &Prepared{Kernel: copyBytes, ScratchBytes: -1}, nil },
	} {
		_, err := (&Op{Type: "Odd", Version: 1, Prepare: prepare}).PrepareKernel(&Preparation{}, 8)
		assert.ErrorContains(t, err, want)
	}
}

func TestPreparation_shapes(t *testing.T) {
	open := ir.Fact{Type: ir.F32, Shape: ir.ShapeOf(ir.AnyDim, ir.Dim(2))}
	static := ir.Fact{Type: ir.F32, Shape: ir.ShapeOf(ir.Dim(3), ir.Dim(2))}
	var in, out ir.Shape
	op := &Op{Type: "Odd", Version: 1, Prepare: func(p *Preparation) (*Prepared, error) {
		var err error
		in = p.InputShape(1)
		out, err = p.OutputShape(0)
		return &Prepared{Kernel: func(*Run) error { return nil }}, err
	}}
	_, err := op.PrepareKernel(&Preparation{Inputs: []ir.Fact{open, static}, Outputs: []ir.Fact{static, open}}, 0)
	require.EqualError(t, err, "shape [?,2] is not static")
	assert.Nil(t, in, "Prepare is not called")
	_, err = op.PrepareKernel(&Preparation{Inputs: []ir.Fact{static, static}, Outputs: []ir.Fact{static, open}}, 0)
	require.NoError(t, err)
	assert.Equal(t, ir.Shape{3, 2}, in)
	assert.Equal(t, ir.Shape{3, 2}, out)
	_, err = op.PrepareKernel(&Preparation{Inputs: []ir.Fact{static, static}, Outputs: []ir.Fact{open}}, 0)
	require.EqualError(t, err, "shape [?,2] is not static", "the data decides the shape")
}

// TestOp_Computes_outputs has layers with fewer output ports than the kernel writes.
func TestOp_Computes_outputs(t *testing.T) {
	op := Op{Type: "Two", Version: 1, Written: 2, Prepare: func(*Preparation) (*Prepared, error) { return nil, nil }}
	assert.EqualError(t, op.Computes(nil, make([]ir.Fact, 1)), "the layer has 1 outputs in the file, its kernel writes 2")
	assert.NoError(t, op.Computes(nil, make([]ir.Fact, 2)))
}
