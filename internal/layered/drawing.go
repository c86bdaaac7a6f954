package layered

import (
	"math"
	"sort"
)

// drawing returns the places of the nodes of g and the points of its edges.
func (l *levels) drawing(g *Graph) *Drawing {
	d := &Drawing{Nodes: make([]Point, len(g.Nodes)), Edges: make([][]Point, len(g.Edges)), Direct: make([]bool, len(g.Edges))}
	if len(g.Nodes) == 0 {
		return d
	}
	low, high := l.extent(l.x)
	low, d.Width = math.Floor(low), math.Ceil(high-math.Floor(low))
	top, bottom := make([]float64, len(l.rows)), make([]float64, len(l.rows))
	y := 0.0
	for r, row := range l.rows {
		height := 0.0
		for _, v := range row {
			if l.isNode(v) {
				height = max(height, g.Nodes[v].Height)
			}
		}
		top[r], bottom[r] = y, y+height
		y += height + rowGap
	}
	d.Height = y - rowGap
	for v := range l.x {
		l.x[v] = math.Round(l.x[v] - low)
	}
	for v, n := range g.Nodes {
		d.Nodes[v] = Point{l.x[v] - n.Width/2, top[l.row[v]]}
	}
	ends := l.ends(g)
	var scratch []Point
	for i, e := range g.Edges {
		from, to := l.row[e.From], l.row[e.To]
		x := l.x[e.From] + e.Start
		points := append(scratch[:0], Point{x, top[from] + g.Nodes[e.From].Height})
		if d.Direct[i] = l.chains[i] < 0; !d.Direct[i] {
			points = append(points, Point{x, bottom[from]})
			for k := range to - from - 1 {
				v, r := l.chains[i]+k, from+1+k
				points = append(points, Point{l.x[v], top[r]}, Point{l.x[v], bottom[r]})
			}
		}
		scratch = append(points, Point{ends[i], top[to]})
		d.Edges[i] = append([]Point(nil), straighten(scratch)...)
	}
	return d
}

// ends returns the x coordinate at which each edge enters its node: spread along the middle of its
// top, in the order of the places that the edges come from.
func (l *levels) ends(g *Graph) []float64 {
	entering := make([][]int, len(g.Nodes))
	from := make([]float64, len(g.Edges))
	for i, e := range g.Edges {
		entering[e.To] = append(entering[e.To], i)
		from[i] = l.x[e.From] + e.Start
		if crossed := l.row[e.To] - l.row[e.From] - 1; crossed > 0 && l.chains[i] >= 0 {
			from[i] = l.x[l.chains[i]+crossed-1]
		}
	}
	ends := make([]float64, len(g.Edges))
	for v, edges := range entering {
		sort.SliceStable(edges, func(i, j int) bool { return from[edges[i]] < from[edges[j]] })
		step := min(g.Nodes[v].Width/float64(len(edges)+1), 24)
		for k, e := range edges {
			ends[e] = l.x[v] + step*(float64(k)-float64(len(edges)-1)/2)
		}
	}
	return ends
}

// straighten leaves out points between others on a vertical line, and those that repeat the one
// before.
func straighten(points []Point) []Point {
	kept := points[:1]
	for _, p := range points[1:] {
		n := len(kept)
		if p == kept[n-1] {
			continue
		}
		if n > 1 && kept[n-2].X == p.X && kept[n-1].X == p.X {
			kept[n-1] = p
		} else {
			kept = append(kept, p)
		}
	}
	return kept
}
