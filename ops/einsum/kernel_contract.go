package einsum

import (
	"errors"
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops"
)

// contract adds the steps that compute the output.
func (g *program) contract(p *ops.Preparation, q *problem) error {
	operands := slices.Clone(q.inputs)
	if len(operands) == 1 {
		g.walk(&q.output, &operands[0], nil)
		return nil
	}
	uses := make(map[int]int) // for each label, the number of operands and outputs that have it
	count := func(o *operand, n int) {
		for _, a := range o.axes {
			uses[a.label] += n
		}
	}
	count(&q.output, 1)
	for i := range operands {
		count(&operands[i], 1)
	}
	for i := range operands {
		o := &operands[i]
		kept := slices.DeleteFunc(slices.Clone(o.axes), func(a axis) bool { return uses[a.label] == 1 })
		if len(kept) == len(o.axes) {
			continue
		}
		sum, err := g.contiguous(kept)
		if err != nil {
			return err
		}
		g.walk(&sum, o, nil)
		*o = sum
	}
	for len(operands) > 1 {
		if p.Stop.Requested() {
			return parallel.ErrStopped
		}
		i, j := cheapest(operands)
		a, b := operands[i], operands[j]
		operands = slices.Delete(operands, j, j+1)
		if len(operands) == 1 {
			return g.multiply(&q.output, &a, &b)
		}
		count(&a, -1)
		count(&b, -1)
		c, err := g.contiguous(slices.DeleteFunc(union(&a, &b), func(x axis) bool { return uses[x.label] == 0 }))
		if err != nil {
			return err
		}
		count(&c, 1)
		if err := g.multiply(&c, &a, &b); err != nil {
			return err
		}
		operands[i] = c
	}
	return nil
}

// maxSearched is the number of operands up to which all pairs are compared.
const maxSearched = 16

// cheapest returns the pair of operands, i < j, whose product has the fewest multiplications.
func cheapest(operands []operand) (i, j int) {
	if len(operands) > maxSearched {
		return 0, 1
	}
	least := math.Inf(1)
	for y := range operands {
		for x := range y {
			work := 1.0
			for _, a := range union(&operands[x], &operands[y]) {
				work *= float64(a.n)
			}
			if work < least {
				least, i, j = work, x, y
			}
		}
	}
	if j == 0 {
		return 0, 1 // all products are infinite
	}
	return i, j
}

// union returns the axes of a matrix product: those of both operands, those of a only, and those
// of b only.
func union(a, b *operand) []axis {
	axes := make([]axis, 0, len(a.axes)+len(b.axes))
	for _, both := range []bool{true, false} {
		for _, x := range a.axes {
			if _, ok := b.find(x.label); ok == both {
				axes = append(axes, x)
			}
		}
	}
	for _, x := range b.axes {
		if _, ok := a.find(x.label); !ok {
			axes = append(axes, x)
		}
	}
	return axes
}

// contiguous returns a new operand in the scratch memory with the given axes.
func (g *program) contiguous(axes []axis) (operand, error) {
	lengths := make([]int, len(axes))
	for i, a := range axes {
		lengths[i] = a.n
	}
	buffer := g.temporary(lengths...)
	if g.scratch.Bytes() == math.MaxInt {
		return operand{}, errors.New("the products need more bytes of memory than fit an int")
	}
	o := operand{buffer, slices.Clone(axes)}
	n := 1
	for i := len(axes) - 1; i >= 0; i-- {
		o.axes[i].stride = n
		n *= axes[i].n
	}
	return o, nil
}

// copied returns a contiguous copy of o with the labels in the order of the groups.
func (g *program) copied(o *operand, groups ...[]loop) (operand, error) {
	var axes []axis
	for _, group := range groups {
		for _, l := range group {
			axes = append(axes, axis{label: l.label, n: l.n})
		}
	}
	c, err := g.contiguous(axes)
	if err == nil {
		g.walk(&c, o, nil)
	}
	return c, err
}
