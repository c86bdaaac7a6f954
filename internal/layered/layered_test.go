package layered_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/layered"
)

// check checks what Draw promises about a drawing of g.
func check(t *testing.T, g layered.Graph, d *layered.Drawing) {
	t.Helper()
	require.Len(t, d.Nodes, len(g.Nodes))
	require.Len(t, d.Edges, len(g.Edges))
	const least = 25 // nodeGap and the rounding of coordinates
	for i, p := range d.Nodes {
		assert.True(t, p.X >= -1 && p.Y >= 0 && p.X+g.Nodes[i].Width <= d.Width+1 && p.Y+g.Nodes[i].Height <= d.Height, "node %d at %v is in %v x %v", i, p, d.Width, d.Height)
		for j, q := range d.Nodes[:i] {
			apart := p.X+g.Nodes[i].Width+least <= q.X || q.X+g.Nodes[j].Width+least <= p.X || p.Y+g.Nodes[i].Height+least <= q.Y || q.Y+g.Nodes[j].Height+least <= p.Y
			assert.True(t, apart, "nodes %d at %v and %d at %v", i, p, j, q)
		}
	}
	for i, e := range g.Edges {
		points := d.Edges[i]
		from, to := d.Nodes[e.From], d.Nodes[e.To]
		first, last := points[0], points[len(points)-1]
		assert.Equal(t, from.Y+g.Nodes[e.From].Height, first.Y, "edge %d leaves its node at the bottom", i)
		assert.Equal(t, to.Y, last.Y, "edge %d enters its node at the top", i)
		assert.True(t, last.X >= to.X && last.X <= to.X+g.Nodes[e.To].Width)
		for k := 1; k < len(points); k++ {
			a, b := points[k-1], points[k]
			assert.Less(t, a.Y, b.Y, "edge %d goes down", i)
			if d.Direct[i] {
				continue
			}
			for v, p := range d.Nodes {
				if v != e.From && v != e.To {
					touches := max(a.X, b.X) > p.X && min(a.X, b.X) < p.X+g.Nodes[v].Width && b.Y > p.Y && a.Y < p.Y+g.Nodes[v].Height
					assert.False(t, touches, "edge %d from %v to %v touches node %d at %v", i, a, b, v, p)
				}
			}
		}
	}
}

// random returns a graph of n nodes and up to edges edges.
func random(r *rand.Rand, n, edges int) layered.Graph {
	var g layered.Graph
	for range n {
		g.Nodes = append(g.Nodes, layered.Node{Width: 20 + float64(r.IntN(200)), Height: 10 + float64(r.IntN(60))})
	}
	for range edges {
		if from, to := r.IntN(n), r.IntN(n); from < to {
			g.Edges = append(g.Edges, layered.Edge{From: from, To: to, Start: float64(r.IntN(2) * 8)})
		}
	}
	return g
}

func TestDraw(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := random(r, 1+r.IntN(40), r.IntN(90))
		d, err := layered.Draw(t.Context(), g)
		require.NoError(t, err)
		check(t, g, d)
		again, err := layered.Draw(t.Context(), g)
		require.NoError(t, err)
		assert.Equal(t, d, again, "the same graph is drawn in the same way")
	}
}

// TestDraw_chain draws a chain with an edge past it: the chain and the edge are straight.
func TestDraw_chain(t *testing.T) {
	var g layered.Graph
	for i := range 6 {
		g.Nodes = append(g.Nodes, layered.Node{Width: 50, Height: 20})
		if i > 0 {
			g.Edges = append(g.Edges, layered.Edge{From: i - 1, To: i})
		}
	}
	g.Edges = append(g.Edges, layered.Edge{From: 0, To: 5})
	d, err := layered.Draw(t.Context(), g)
	require.NoError(t, err)
	check(t, g, d)
	for i := 2; i < 5; i++ {
		assert.Equal(t, d.Nodes[1].X, d.Nodes[i].X)
	}
	assert.LessOrEqual(t, len(d.Edges[5]), 4, "%v", d.Edges[5])
}

func TestDraw_refuses(t *testing.T) {
	box := layered.Node{Width: 1, Height: 1}
	for _, tt := range []struct {
		graph layered.Graph
		want  string
	}{
		{layered.Graph{Nodes: []layered.Node{box, box}, Edges: []layered.Edge{{From: 0, To: 1}, {From: 1, To: 0}}}, "2 nodes are on a cycle or below one"},
		{layered.Graph{Nodes: []layered.Node{box}, Edges: []layered.Edge{{From: 0, To: 1}}}, "an edge from node 0 to 1, there are 1 nodes"},
		{layered.Graph{Nodes: make([]layered.Node, 1<<18+1)}, "262145 nodes and 0 edges are more than the 262144 and 1048576 that can be drawn"},
	} {
		_, err := layered.Draw(t.Context(), tt.graph)
		assert.EqualError(t, err, tt.want)
	}
	d, err := layered.Draw(t.Context(), layered.Graph{})
	require.NoError(t, err)
	assert.Empty(t, d.Nodes)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = layered.Draw(ctx, random(rand.New(rand.NewPCG(1, 1)), 30, 90))
	assert.ErrorIs(t, err, context.Canceled)
}

// TestDraw_longEdges has more rows that edges cross than are routed.
func TestDraw_longEdges(t *testing.T) {
	var g layered.Graph
	const n = 1000
	for i := range n {
		g.Nodes = append(g.Nodes, layered.Node{Width: 50, Height: 20})
		if i > 0 {
			g.Edges = append(g.Edges, layered.Edge{From: i - 1, To: i})
		}
	}
	for i := range n - 2 {
		g.Edges = append(g.Edges, layered.Edge{From: i, To: n - 1, Start: 3})
	}
	d, err := layered.Draw(t.Context(), g)
	require.NoError(t, err)
	direct := 0
	for _, is := range d.Direct {
		if is {
			direct++
		}
	}
	assert.Greater(t, direct, n/2)
	assert.Less(t, direct, n)
	assert.True(t, d.Direct[n-1], "the longest")
	assert.False(t, d.Direct[2*n-4], "the shortest")
}

// TestDraw_shared has very many long edges that share one line.
func TestDraw_shared(t *testing.T) {
	var g layered.Graph
	const n = 20_000
	for i := range n {
		g.Nodes = append(g.Nodes, layered.Node{Width: 50, Height: 20})
		if i > 0 {
			g.Edges = append(g.Edges, layered.Edge{From: i - 1, To: i}, layered.Edge{From: 0, To: i, Start: 3})
		}
	}
	d, err := layered.Draw(t.Context(), g)
	require.NoError(t, err)
	points := 0
	for _, edge := range d.Edges {
		points += len(edge)
	}
	assert.Less(t, points, 10*n)
	assert.True(t, d.Direct[len(d.Direct)-1])
}

func FuzzDraw(f *testing.F) {
	f.Add(uint64(1), uint8(20), uint8(40))
	f.Fuzz(func(t *testing.T, seed uint64, nodes, edges uint8) {
		g := random(rand.New(rand.NewPCG(seed, 2)), int(nodes)+1, int(edges))
		d, err := layered.Draw(t.Context(), g)
		require.NoError(t, err)
		check(t, g, d)
	})
}

// BenchmarkDraw draws a graph with about the shape of a network of many thousand layers.
func BenchmarkDraw(b *testing.B) {
	var g layered.Graph
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 10_000 {
		g.Nodes = append(g.Nodes, layered.Node{Width: 120, Height: 40})
		if i == 0 {
			continue
		}
		g.Edges = append(g.Edges, layered.Edge{From: max(i-1-r.IntN(3), 0), To: i})
		if r.IntN(3) == 0 {
			g.Edges = append(g.Edges, layered.Edge{From: max(i-2-r.IntN(60), 0), To: i})
		}
	}
	for b.Loop() {
		if _, err := layered.Draw(b.Context(), g); err != nil {
			b.Fatal(err)
		}
	}
}
