package layered

import "sort"

// levels is a graph whose edges lead from a row to the next. Long edges are chains of vertices of
// their own: vertices from len(Graph.Nodes) on.
type levels struct {
	rows  [][]int32 // vertices from left to right
	up    [][]int32 // vertices in the row above that each vertex is connected to
	down  [][]int32
	place []int32   // of a vertex in its row
	row   []int32   // of a vertex
	width []float64 // of a vertex
	x     []float64 // middle of a vertex
	nodes int       // vertices below this number are nodes
	// chains has the first vertex of the chain of each edge, or 0 if it needs none; -1 if it is
	// direct.
	chains []int32
}

// bundle is the edges that leave a node at the same place. They share one chain.
type bundle struct {
	edges []int
	rows  int // rows that the longest edge crosses
	all   int // rows that all edges cross
}

func newLevels(g *Graph, ranks []int) *levels {
	l := &levels{nodes: len(g.Nodes), chains: make([]int32, len(g.Edges))}
	for v, r := range ranks {
		l.add(r, g.Nodes[v].Width)
	}
	for _, b := range routed(g, ranks, l.chains) {
		first := int32(len(l.row))
		from := g.Edges[b.edges[0]].From
		for k := range b.rows {
			v := l.add(ranks[from]+k+1, 0)
			if k > 0 {
				l.connect(v-1, v)
			} else {
				l.connect(int32(from), v)
			}
		}
		for _, e := range b.edges {
			above := int32(from)
			if crossed := ranks[g.Edges[e].To] - ranks[from] - 1; crossed > 0 {
				l.chains[e] = first
				above = first + int32(crossed) - 1
			}
			l.connect(above, int32(g.Edges[e].To))
		}
	}
	return l
}

// routed returns the bundles of g, the shortest first, up to the limit of bends. The edges of the
// others are marked as direct in chains, except for those between neighbouring rows.
func routed(g *Graph, ranks []int, chains []int32) []bundle {
	type leaving struct {
		from  int
		start float64
	}
	numbers := make(map[leaving]int)
	var bundles []bundle
	for e := range g.Edges {
		key := leaving{g.Edges[e].From, g.Edges[e].Start}
		n, ok := numbers[key]
		if !ok {
			n = len(bundles)
			numbers[key] = n
			bundles = append(bundles, bundle{})
		}
		bundles[n].edges = append(bundles[n].edges, e)
		crossed := ranks[g.Edges[e].To] - ranks[key.from] - 1
		bundles[n].rows, bundles[n].all = max(bundles[n].rows, crossed), bundles[n].all+crossed
	}
	sort.SliceStable(bundles, func(i, j int) bool { return bundles[i].rows < bundles[j].rows })
	left := bends + bendsPerNode*len(g.Nodes)
	for i := range bundles {
		// Each edge has points of its own, though it shares the vertices.
		if left -= bundles[i].rows + bundles[i].all/sharedRows; left >= 0 {
			continue
		}
		near := bundles[i].edges[:0]
		for _, e := range bundles[i].edges {
			if ranks[g.Edges[e].To]-ranks[g.Edges[e].From] == 1 {
				near = append(near, e)
			} else {
				chains[e] = -1
			}
		}
		bundles[i].edges, bundles[i].rows = near, 0
	}
	kept := bundles[:0]
	for _, b := range bundles {
		if len(b.edges) > 0 {
			kept = append(kept, b)
		}
	}
	return kept
}

// add adds a vertex at the end of a row.
func (l *levels) add(row int, width float64) int32 {
	v := int32(len(l.row))
	for len(l.rows) <= row {
		l.rows = append(l.rows, nil)
	}
	l.row, l.place, l.width = append(l.row, int32(row)), append(l.place, int32(len(l.rows[row]))), append(l.width, width)
	l.up, l.down = append(l.up, nil), append(l.down, nil)
	l.rows[row] = append(l.rows[row], v)
	return v
}

func (l *levels) connect(above, below int32) {
	l.down[above] = append(l.down[above], below)
	l.up[below] = append(l.up[below], above)
}

// isNode reports whether v is a node, not part of a long edge.
func (l *levels) isNode(v int32) bool { return int(v) < l.nodes }
