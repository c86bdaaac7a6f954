// Package pack makes what the micro-kernels of package tile multiply: panels of lines of a matrix,
// and elements that hold several numbers.
package pack

//go:generate go run ./_neon -out pack_arm64.s -stubs stubs_arm64.go -pkg pack

// Panels describes panels of lines. A line is a row of a or a column of b.
type Panels struct {
	// of src: elements from one line to the next, and from one element of a line to the next
	Line, Step int
	Width      int // lines of a panel
	Lines      int // that src has
	Depth      int // elements of a line
	Tile       int // depth of the tiles of AMX in panels of a, which divides Depth; 1 without them
}

// Pack writes panels lo to hi-1. For p below depth and l below width, it sets
//
//	dst[(panel*depth + p)*width + l] = src[(panel*width + l)*line + p*step]
//
// Lines beyond the given number are zeros. With tiles of AMX, the lines of each tile follow
// each other, as AMX has them in panels of a:
//
//	dst[panel*depth*width + p/tile*tile*width + l*tile + p%tile]
func Pack[E Element](dst, src []E, p *Panels, lo, hi int) {
	line, step, width, lines, depth, tile := p.Line, p.Step, p.Width, p.Lines, p.Depth, p.Tile
	for panel := lo; panel < hi; panel++ {
		out := dst[panel*depth*width:][:depth*width]
		first := panel * width
		count := min(width, lines-first)
		if count < width {
			clear(out)
		}
		switch {
		case tile > 1:
			packTiles(out, src[first*line:], line, step, width, count, depth, tile)
		case line == 1 && count == width && copyVectors(out, src[first:], step, width, depth):
		case line == 1:
			for p := range depth {
				copy(out[p*width:][:count], src[first+p*step:])
			}
		case step == 1:
			transpose(out, src[first*line:], line, width, count, depth)
		default:
			for l := range count {
				at := (first + l) * line
				for o := l; o < len(out); o += width {
					out[o] = src[at]
					at += step
				}
			}
		}
	}
}

// transpose sets out[p*width + l] = src[l*line + p] for l below count and p below depth. It uses
// assembly for as many lines and positions as possible.
func transpose[E Element](out, src []E, line, width, count, depth int) {
	lines, positions := transposeVectors(out, src, line, width, count, depth)
	if lines > 0 {
		transposeRest(out[positions*width:], src[positions:], line, width, 0, lines, depth-positions)
	}
	transposeRest(out, src, line, width, lines, count, depth)
}

// transposeRest is transpose for lines lo to hi-1, four at a time.
func transposeRest[E Element](out, src []E, line, width, lo, hi, depth int) {
	l := lo
	for ; l+4 <= hi; l += 4 {
		r0, r1 := src[l*line:][:depth], src[(l+1)*line:][:depth]
		r2, r3 := src[(l+2)*line:][:depth], src[(l+3)*line:][:depth]
		o := l
		for p := range r0 {
			quad := out[o : o+4 : o+4]
			quad[0], quad[1], quad[2], quad[3] = r0[p], r1[p], r2[p], r3[p]
			o += width
		}
	}
	for ; l < hi; l++ {
		o := l
		for _, v := range src[l*line:][:depth] {
			out[o] = v
			o += width
		}
	}
}

// packTiles writes count lines of a panel as pack does for AMX.
func packTiles[E Element](out, src []E, line, step, width, count, depth, tile int) {
	for p := 0; p < depth; p += tile {
		for l := range count {
			row, at := out[p*width+l*tile:][:tile], l*line+p*step
			if step == 1 {
				copy(row, src[at:])
				continue
			}
			for i := range row {
				row[i] = src[at]
				at += step
			}
		}
	}
}
