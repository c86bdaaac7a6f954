package main

import (
	"cmp"
	"os"
	"sort"
	"unicode/utf8"

	"golang.org/x/term"
)

// profileView selects the layers that profile prints.
type profileView struct {
	sort string // sortTime, sortType or "" for the order in which they run
	top  int    // 0 means all; without sort, the slowest
}

// The values of --sort.
const (
	sortTime = "time"
	sortType = "type"
)

// check checks the flags.
func (v *profileView) check() error {
	if v.sort != "" && v.sort != sortTime && v.sort != sortType {
		return usagef("--sort %s is none of time, type", v.sort)
	}
	if v.top < 0 {
		return usagef("--top %d is negative", v.top)
	}
	return nil
}

// apply sorts the layers of p and drops those after the first. The sums are of all layers.
func (v *profileView) apply(p *profile) {
	if v.sort != "" || v.top > 0 {
		place := make(map[string]int) // of a type, the slowest first
		for i, t := range p.Types {
			place[t.Type] = i
		}
		sort.SliceStable(p.Layers, func(i, j int) bool {
			a, b := p.Layers[i], p.Layers[j]
			if v.sort == sortType && a.Type != b.Type {
				return place[a.Type] < place[b.Type]
			}
			return a.MinUS > b.MinUS
		})
	}
	p.all = len(p.Layers)
	p.Layers = p.Layers[:min(cmp.Or(v.top, p.all), p.all)]
}

// minCell is the least width that the text of a cell is cut to.
const minCell = 8

// fit returns the number of characters that each cell with text can have, so that a line of the
// table of layers fits the terminal; maxCell if a is not connected to one.
func (p *profile) fit(a *app) int {
	file, ok := a.unbuffered.(*os.File)
	if !ok {
		return maxCell
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil || width <= 0 {
		return maxCell
	}
	return p.fitWidth(width)
}

// numbersWidth is the width of the columns with numbers, and of the gaps between all columns.
const numbersWidth = len("1234567.8  100.0%  GFLOP/s  12.34  ") + 4*len("  ")

// fitWidth is fit for a terminal of the given width.
func (p *profile) fitWidth(width int) int {
	var widest [5]int // of the columns with text
	for _, layer := range p.Layers {
		for k, text := range layer.cells(maxCell) {
			widest[k] = max(widest[k], utf8.RuneCountInString(text))
		}
	}
	numbers := numbersWidth
	if p.divided() {
		numbers += len("threads  longest  ")
	}
	for limit := maxCell; limit > minCell; limit-- {
		sum := numbers
		for _, w := range widest {
			sum += min(w, limit)
		}
		if sum <= width {
			return limit
		}
	}
	return minCell
}
