package layered

import "github.com/vinoir/vinoir/internal/faults"

// rank returns the row of each node: below all nodes that it reads, and as near to them as
// possible. Nodes that read nothing are just above their first reader.
func rank(g *Graph) ([]int, error) {
	readers := make([][]int, len(g.Nodes))
	missing := make([]int, len(g.Nodes)) // inputs that have no row yet
	for _, e := range g.Edges {
		readers[e.From] = append(readers[e.From], e.To)
		missing[e.To]++
	}
	var ready []int
	reads := make([]bool, len(g.Nodes))
	for v, n := range missing {
		reads[v] = n > 0
		if n == 0 {
			ready = append(ready, v)
		}
	}
	ranks := make([]int, len(g.Nodes))
	for i := 0; i < len(ready); i++ {
		v := ready[i]
		for _, w := range readers[v] {
			ranks[w] = max(ranks[w], ranks[v]+1)
			if missing[w]--; missing[w] == 0 {
				ready = append(ready, w)
			}
		}
	}
	if len(ready) < len(g.Nodes) {
		return nil, faults.Errorf("%d nodes are on a cycle or below one", len(g.Nodes)-len(ready))
	}
	for v := range g.Nodes {
		if reads[v] || len(readers[v]) == 0 {
			continue
		}
		first := ranks[readers[v][0]]
		for _, w := range readers[v] {
			first = min(first, ranks[w])
		}
		ranks[v] = first - 1
	}
	return ranks, nil
}
