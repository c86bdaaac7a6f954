package experimentaldetectronpriorgridgenerator

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// rows computes float32 with vector code: a row of points is a row that all have in common, the
// priors moved along x, plus the numbers 0, y, 0, y, ...
type rows struct {
	*kernel
	add   func(out, a, b []float32, n, aStep, bStep int)
	row   int // the number of elements of a row of points
	chunk int // the number of elements of 0, y, 0, y, ... in memory
	part  ops.Part
	// common has the row that all rows have in common, ys the chunk of each row.
	common, ys ops.Area[float32]
}

const (
	// chunkLength is the number of elements from which on vector code is fast. It is even.
	chunkLength = 128
	// pieceLength is the number of elements between two checks of the Stop, a multiple of
	// chunkLength.
	pieceLength = 1 << 16
)

// prepareRows returns the kernel that computes rows with add. There is at least one prior and one
// column.
func prepareRows(k *kernel, add func(out, a, b []float32, n, aStep, bStep int)) (*ops.Prepared, error) {
	s := &rows{kernel: k, add: add, row: 4 * k.priors * k.width}
	s.chunk = min(s.row, chunkLength)
	var scratch ops.Scratch
	s.common, s.ys = ops.AreaOf[float32](&scratch, s.row), ops.AreaOf[float32](&scratch, k.height, s.chunk)
	s.part = s.write
	return &ops.Prepared{Kernel: s.run, ScratchBytes: scratch.Bytes()}, nil
}

func (s *rows) run(r *ops.Run) error {
	priors := ir.Data[float32](r.Inputs[0])
	common, ys, meter := s.common.In(r), s.ys.In(r), r.Stop.Meter()
	for w := range s.width {
		x64, _ := s.point(w)
		x, boxes := float32(x64), common[w*len(priors):]
		for i := 0; i < len(priors) && !meter.Spent(4); i += 4 {
			boxes[i], boxes[i+1], boxes[i+2], boxes[i+3] = priors[i]+x, priors[i+1], priors[i+2]+x, priors[i+3]
		}
	}
	for h := 0; h < s.height && !meter.Spent(s.chunk); h++ {
		_, y := s.point(h * s.width)
		chunk := ys[h*s.chunk:][:s.chunk]
		chunk[0], chunk[1] = 0, float32(y)
		for done := 2; done < len(chunk); {
			done += copy(chunk[done:], chunk[:done])
		}
	}
	return r.For(s.height, ops.Grain(float64(s.row)/2), s.part)
}

// write writes rows lo to hi-1 of points.
func (s *rows) write(r *ops.Run, lo, hi int) error {
	out, meter := ir.Data[float32](r.Outputs[0]), r.Stop.Meter()
	common, ys := s.common.In(r), s.ys.In(r)
	for h := lo; h < hi; h++ {
		y, row := ys[h*s.chunk:][:s.chunk], out[h*s.row:][:s.row]
		for at := 0; at < len(row) && !meter.Spent(pieceLength/4); at += pieceLength {
			piece := row[at:min(at+pieceLength, len(row))]
			whole := len(piece) / s.chunk * s.chunk
			s.add(piece[:whole], common[at:], y, s.chunk, s.chunk, 0)
			if rest := piece[whole:]; len(rest) > 0 {
				s.add(rest, common[at+whole:], y, len(rest), len(rest), 0)
			}
		}
	}
	return nil
}
