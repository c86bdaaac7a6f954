package interpolate

import (
	"slices"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/reduction"
	"github.com/vinoir/vinoir/ops"
)

// planes moves planes of the last two axes, for elements of 4 bytes, in vector code that
// handles many rows at once.
type planes struct {
	columns *reduction.Resampler
	rows    int // rows of a plane of the output
	runs    []run
	copies  []int // rows of the output that are the same as the row before them
}

// run is a sequence of rows of the output whose sources have the same distance from each other.
type run struct{ out, outStep, in, inStep, count int }

// newPlanes returns nil if there is padding or no vector code.
func newPlanes(m *mover, preparation *ops.Preparation) (*planes, error) {
	last := len(m.axes) - 1
	if last < 1 || m.block != 1 {
		return nil, nil
	}
	for _, sources := range m.sources[last-1:] {
		if slices.ContainsFunc(sources, func(s int32) bool { return s < 0 }) {
			return nil, nil
		}
	}
	p := &planes{rows: m.axes[last-1].output}
	var err error
	if p.columns, err = reduction.NewResampler(preparation.Stop, m.sources[last], nil, 1, m.axes[last].input, preparation.Reserve); p.columns == nil {
		return nil, err
	}
	// a row adds at most one run or copy
	if err := preparation.Reserve(memory.Size[run](p.rows)); err != nil {
		return nil, err
	}
	p.addRows(m.sources[last-1])
	return p, nil
}

// addRows adds all rows. sources are those of the rows, or nil if they are the same.
func (p *planes) addRows(sources []int32) {
	before := -1
	for o := range p.rows {
		s := o
		if sources != nil {
			s = int(sources[o])
		}
		if s == before {
			p.copies = append(p.copies, o)
			continue
		}
		before = s
		p.add(o, s)
	}
}

// add adds a row to the last run, or starts another run.
func (p *planes) add(out, in int) {
	if len(p.runs) > 0 {
		r := &p.runs[len(p.runs)-1]
		outStep, inStep := out-r.out-(r.count-1)*r.outStep, in-r.in-(r.count-1)*r.inStep
		if r.count == 1 && inStep > 0 {
			r.outStep, r.inStep = outStep, inStep
		}
		if outStep == r.outStep && inStep == r.inStep {
			r.count++
			return
		}
	}
	p.runs = append(p.runs, run{out: out, in: in, count: 1})
}

// planesPart sets planes lo to hi-1 of the output.
func (m *mover) planesPart(r *ops.Run, lo, hi int) error {
	output, image := cast.Bytes[float32](r.Outputs[0].Bytes()), cast.Bytes[float32](r.Inputs[0].Bytes())
	last := len(m.axes) - 1
	in, out := m.axes[last].input, m.axes[last].output
	for i := lo; i < hi; i++ {
		to := output[i*m.planes.rows*out:][:m.planes.rows*out]
		from := m.source(i, last-2)
		if from < 0 {
			parallel.Clear(r.Stop, to)
			continue
		}
		plane := image[from*m.axes[last-1].input*in:]
		for _, run := range m.planes.runs {
			m.planes.columns.Apply(r.Stop, to[run.out*out:], plane[run.in*in:], run.count, run.outStep*out, run.inStep*in)
		}
		for _, o := range m.planes.copies {
			parallel.Copy(r.Stop, to[o*out:(o+1)*out], to[(o-1)*out:o*out])
		}
	}
	return nil
}
