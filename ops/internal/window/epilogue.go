package window

import (
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Epilogue returns the operations that a convolution applies to its result: a bias of each channel
// and a clamp if the stages begin with these, and a function for the other stages, which is nil if
// there are none. store is the Store of a stage after p.Stages, or nil. plane is the number of
// elements of a channel. The kernel must call the returned function before its parts do.
func Epilogue(p *ops.Preparation, store func(r *ops.Run, x []float32, at int), channels, plane int) (func(*ops.Run) *conv.Epilogue, error) {
	return epilogue(p, store, channels, plane, false)
}

// SumEpilogue is Epilogue for plans that take a Sum: the stage that adds a tensor, if there is one
// before the clamp.
func SumEpilogue(p *ops.Preparation, channels, plane int) (func(*ops.Run) *conv.Epilogue, error) {
	return epilogue(p, nil, channels, plane, true)
}

// epilogue is Epilogue, or SumEpilogue if sums is true.
func epilogue(p *ops.Preparation, store func(r *ops.Run, x []float32, at int), channels, plane int, sums bool) (func(*ops.Run) *conv.Epilogue, error) {
	rest, fixed := p.Stages, conv.Epilogue{}
	if len(rest) > 0 {
		var err error
		if fixed.Bias, err = channelBias(p, &rest[0], channels, plane); err != nil {
			return nil, err
		}
		if fixed.Bias != nil {
			rest = rest[1:]
		}
	}
	operand := 0 // of the sum
	if sums && len(rest) > 0 && rest[0].Adds > 0 {
		operand, rest = rest[0].Adds, rest[1:]
	}
	if len(rest) > 0 && rest[0].Clamp {
		fixed.Clamp, fixed.Lo, fixed.Hi = true, rest[0].Lo, rest[0].Hi
		rest = rest[1:]
	}
	finish := ops.Compose(rest)
	if finish == nil && store == nil && operand == 0 {
		return func(*ops.Run) *conv.Epilogue { return &fixed }, nil
	}
	return func(r *ops.Run) *conv.Epilogue {
		return r.Own(func() any {
			e := fixed
			if operand > 0 {
				e.Sum = func() []float32 { return ir.Data[float32](r.Inputs[operand]) }
			}
			if finish != nil {
				e.Finish = func(x []float32, at int) { finish(r, x, at) }
			}
			if store != nil {
				e.Store = func(x []float32, at int) { store(r, x, at) }
			}
			return &e
		}).(*conv.Epilogue)
	}, nil
}

// channelBias returns what a stage adds to each channel, or nil if the stage does anything
// else.
func channelBias(p *ops.Preparation, s *ops.Stage, channels, plane int) ([]float32, error) {
	switch {
	case len(s.Bias) == 1:
		if err := p.Reserve(memory.Size[float32](channels)); err != nil {
			return nil, err
		}
		bias := make([]float32, channels)
		for i := range bias {
			bias[i] = s.Bias[0]
		}
		return bias, nil
	case len(s.Bias) == channels && s.Inner == plane:
		return s.Bias, nil
	}
	return nil, nil
}
