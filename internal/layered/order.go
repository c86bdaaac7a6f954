package layered

import (
	"context"
	"sort"
)

// sweeps is the number of times that all rows are ordered.
const sweeps = 12

// order orders the vertices of the rows so that few edges cross: each vertex is moved to the mean
// place of those above it, then to that of those below it, and so on. The best order is kept.
func (l *levels) order(ctx context.Context) error {
	l.start()
	best, least := l.copyRows(), l.crossings()
	for i, idle := 0, 0; i < sweeps && idle < 4 && least > 0; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i%2 == 0 {
			for r := 1; r < len(l.rows); r++ {
				l.sortRow(l.rows[r], l.up)
			}
		} else {
			for r := len(l.rows) - 2; r >= 0; r-- {
				l.sortRow(l.rows[r], l.down)
			}
		}
		idle++
		if n := l.crossings(); n < least {
			best, least, idle = l.copyRows(), n, 0
		}
	}
	l.rows = best
	for _, row := range l.rows {
		l.number(row)
	}
	return nil
}

// start orders the vertices as they are found along edges, so that what is connected is near to
// each other.
func (l *levels) start() {
	found := make([]bool, len(l.row))
	order := make([][]int32, len(l.rows))
	var stack []int32
	for _, row := range l.rows {
		for _, v := range row {
			for stack = append(stack, v); len(stack) > 0; {
				v := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if found[v] {
					continue
				}
				found[v] = true
				order[l.row[v]] = append(order[l.row[v]], v)
				for i := len(l.down[v]) - 1; i >= 0; i-- { // the first is found first
					if w := l.down[v][i]; !found[w] {
						stack = append(stack, w)
					}
				}
			}
		}
	}
	l.rows = order
	for _, row := range l.rows {
		l.number(row)
	}
}

func (l *levels) number(row []int32) {
	for i, v := range row {
		l.place[v] = int32(i)
	}
}

func (l *levels) copyRows() [][]int32 {
	rows := make([][]int32, len(l.rows))
	for i, row := range l.rows {
		rows[i] = append([]int32(nil), row...)
	}
	return rows
}

// meanSort sorts vertices by the mean place of what they are connected to.
type meanSort struct {
	vertices []int32
	means    []float64
}

func (s *meanSort) Len() int           { return len(s.vertices) }
func (s *meanSort) Less(i, j int) bool { return s.means[i] < s.means[j] }
func (s *meanSort) Swap(i, j int) {
	s.vertices[i], s.vertices[j] = s.vertices[j], s.vertices[i]
	s.means[i], s.means[j] = s.means[j], s.means[i]
}

// sortRow sorts the vertices of row that are connected to any. The others keep their places.
func (l *levels) sortRow(row []int32, connected [][]int32) {
	var s meanSort
	for _, v := range row {
		if len(connected[v]) == 0 {
			continue
		}
		sum := 0.0
		for _, w := range connected[v] {
			sum += float64(l.place[w])
		}
		s.vertices, s.means = append(s.vertices, v), append(s.means, sum/float64(len(connected[v])))
	}
	sort.Stable(&s)
	next := 0
	for i, v := range row {
		if len(connected[v]) > 0 {
			row[i] = s.vertices[next]
			next++
		}
	}
	l.number(row)
}

// crossings returns the number of pairs of edges that cross.
func (l *levels) crossings() int {
	total := 0
	for r, row := range l.rows[:max(len(l.rows)-1, 0)] {
		// tree is a Fenwick tree of the number of edges so far that end at each place.
		tree := make([]int, len(l.rows[r+1])+1)
		edges := 0
		for _, v := range row {
			for _, w := range l.down[v] {
				left := 0
				for i := int(l.place[w]) + 1; i > 0; i -= i & -i {
					left += tree[i]
				}
				total += edges - left
			}
			for _, w := range l.down[v] { // afterwards: edges of one vertex do not cross
				edges++
				for i := int(l.place[w]) + 1; i < len(tree); i += i & -i {
					tree[i]++
				}
			}
		}
	}
	return total
}
