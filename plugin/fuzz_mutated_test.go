package plugin_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/internal/test/limittest"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/explain"
	irinfer "github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/reshape"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// stageLimits are for each stage of a small model: reading, validating and so on. The limits of
// memory are small multiples of those of smallCore.
var stageLimits = limittest.Limits{Bytes: 64 << 20, Time: 5 * time.Second}

// FuzzMutated changes models in ways that keep the XML well-formed, and runs all stages that a
// model can go through. Each must end in a result or an error within the limits.
func FuzzMutated(f *testing.F) {
	stages := newStages(f)
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { stages.run(t, seed) })
}

// TestMutated has so many models that some pass all stages and some are rejected.
func TestMutated(t *testing.T) {
	n := uint64(1500)
	if testing.Short() {
		n = 150
	}
	stages, ran := newStages(t), uint64(0)
	for seed := range n {
		if stages.run(t, seed) {
			ran++
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	assert.Greater(t, ran, n/20)
	assert.Less(t, ran, n*19/20)
}

// stages runs the stages of mutated models.
type stages struct {
	core   *plugin.Core
	rules  irinfer.Rules
	models []smallModel
}

func newStages(t testing.TB) *stages {
	return &stages{core: smallCore(t), rules: optest.Registry(t, builtin.Ops()), models: smallModels(t)}
}

// run runs the stages of one model. It returns whether an inference succeeded.
func (s *stages) run(t *testing.T, seed uint64) (ran bool) {
	rng := rand.New(rand.NewPCG(seed, 1))
	model := s.models[rng.IntN(len(s.models))]
	xml := irtest.Mutate(model.xml, rng)
	defer func() {
		if t.Failed() {
			t.Logf("%s\n%s", model.folder, xml)
		}
	}()
	stage := func(name string, do func(ctx context.Context) error) bool {
		var err error
		limittest.Run(t, stageLimits, func(ctx context.Context) { err = do(ctx) })
		if t.Failed() {
			t.Logf("stage %s: %v", name, err)
		}
		if err != nil {
			assert.NotContains(t, err.Error(), "BUG", "%s", name)
		}
		return err == nil
	}

	var m *ir.Model
	read := stage("read", func(context.Context) (err error) {
		m, err = irxml.Read(xml, model.bin, irxml.ReadOptions{})
		return err
	})
	if !read || len(m.Order) == 0 {
		return false
	}
	var shapes *irinfer.Shapes
	inferred := stage("infer", func(ctx context.Context) (err error) {
		if shapes, err = irinfer.Propagate(ctx, m, s.rules, nil); shapes != nil {
			err = nil // some layers have errors
		}
		return err
	})
	stage("explain", func(ctx context.Context) error {
		if !inferred {
			return nil
		}
		layer := m.Order[rng.IntN(len(m.Order))]
		for i := range shapes.Outputs(layer) {
			if _, err := explain.Output(ctx, m, s.rules, shapes, layer, i); err != nil {
				return err
			}
		}
		return nil
	})
	stage("fix", func(ctx context.Context) error { return s.fix(ctx, t, m, xml) })
	stage("reshape", func(ctx context.Context) error {
		reshaped, err := reshape.Inputs(ctx, m, s.rules, randomShapes(rng, m))
		if err != nil {
			return err
		}
		_, err = validate.Model(ctx, reshaped, s.rules, nil)
		return err
	})
	return stage("compile and infer", func(ctx context.Context) error { return compileInfer(ctx, s.core, m) })
}

// fix fixes the ports of a model that is otherwise valid. The result must be readable.
func (s *stages) fix(ctx context.Context, t *testing.T, m *ir.Model, xml []byte) error {
	report, err := validate.Model(ctx, m, s.rules, nil)
	if err != nil || report.Errors() > 0 {
		return err
	}
	fixes, err := report.PortFixes()
	if err != nil {
		return err
	}
	fixed, _, err := irxml.FixPorts(m, xml, fixes)
	require.NoError(t, err)
	_, err = irxml.Read(fixed, nil, irxml.ReadOptions{NoBin: true})
	require.NoError(t, err)
	return nil
}

// randomShapes returns new shapes for some inputs of a model, most of the same rank.
func randomShapes(rng *rand.Rand, m *ir.Model) map[string]ir.PartialShape {
	shapes := map[string]ir.PartialShape{}
	for _, p := range m.Parameters {
		if rng.IntN(3) == 0 {
			continue
		}
		rank := ir.AttributesOf(p).PartialShape("shape", ir.UnknownRank)
		n := rng.IntN(4)
		if rank.RankKnown() && rng.IntN(4) > 0 {
			n = rank.Rank()
		}
		dims := make([]ir.Dimension, min(n, 8))
		for i := range dims {
			dims[i] = []ir.Dimension{ir.AnyDim, ir.Dim(0), ir.Dim(1), ir.Dim(7), ir.DimRange(2, 9), ir.Dim(1 << 40)}[rng.IntN(6)]
		}
		shapes[p.Name] = ir.ShapeOf(dims...)
	}
	return shapes
}
