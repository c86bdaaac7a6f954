package layered

import (
	"context"
	"math"
	"sort"
)

// assign computes the x coordinates: the mean of the middle two of four alignments, each of which
// prefers one of the directions up and down, and one of left and right. Since the vertices of a row
// are apart in all four, they are apart in the result.
func (l *levels) assign(ctx context.Context) error {
	for v := range l.row {
		sort.Sort(byPlace{l.up[v], l.place})
		sort.Sort(byPlace{l.down[v], l.place})
	}
	conflicts := l.conflicts()
	var all [4][]float64
	narrowest, least := 0, math.Inf(1)
	for i := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		a := alignment{l, conflicts, i&1 != 0, i&2 != 0}
		all[i] = a.coordinates()
		if low, high := l.extent(all[i]); high-low < least {
			narrowest, least = i, high-low
		}
	}
	low, high := l.extent(all[narrowest])
	for i := range all {
		from, to := l.extent(all[i])
		shift := low - from
		if i&2 != 0 {
			shift = high - to
		}
		for v := range all[i] {
			all[i][v] += shift
		}
	}
	l.x = make([]float64, len(l.row))
	for v := range l.x {
		a, b, c, d := all[0][v], all[1][v], all[2][v], all[3][v]
		// the middle two, in any order
		low, high := min(max(a, b), max(c, d)), max(min(a, b), min(c, d))
		l.x[v] = (low + high) / 2
	}
	return nil
}

// byPlace sorts vertices of a row from left to right.
type byPlace struct{ vertices, place []int32 }

func (s byPlace) Len() int           { return len(s.vertices) }
func (s byPlace) Less(i, j int) bool { return s.place[s.vertices[i]] < s.place[s.vertices[j]] }
func (s byPlace) Swap(i, j int)      { s.vertices[i], s.vertices[j] = s.vertices[j], s.vertices[i] }

// extent returns the left and right ends of all vertices.
func (l *levels) extent(x []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for v, at := range x {
		low, high = min(low, at-l.width[v]/2), max(high, at+l.width[v]/2)
	}
	return low, high
}

// distance returns the least distance between the middles of neighbours in a row.
func (l *levels) distance(v, w int32) float64 {
	gap := 0.0
	for _, u := range [2]int32{v, w} {
		if l.isNode(u) {
			gap += l.width[u]/2 + nodeGap/2
		} else {
			gap += lineGap
		}
	}
	return gap
}

// link is two connected vertices.
type link struct{ above, below int32 }

// conflicts returns the links that cross a part of a long edge, which is to be straight.
func (l *levels) conflicts() map[link]bool {
	found := make(map[link]bool)
	for r := 1; r < len(l.rows); r++ {
		row := l.rows[r]
		left, from := int32(0), 0
		for i, v := range row {
			inner := l.inner(v)
			if inner < 0 && i < len(row)-1 {
				continue
			}
			right := int32(len(l.rows[r-1]))
			if inner >= 0 {
				right = l.place[inner]
			}
			for ; from <= i; from++ {
				for _, u := range l.up[row[from]] {
					if p := l.place[u]; (p < left || p > right) && l.inner(row[from]) != u {
						found[link{u, row[from]}] = true
					}
				}
			}
			left = right
		}
	}
	return found
}

// inner returns the vertex above v if both are parts of one long edge; otherwise -1.
func (l *levels) inner(v int32) int32 {
	if !l.isNode(v) && !l.isNode(l.up[v][0]) {
		return l.up[v][0]
	}
	return -1
}

// alignment puts each vertex into one column with the middle one of those above it, as far as the
// columns do not cross, and moves the columns as far to the left as they can be.
type alignment struct {
	*levels
	conflicts map[link]bool
	upwards   bool // align with those below instead, from the last row to the first
	mirrored  bool // from right to left
}

// coordinates returns the middles of all vertices.
func (a *alignment) coordinates() []float64 {
	columns := a.columns()
	x := a.compact(columns)
	for v := range x {
		x[v] = x[columns[v]]
	}
	if a.mirrored {
		for v := range x {
			x[v] = -x[v]
		}
	}
	return x
}

// columns returns the first vertex of the column of each vertex.
func (a *alignment) columns() []int32 {
	first := make([]int32, len(a.row))
	taken := make([]bool, len(a.row)) // has one after it in its column
	for v := range first {
		first[v] = int32(v)
	}
	for i := range a.rows {
		r, connected := i, a.up
		if a.upwards {
			r, connected = len(a.rows)-1-i, a.down
		}
		// place in the row before of the last column that continues here
		last := int32(math.MinInt32)
		for v := range a.across(a.rows[r]) {
			near := connected[v]
			for k := (len(near) - 1) / 2; k <= len(near)/2 && k < len(near); k++ {
				w := near[k]
				place := a.place[w]
				if a.mirrored {
					w = near[len(near)-1-k]
					place = -a.place[w]
				}
				if place <= last || taken[w] || a.conflict(v, w) {
					continue
				}
				taken[w], first[v], last = true, first[w], place
				break
			}
		}
	}
	return first
}

func (a *alignment) conflict(v, w int32) bool {
	if a.upwards {
		v, w = w, v
	}
	return a.conflicts[link{w, v}]
}

// across yields the vertices of a row in the direction of a.
func (a *alignment) across(row []int32) func(func(int32) bool) {
	return func(yield func(int32) bool) {
		for i := range row {
			if a.mirrored {
				i = len(row) - 1 - i
			}
			if !yield(row[i]) {
				return
			}
		}
	}
}

// neighbour is a column to the right of another.
type neighbour struct {
	column   int32
	distance float64
}

// compact returns the coordinates of the first vertex of each column: as far to the left as its
// neighbours allow, then as far to the right as those do, so that columns without a neighbour on
// the left are near to the others.
func (a *alignment) compact(columns []int32) []float64 {
	right := make([][]neighbour, len(columns))
	missing := make([]int32, len(columns)) // neighbours on the left without a coordinate
	for _, row := range a.rows {
		previous := int32(-1)
		for v := range a.across(row) {
			if previous >= 0 {
				from, to := columns[previous], columns[v]
				right[from] = append(right[from], neighbour{to, a.distance(previous, v)})
				missing[to]++
			}
			previous = v
		}
	}
	x := make([]float64, len(columns))
	var order []int32
	for v, c := range columns {
		if int32(v) == c && missing[c] == 0 {
			order = append(order, c)
		}
	}
	for i := 0; i < len(order); i++ {
		c := order[i]
		for _, n := range right[c] {
			x[n.column] = max(x[n.column], x[c]+n.distance)
			if missing[n.column]--; missing[n.column] == 0 {
				order = append(order, n.column)
			}
		}
	}
	for i := len(order) - 1; i >= 0; i-- {
		c := order[i]
		limit := math.Inf(1)
		for _, n := range right[c] {
			limit = min(limit, x[n.column]-n.distance)
		}
		if !math.IsInf(limit, 1) {
			x[c] = max(x[c], limit)
		}
	}
	return x
}
