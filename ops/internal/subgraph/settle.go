package subgraph

import "github.com/vinoir/vinoir/ir"

// Rounds of Settle after which it gives up precision: the lengths of all states become unknown,
// then their ranks. A change can pass through as many states as the body has, one in each round.
const (
	roundsOfLengths = 4
	roundsOfRanks   = 6
)

// Settle infers the body, which has been inferred for the first iteration, until it holds for all
// of them: the shape of each state contains the shape that the back edge brings. A length that
// changes becomes the range of both lengths if ranges is true, and unknown if it changes again; a
// rank that changes becomes unknown.
func (b *Body) Settle(ranges bool) error {
	for round := 0; ; round++ {
		changed := false
		for _, port := range b.Feeds() {
			from := b.StateOf(&port)
			if from == nil {
				continue
			}
			p := b.Parameter(port.Internal)
			relaxed, differs := relax(b.Result(from).Shape, p.Shape, ranges && round == 0)
			if differs {
				p.Shape, changed = relaxed, true
			}
		}
		if !changed {
			return nil
		}
		if round >= roundsOfLengths {
			b.forget(round >= roundsOfRanks)
		}
		if err := b.Infer(); err != nil {
			return err
		}
	}
}

// forget makes the lengths of all states unknown, or also their ranks.
func (b *Body) forget(ranks bool) {
	for _, port := range b.Feeds() {
		if b.StateOf(&port) == nil {
			continue
		}
		p := b.Parameter(port.Internal)
		if ranks || !p.Shape.RankKnown() {
			p.Shape = ir.UnknownRank
		} else {
			p.Shape = ir.ShapeOfRank(p.Shape.Rank())
		}
	}
}

// relax returns the shape of a Parameter after an iteration that gave result, and whether it
// differs from was. A rank that differs becomes unknown, and so do lengths that was does not
// contain, unless ranges is true.
func relax(result, was ir.PartialShape, ranges bool) (ir.PartialShape, bool) {
	switch {
	case !was.RankKnown():
		return was, false
	case !result.RankKnown() || result.Rank() != was.Rank():
		return ir.UnknownRank, true
	}
	changed := false
	for i, d := range was.Dims() {
		wide := d.Relax(result.At(i))
		if wide == d {
			continue
		}
		if !ranges {
			wide = ir.AnyDim
		}
		was, changed = was.With(i, wide), true
	}
	return was, changed
}
