package layertest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// CheckStore compares a layer of float32 outputs [N, C, spatial axes] that stores levels with the
// levels of the outputs of the same layer: with and without other stages before, for all elements
// and for each channel. An output in the middle of two levels may become either.
func CheckStore(t testing.TB, op *ops.Op, attributes Attributes, threads int, inputs ...*ir.Tensor) {
	t.Helper()
	require.True(t, op.Fusion.Stores)
	out, err := Run(op, attributes, threads, inputs...)
	require.NoError(t, err)
	shape, all := out.Shape(), ir.Data[float32](out)
	most := float32(1)
	for _, v := range all {
		most = max(most, v, -v)
	}
	clamp := ops.Stage{Apply: func(_ *ops.Run, x []float32, _ int) {
		for i, v := range x {
			x[i] = min(max(v, -most/2), most)
		}
	}, Clamp: true, Lo: -most / 2, Hi: most}
	hswish := ops.Stage{Apply: func(_ *ops.Run, x []float32, _ int) {
		for i, v := range x {
			x[i] = v * float32(min(max(v+3, 0), 6)*float32(1./6))
		}
	}, HSwish: true}
	prelu := ops.Stage{Slope: make([]float32, shape[1]), Inner: shape[2:].Elements()}
	for i := range prelu.Slope {
		prelu.Slope[i] = float32(i%5)/8 - 0.125
	}
	prelu.Apply = func(_ *ops.Run, x []float32, at int) {
		for i, v := range x {
			if v < 0 {
				x[i] = v * prelu.Slope[(at+i)/prelu.Inner%len(prelu.Slope)]
			}
		}
	}
	other := ops.Stage{Apply: func(_ *ops.Run, x []float32, at int) {
		for i := range x {
			x[i] += float32((at+i)%5) * most / 5
		}
	}}
	scalar := &ops.Levels{Scale: []float32{100 / most}, Shift: []float32{100}, Inner: 1, Max: 255}
	channels := &ops.Levels{Inner: shape[2:].Elements(), Max: 200}
	for i := range shape[1] {
		channels.Scale, channels.Shift = append(channels.Scale, float32(80+i)/most), append(channels.Shift, float32(90-i))
	}
	for i, stages := range [][]ops.Stage{{}, {clamp}, {hswish}, {prelu}, {other}, {other, clamp}} {
		for _, levels := range []*ops.Levels{scalar, channels} {
			checkStore(t, op, attributes, threads, inputs, stages, levels, all, i)
		}
	}
}

func checkStore(t testing.TB, op *ops.Op, attributes Attributes, threads int, inputs []*ir.Tensor, stages []ops.Stage, levels *ops.Levels, all []float32, number int) {
	t.Helper()
	level := func(x float32, i int) float64 {
		c := i / levels.Inner % len(levels.Scale)
		return min(max(float64(x)*float64(levels.Scale[c])+float64(levels.Shift[c]), 0), float64(levels.Max))
	}
	store := ops.Stage{Levels: levels, Store: func(r *ops.Run, x []float32, at int) {
		for i, v := range x {
			ir.Data[uint8](r.Outputs[0])[at+i] = uint8(math.RoundToEven(level(v, at+i)))
		}
	}}
	kernel, r, err := prepareStages(op, attributes, threads, 1, inputs, append(stages[:len(stages):len(stages)], store))
	require.NoError(t, err)
	defer r.Pool.Close()
	r.Outputs[0], err = newOutput(ir.U8, r.Outputs[0].Shape())
	require.NoError(t, err)
	require.NoError(t, kernel(r))
	want := append([]float32(nil), all...)
	if apply := ops.Compose(stages); apply != nil {
		apply(r, want, 0)
	}
	for i, got := range ir.Data[uint8](r.Outputs[0]) {
		require.InDelta(t, level(want[i], i), got, 0.501, "element %d, stages %d", i, number)
	}
}
