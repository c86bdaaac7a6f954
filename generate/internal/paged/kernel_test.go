package paged

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// text has the keys and values of a text, of each position and head.
type text struct {
	blocks       []int32
	keys, values [][][]float32
}

// reference returns the attention of a row of query to the first n positions, from the first that
// the window has.
func (x *text) reference(query []float32, head, group, n int, at attributes, width int) []float64 {
	first := 0
	if at.window > 0 {
		first = max(n-at.window, 0)
	}
	out, sum := make([]float64, width), 0.0
	h := head*at.groups + group
	if len(at.sinks) > 0 {
		sum = math.Exp(float64(at.sinks[h]))
	}
	for p := first; p < n; p++ {
		score := 0.0
		for i, q := range query {
			score += float64(q) * float64(x.keys[p][head][i]) * float64(at.scale)
		}
		if len(at.slopes) > 0 {
			score -= float64(at.slopes[h]) * float64(n-1-p)
		}
		w := math.Exp(score)
		sum += w
		for i, v := range x.values[p][head] {
			out[i] += w * float64(v)
		}
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

func random(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// TestAttention compares steps of several texts with the definition, in all types of storage.
func TestAttention(t *testing.T) {
	for _, c := range []struct {
		kept           ir.ElementType
		groups, window int
		tolerance      float64
		slopes, sinks  []float32
	}{
		{ir.F32, 1, 0, 1e-5, nil, nil}, {ir.F32, 3, 0, 1e-5, nil, nil}, {ir.F32, 2, 40, 1e-5, nil, nil}, {ir.F16, 2, 0, 1e-2, nil, nil},
		{ir.BF16, 1, 7, 5e-2, nil, nil}, {ir.U8, 4, 0, 5e-2, nil, nil},
		{ir.F32, 2, 0, 1e-5, []float32{0.5, 0.25, 0.01, 0}, nil}, {ir.F32, 1, 40, 1e-5, []float32{0.25, 0.125}, []float32{2, -100}},
		{ir.F32, 1, 0, 1e-5, nil, []float32{1, 1000}},
	} {
		t.Run(fmt.Sprint(c.kept, " groups ", c.groups, " window ", c.window, c.slopes, c.sinks), func(t *testing.T) {
			const threads = 5
			pool := parallel.New(threads)
			defer pool.Close()
			rng := rand.New(rand.NewPCG(1, 2))
			layers := []Layer{{1, 3, 5}, {Heads: 2, KeyWidth: 16, ValueWidth: 12}}
			s, err := NewStore(layers, c.kept, 1<<20)
			require.NoError(t, err)
			at, l := attributes{layer: 1, groups: c.groups, window: c.window, scale: 0.3, slopes: c.slopes, sinks: c.sinks}, layers[1]
			texts, next := make([]*text, 3), int32(0)
			for i := range texts {
				texts[i] = &text{}
			}
			for _, lengths := range [][]int{{1, 0, 70}, {300, 1, 1}, {1, 1, 1}, {5, 40, 2}, {1, 0, 0}, {0, 3, 0}} {
				var runs []Run
				rows := 2 // that belong to no text
				for i, n := range lengths {
					x := texts[i]
					if n == 0 {
						continue
					}
					for len(x.blocks)*BlockTokens < len(x.keys)+n {
						x.blocks = append(x.blocks, next)
						next++
					}
					runs = append(runs, Run{Blocks: x.blocks, First: len(x.keys), Rows: n})
					rows += n
				}
				shapes := [][]int{{1, l.Heads * c.groups, rows, l.KeyWidth}, {1, l.Heads, rows, l.KeyWidth}, {1, l.Heads, rows, l.ValueWidth}, {1, l.Heads * c.groups, rows, l.ValueWidth}}
				var tensors []*ir.Tensor
				p := ops.Preparation{Attributes: at, Threads: threads}
				for _, shape := range shapes {
					tensor, err := ir.TensorFrom(random(rng, ir.Shape(shape).Elements()), shape...)
					require.NoError(t, err)
					tensors = append(tensors, tensor)
					p.Inputs = append(p.Inputs, ir.Fact{Type: ir.F32, Shape: ir.StaticShape(shape...)})
				}
				row := 0
				for i, n := range lengths {
					for k := range n {
						part := func(port, width int) [][]float32 {
							var heads [][]float32
							for h := range l.Heads {
								heads = append(heads, ir.Data[float32](tensors[port])[(h*rows+row+k)*width:][:width])
							}
							return heads
						}
						texts[i].keys = append(texts[i].keys, part(key, l.KeyWidth))
						texts[i].values = append(texts[i].values, part(value, l.ValueWidth))
					}
					row += n
				}
				prepared, err := s.prepare(&p)
				require.NoError(t, err)
				s.Begin(runs)
				require.NoError(t, prepared.Kernel(&ops.Run{Inputs: tensors[:3], Outputs: tensors[3:], Scratch: ir.AlignedBytes(prepared.ScratchBytes), Pool: pool}))
				row = 0
				for i, n := range lengths {
					for k := range n {
						for h := range l.Heads * c.groups {
							q := ir.Data[float32](tensors[query])[(h*rows+row+k)*l.KeyWidth:][:l.KeyWidth]
							want := texts[i].reference(q, h/c.groups, h%c.groups, len(texts[i].keys)-n+k+1, at, l.ValueWidth)
							got := ir.Data[float32](tensors[3])[(h*rows+row+k)*l.ValueWidth:][:l.ValueWidth]
							for j := range want {
								require.InDelta(t, want[j], got[j], c.tolerance, "lengths %v, text %d, row %d, head %d", lengths, i, k, h)
							}
						}
					}
					row += n
				}
				for h := range l.Heads * c.groups {
					assert.Equal(t, make([]float32, 2*l.ValueWidth), ir.Data[float32](tensors[3])[(h*rows+row)*l.ValueWidth:][:2*l.ValueWidth], "rows of no text")
				}
			}
		})
	}
}
