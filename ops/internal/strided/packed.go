package strided

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
)

// bytes converts axes of elements of less than a byte to axes of bytes. It returns false unless
// the copy moves whole bytes.
func (c *Copier) bytes(t ir.ElementType, axes []axis) ([]axis, bool) {
	group, size := 1, 0
	for ; group <= 8; group *= 2 {
		if n, whole := t.RowBytes(group); whole {
			size = n
			break
		}
	}
	last := len(axes) - 1
	if size == 0 || last < 0 || axes[last].dst != 1 || axes[last].src != 1 || axes[last].n%group != 0 || c.dst%group != 0 || c.src%group != 0 {
		return nil, false
	}
	scaled := make([]axis, len(axes))
	for k, a := range axes[:last] {
		if a.dst%group != 0 || a.src%group != 0 {
			return nil, false
		}
		scaled[k] = axis{a.n, a.dst / group * size, a.src / group * size}
	}
	scaled[last] = axis{axes[last].n / group * size, 1, 1}
	c.dst, c.src = c.dst/group*size, c.src/group*size
	return scaled, true
}

func moveBytes(c *Copier, dst, src *ir.Tensor, lo, hi int) {
	move(c, dst.Bytes(), src.Bytes(), lo, hi)
}

// packed prepares c to move elements of less than a byte one by one. One thread moves all of
// them, because neighbouring elements share bytes.
func (c *Copier) packed(axes []axis) {
	c.Rows = 1
	for _, a := range axes {
		c.Rows *= a.n
	}
	c.row, c.outer, c.Grain = axis{1, 1, 1}, axes, max(c.Rows, 1)
	if last := len(axes) - 1; last >= 0 && c.Rows > 0 {
		c.row, c.outer = axes[last], axes[:last]
		c.Rows /= c.row.n
	}
}

// movePacked moves rows lo to hi-1 element by element. It ends early if stop is requested.
func (c *Copier) movePacked(stop parallel.Stop, dst, src *ir.Tensor, lo, hi int) {
	meter := stop.Meter()
	for row := lo; row < hi; row++ {
		d, s := c.at(row, c.outer)
		for range c.row.n {
			if meter.Spent(8) {
				return
			}
			dst.SetPacked(d, src.Packed(s))
			d, s = d+c.row.dst, s+c.row.src
		}
	}
}
