package sampling

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

// Layer describes a layer that samples images, inputs of shape [N,C,H,W], all with the same C. Its
// output 0 has Items*C*Points elements. The elements of an item and a point, one for each channel,
// are computed from the same positions of an image, unless Single or Stores is set.
type Layer struct {
	Images        []int // the inputs that are images
	Items, Points int
	// Quads is the number of quads that a run adds, as far as it is known.
	Quads float64
	// Elements is the length of Worker.Memory.
	Elements int
	// Scratch has areas that the Part uses. Kernel adds those of its own.
	Scratch ops.Scratch
	// If Stores is set, the Part writes output 0 itself. Its rows have RowElements elements then,
	// and it computes at most Block points at once.
	Stores             bool
	RowElements, Block int
	// Single means that a point has one element, not one for each channel, and that the positions
	// of a channel are next to each other in the images. A quad counts for one channel.
	Single bool
	// Count returns the number of items that are computed. The elements of further items are 0. nil
	// means all items.
	Count func(r *ops.Run) int
}

// Part computes points lo to hi-1 of an item: it adds to the rows of w, which are 0 at first. If it
// takes long it asks w.Meter, and returns early.
type Part[T Float] func(w *Worker[T], item, lo, hi int) error

// Worker is what a Part has for itself.
type Worker[T Float] struct {
	Run    *ops.Run
	Meter  parallel.Meter
	Memory []T // of Layer.Elements
	Extra  []T // one element for each channel
	k      *kernel[T]
	images []Image[T]
	rows   []T
	lo     int
}

// Row returns the elements of a point, one for each channel unless Layer.Stores is set.
func (w *Worker[T]) Row(point int) []T {
	return w.rows[(point-w.lo)*w.k.RowElements:][:w.k.RowElements]
}

// Rows returns the rows of points lo to hi-1.
func (w *Worker[T]) Rows(lo, hi int) []T {
	return w.rows[(lo-w.lo)*w.k.RowElements : (hi-w.lo)*w.k.RowElements]
}

// Image returns image n of the given element of Layer.Images.
func (w *Worker[T]) Image(input, n int) Image[T] {
	m := w.images[input]
	m.Data = m.Data[n*w.k.sources[input].plane*w.k.channels:]
	return m
}

// source is an input that is an image.
type source struct {
	input, batch, plane int
	copied, last        bool // there is a copy as T; it has the channels last
	blocks              int  // of positions
}

type kernel[T Float] struct {
	Layer
	channels int
	sources  []source
	blocks   int     // of Block points of an item
	cost     float64 // of a block
	workers  int
	direct   bool          // the output is of type T
	copies   []ops.Area[T] // of the sources that are copied
	// The memory of each worker: the rows of a block, room to transpose them, and what a Part has.
	rows, other, extra, memory ops.Area[T]
	compute                    Part[T]
	load                       ops.Part
	sample                     ops.WorkerPart
	loads                      int // the number of blocks to load
	own                        func() any
}

// state is the memory that a Run keeps.
type state[T Float] struct {
	items   int // that are computed
	images  []Image[T]
	workers []Worker[T]
}

const (
	// loadPositions and loadChannels are the lengths of a tile that is converted and transposed at
	// once.
	loadPositions, loadChannels = 64, 16
	// rowElements is the number of elements of the rows of a block, unless one point has more.
	rowElements = 1 << 12
	// singlePoints is the number of points of a block if a point has one element.
	singlePoints = 256
	// addCost is the cost of an addition: vector instructions compute most of them.
	addCost = 1.0 / 4
	// pointWork is the work of the positions of a point, in simple operations.
	pointWork = 32
	// fewChannels is the number of channels below which vectors of channels do not pay.
	fewChannels = 4
)

// Kernel returns the kernel of a layer. If there are enough quads, or if the images are not of type
// T, it first copies the images with the channels last: an element of a quad is then a contiguous
// row of channels.
func Kernel[T Float](p *ops.Preparation, l *Layer, compute Part[T]) (*ops.Prepared, error) {
	k := &kernel[T]{Layer: *l, compute: compute}
	positions := 0.0
	for _, input := range l.Images {
		shape := p.InputShape(input)
		k.channels = shape[1]
		s := source{input: input, batch: shape[0], plane: shape[2] * shape[3]}
		s.blocks = (s.plane + loadPositions - 1) / loadPositions
		positions += float64(s.batch) * float64(s.plane)
		k.sources = append(k.sources, s)
	}
	if l.Items == 0 || l.Points == 0 || k.channels == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	if positions == 0 {
		return &ops.Prepared{Kernel: clearOutput}, nil
	}
	many := k.channels >= fewChannels && !l.Single
	last := many && 4*l.Quads >= positions
	k.copies = make([]ops.Area[T], len(k.sources))
	for i := range k.sources {
		s := &k.sources[i]
		direct := isDirect[T](p.Inputs[s.input].Type)
		s.last = last || many && !direct
		if s.copied = s.last || !direct; s.copied {
			k.copies[i] = ops.AreaOf[T](&k.Scratch, s.batch, s.plane, k.channels)
			k.loads += s.batch * s.blocks
		}
	}
	k.direct = isDirect[T](p.Outputs[0].Type)
	switch {
	case k.Single:
		k.RowElements, k.Block = 1, singlePoints
	case !k.Stores:
		k.RowElements, k.Block = k.channels, max(rowElements/k.channels&^7, 1)
	}
	k.Block = min(k.Block, l.Points)
	k.blocks = (l.Points-1)/k.Block + 1
	work := l.Quads*4 + float64(l.Items)*float64(l.Points)
	if !l.Single {
		work *= float64(k.channels)
	}
	items := l.Items * k.blocks
	k.cost = addCost * work / float64(items)
	k.workers = p.Workers(items, k.cost)
	k.rows, k.other = ops.AreasOf[T](&k.Scratch, k.workers, k.Block, k.RowElements), ops.AreasOf[T](&k.Scratch, k.workers, k.Block, k.RowElements)
	k.extra, k.memory = ops.AreasOf[T](&k.Scratch, k.workers, k.channels), ops.AreasOf[T](&k.Scratch, k.workers, l.Elements)
	k.load, k.sample = k.loadBlocks, k.samplePart
	k.own = func() any {
		return &state[T]{images: make([]Image[T], len(k.sources)), workers: make([]Worker[T], k.workers)}
	}
	return &ops.Prepared{Kernel: k.run, ScratchBytes: k.Scratch.Bytes(), Flops: 2 * work}, nil
}

// clearOutput is the kernel for images without elements.
func clearOutput(r *ops.Run) error {
	parallel.Clear(r.Stop, r.Outputs[0].Bytes())
	return nil
}

func (k *kernel[T]) run(r *ops.Run) error {
	s := r.Own(k.own).(*state[T])
	for i := range k.sources {
		from := &k.sources[i]
		m := &s.images[i]
		m.Step, m.ChannelStep = 1, from.plane
		if from.last {
			m.Step, m.ChannelStep = k.channels, 1
		}
		if from.copied {
			m.Data = k.copies[i].In(r)
		} else {
			m.Data = ir.Data[T](r.Inputs[from.input])
		}
	}
	if s.items = k.Items; k.Count != nil {
		s.items = k.Count(r)
	}
	if err := r.For(k.loads, ops.Grain(addCost*loadPositions*float64(k.channels)), k.load); err != nil {
		return err
	}
	return r.ForWorkers(k.Items*k.blocks, ops.Grain(k.cost), k.workers, k.sample)
}

// loadBlocks copies blocks lo to hi-1 of positions, counted over the images of all sources that are
// copied.
func (k *kernel[T]) loadBlocks(r *ops.Run, lo, hi int) error {
	images := r.Own(k.own).(*state[T]).images
	meter := r.Stop.Meter()
	first := 0
	for i := range k.sources {
		s := &k.sources[i]
		if !s.copied {
			continue
		}
		n := s.batch * s.blocks
		for j := max(lo, first); j < min(hi, first+n); j++ {
			image, position := (j-first)/s.blocks, (j-first)%s.blocks*loadPositions
			k.loadBlock(&meter, s, images[i].Data, r.Inputs[s.input], image, position)
		}
		first += n
	}
	return nil
}

// loadBlock copies loadPositions positions of an image from the given position on.
func (k *kernel[T]) loadBlock(meter *parallel.Meter, s *source, data []T, t *ir.Tensor, image, position int) {
	var buffer [loadChannels * loadPositions]T
	count := min(loadPositions, s.plane-position)
	direct := isDirect[T](t.ElementType())
	for c := 0; c < k.channels && !meter.Spent(loadChannels*count); c += loadChannels {
		channels := min(loadChannels, k.channels-c)
		at := (image*k.channels+c)*s.plane + position
		if !s.last {
			for i := range channels {
				Load(data[at+i*s.plane:][:count], t, at+i*s.plane)
			}
			continue
		}
		from, stride := buffer[:], loadPositions
		if direct {
			from, stride = ir.Data[T](t)[at:], s.plane
		} else {
			for i := range channels {
				Load(from[i*stride:][:count], t, at+i*s.plane)
			}
		}
		strided.Transpose(data[(image*s.plane+position)*k.channels+c:], from, channels, count, k.channels, stride)
	}
}

// samplePart computes blocks lo to hi-1, counted over all items.
func (k *kernel[T]) samplePart(r *ops.Run, worker, lo, hi int) error {
	s := r.Own(k.own).(*state[T])
	w := &s.workers[worker]
	rows, other := k.rows.Of(r, worker), k.other.Of(r, worker)
	w.Extra, w.Memory = k.extra.Of(r, worker), k.memory.Of(r, worker)
	w.Run, w.Meter, w.k, w.images = r, r.Stop.Meter(), k, s.images
	for i := lo; i < hi; i++ {
		item, from := i/k.blocks, i%k.blocks*k.Block
		to := min(from+k.Block, k.Points)
		w.rows, w.lo = rows[:(to-from)*k.RowElements], from
		clear(w.rows)
		if w.Meter.Spent(len(w.rows) + pointWork*(to-from)) {
			return nil
		}
		if item < s.items {
			if err := k.compute(w, item, from, to); err != nil {
				return err
			}
		}
		if !k.Stores {
			k.store(r.Outputs[0], w.rows, other, item, from, to)
		}
	}
	return nil
}

// store writes the rows of points lo to hi-1 of an item to the output.
func (k *kernel[T]) store(t *ir.Tensor, rows, other []T, item, lo, hi int) {
	if k.Single {
		Store(t, item*k.Points+lo, rows)
		return
	}
	at, n := item*k.channels*k.Points+lo, hi-lo
	if k.direct {
		strided.Transpose(ir.Data[T](t)[at:], rows, n, k.channels, k.Points, k.channels)
		return
	}
	strided.Transpose(other, rows, n, k.channels, n, k.channels)
	for c := range k.channels {
		Store(t, at+c*k.Points, other[c*n:][:n])
	}
}
