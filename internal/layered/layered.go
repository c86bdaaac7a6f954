// Package layered draws directed graphs without cycles by Sugiyama's method: each node is in a row
// below the nodes that it reads, the nodes of a row are ordered so that few edges cross, and
// long edges are straight columns between the nodes.
//
// The method is described in K. Sugiyama, S. Tagawa, M. Toda: Methods for Visual Understanding of
// Hierarchical System Structures, IEEE Transactions on Systems, Man, and Cybernetics, 1981. The
// coordinates are those of U. Brandes, B. Köpf: Fast and Simple Horizontal Coordinate Assignment,
// Graph Drawing 2001.
package layered

import (
	"context"

	"github.com/vinoir/vinoir/internal/faults"
)

// Graph is what Draw draws.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// Node is a box.
type Node struct{ Width, Height float64 }

// Edge goes from the bottom of node From to the top of node To. Start is the place where it leaves
// the node, relative to the middle of the bottom. Edges with the same From and Start share a line
// up to where they part.
type Edge struct {
	From, To int
	Start    float64
}

// Point is a place in a Drawing. Y grows downwards.
type Point struct{ X, Y float64 }

// Drawing has the places of all nodes and edges. They are in a rectangle from 0,0 to Width,Height.
type Drawing struct {
	Width, Height float64
	// Nodes has the upper left corner of each node. Nodes are at least nodeGap apart.
	Nodes []Point
	// Edges has the points of each edge, from top to bottom. A line through them, and each curve
	// between two of them that is within their rectangle, touches no node but its own, unless the
	// edge is Direct.
	Edges [][]Point
	// Direct reports whether an edge is a straight line across whatever is between its nodes,
	// because the graph has too many long edges to route all of them.
	Direct []bool
}

const (
	nodeGap = 26 // between nodes of a row
	lineGap = 9  // beside the columns of long edges
	rowGap  = 52 // between rows
)

// The limits on a graph. bends limits the number of rows that all routed edges together cross,
// where those that share a line count once, and 1/sharedRows for each of them.
const (
	maxNodes     = 1 << 18
	maxEdges     = 1 << 20
	bends        = 1 << 14
	bendsPerNode = 16
	sharedRows   = 32
)

// Draw lays out g. The result depends on nothing but g. The time is about proportional to the
// number of nodes, edges and rows that edges cross. It returns an error if g is too large or has a
// cycle, and that of ctx if it ends.
func Draw(ctx context.Context, g Graph) (*Drawing, error) {
	if len(g.Nodes) > maxNodes || len(g.Edges) > maxEdges {
		return nil, faults.Errorf("%d nodes and %d edges are more than the %d and %d that can be drawn", len(g.Nodes), len(g.Edges), maxNodes, maxEdges)
	}
	for _, e := range g.Edges {
		if e.From < 0 || e.To < 0 || e.From >= len(g.Nodes) || e.To >= len(g.Nodes) {
			return nil, faults.Errorf("an edge from node %d to %d, there are %d nodes", e.From, e.To, len(g.Nodes))
		}
	}
	ranks, err := rank(&g)
	if err != nil {
		return nil, err
	}
	l := newLevels(&g, ranks)
	if err := l.order(ctx); err != nil {
		return nil, err
	}
	if err := l.assign(ctx); err != nil {
		return nil, err
	}
	return l.drawing(&g), nil
}
