package infer

import (
	"context"
	"fmt"
	"hash/maphash"
	"strconv"

	"github.com/vinoir/vinoir/ir"
)

// maxBodyRuns limits the number of inferences of one body. Nested bodies are inferred again for
// each inference of the body around them: a malicious file could double their number at each
// level. With the limit, the time to infer a model is proportional to its size.
const maxBodyRuns = 64

// maxBodyWork limits the work of inferring bodies more often than freeBodyRuns times: the number of
// layers and of their inputs, in all bodies together.
const (
	maxBodyWork  = 1 << 21
	freeBodyRuns = 8
)

// keptBodyRuns is the number of recent inferences of a body that are kept for reuse.
const keptBodyRuns = 8

// KeepBodies returns rules with which further inferences find those of bodies before: of one call
// of Propagate or Layer for the next. It is for models that are built from their innermost body on,
// and of which each graph is inferred alone: the time is then proportional to their size. Bodies
// must not be changed after they were inferred, and the rules not be used by several goroutines at
// once.
func KeepBodies(rules Rules) Rules {
	return &keptBodies{rules, make(map[*ir.Model]*bodyState)}
}

type keptBodies struct {
	Rules
	bodies map[*ir.Model]*bodyState
}

// bodyState is the state of one body.
type bodyState struct {
	parsed []parsedLayer // by Layer.Index
	work   int           // number of layers and of their inputs, without those in inner bodies
	runs   int
	recent []bodyRun // oldest first
	seeds  [2]maphash.Seed
}

type parsedLayer struct {
	done       bool
	attributes any
	err        error
}

// bodyRun is the result of an inference of a body. facts is the hash of the facts of its
// Parameters.
type bodyRun struct {
	facts  factsHash
	shapes *Shapes
	failed *driver // the one that knows about layers that could not be inferred, if there are any
	// tensors are those of the facts. They are kept because facts has their addresses.
	tensors []*ir.Tensor
}

// inferBody infers body i of layer, and keeps the result for Shapes.Body.
func (p *pass) inferBody(layer *ir.Layer, i int, parameters []ir.Fact) ([]ir.Fact, error) {
	s, err := p.runBody(layer, i, parameters)
	if err != nil {
		return nil, err
	}
	if p.shapes.bodies == nil {
		p.shapes.bodies = make(map[int][]*Shapes)
	}
	if p.shapes.bodies[layer.Index] == nil {
		p.shapes.bodies[layer.Index] = make([]*Shapes, len(layer.Bodies))
	}
	p.shapes.bodies[layer.Index][i] = s
	return s.results(layer.Bodies[i].Model), nil
}

// ContextOf returns the Context of a layer that is inferred by itself, outside of Propagate.
// Its bodies are inferred by rules. If a layer of a body cannot be inferred, Context.Body
// returns the error; if ctx is done, that of ctx. Errors of layers in bodies of layers of the body
// are left out, as with Options.BodiesLater.
func ContextOf(ctx context.Context, layer *ir.Layer, rules Rules) Context {
	if len(layer.Bodies) == 0 {
		return Context{Done: ctx.Done()}
	}
	d := newDriver(ctx, rules)
	return Context{Done: d.done, AdmitFold: d.admit, Work: func() int { return d.work }, Body: func(i int, parameters []ir.Fact) ([]ir.Fact, error) {
		d.strict = layer.Bodies[i].Model
		s, err := d.runBody(layer, i, parameters)
		if err == nil && len(d.errors) > 0 {
			err = d.errors[0]
		}
		if err != nil {
			return nil, err
		}
		return s.results(layer.Bodies[i].Model), nil
	}}
}

// runBody infers body i of layer, or returns a recent inference from the same facts.
func (d *driver) runBody(layer *ir.Layer, i int, parameters []ir.Fact) (*Shapes, error) {
	m := layer.Bodies[i].Model
	if parameters != nil && len(parameters) != len(m.Parameters) {
		return nil, fmt.Errorf("body %d has %d Parameters, %d values are given", i, len(m.Parameters), len(parameters))
	}
	body := d.bodies[m]
	if body == nil {
		if d.bodies == nil {
			d.bodies = make(map[*ir.Model]*bodyState)
		}
		body = &bodyState{parsed: make([]parsedLayer, len(m.Layers)), seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
		for _, l := range m.Order {
			body.work += 1 + len(l.Inputs)
		}
		d.bodies[m] = body
	}
	facts := body.hashOf(parameters)
	for _, run := range body.recent {
		if run.facts == facts && (run.failed == nil || run.failed == d) {
			if run.failed != nil {
				d.failures++
			}
			return run.shapes, nil
		}
	}
	if body.runs++; body.runs > maxBodyRuns {
		return nil, fmt.Errorf("body %d: inferred %d times from different shapes, which change without end", i, maxBodyRuns)
	}
	if body.runs > freeBodyRuns {
		if d.bodyWork += body.work; d.bodyWork > maxBodyWork {
			return nil, fmt.Errorf("body %d: the bodies of the model are inferred from different shapes too often", i)
		}
	}
	var given map[*ir.Layer]ir.Fact
	if parameters != nil {
		given = make(map[*ir.Layer]ir.Fact, len(parameters))
		for i, p := range m.Parameters {
			given[p] = parameters[i]
		}
	}
	failures := d.failures
	s, err := d.run(m, given, body)
	if err != nil {
		return nil, err
	}
	run := bodyRun{facts: facts, shapes: s}
	for i := range parameters {
		if t := parameters[i].Tensor; t != nil {
			run.tensors = append(run.tensors, t)
		}
	}
	if d.failures > failures {
		run.failed = d
	}
	if len(body.recent) == keptBodyRuns {
		body.recent = append(body.recent[:0], body.recent[1:]...)
	}
	body.recent = append(body.recent, run)
	return s, nil
}

// factsHash is a hash of facts. The seeds are random, so that nobody can choose facts that collide.
type factsHash [2]uint64

// hashOf returns a hash that is the same for equal facts. The facts of all runs that are kept could
// take much memory.
func (s *bodyState) hashOf(facts []ir.Fact) (sum factsHash) {
	var hashes [len(sum)]maphash.Hash
	for i := range hashes {
		hashes[i].SetSeed(s.seeds[i])
	}
	var b []byte
	for i := range facts {
		b = b[:0]
		f := &facts[i]
		b = append(b, f.Type.String()...)
		b = append(b, f.Shape.String()...)
		if f.Tensor != nil {
			b = fmt.Appendf(b, "%p", f.Tensor)
		}
		for _, v := range f.Values {
			b = strconv.AppendInt(append(b, ' '), v.Min, 10)
			b = strconv.AppendInt(append(b, ' '), v.Max, 10)
		}
		b = append(b, ';')
		for i := range hashes {
			_, _ = hashes[i].Write(b)
		}
	}
	for i := range hashes {
		sum[i] = hashes[i].Sum64()
	}
	return sum
}
