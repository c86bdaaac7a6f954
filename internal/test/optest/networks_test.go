package optest_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// networks are the networks of the corpus that are run in many ways: with their own input
// shapes, and with those in testdata/ir/networks.
var networks = []string{"resnet18", "squeezenet1_1", "mobilenet_v2", "unet", "vit_tiny_p16", "minilm_l6", "gnn_sum"}

// network is a model with inputs and OpenVINO's outputs.
type network struct {
	model   *ir.Model
	asIs    *sample
	others  []*sample // samples with other input shapes
	dynamic map[string]ir.PartialShape
}

type sample struct {
	name            string
	inputs, outputs []*ir.Tensor
	maxRel          float64
}

// readNetwork reads a network and its samples.
func readNetwork(t *testing.T, name string) *network {
	t.Helper()
	folder := filepath.Join(optest.Corpus(t), "zoo", name)
	model, err := irxml.ReadFile(filepath.Join(folder, "model.xml"), irxml.ReadOptions{})
	require.NoError(t, err)
	n := &network{model: model, asIs: readSample(t, model, folder), dynamic: map[string]ir.PartialShape{}}
	for i, p := range model.Parameters {
		n.dynamic[p.Name] = ir.ShapeOfRank(len(n.asIs.inputs[i].Shape()))
	}
	others := filepath.Join(optest.Root(t), "testdata", "ir", "networks", name)
	entries, err := os.ReadDir(others)
	require.NoError(t, err)
	for _, entry := range entries {
		n.others = append(n.others, readSample(t, model, filepath.Join(others, entry.Name())))
	}
	return n
}

// readSample reads the inputs and outputs in folder.
func readSample(t *testing.T, model *ir.Model, folder string) *sample {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "case.json"))
	require.NoError(t, err)
	var file struct {
		Inputs []ir.Shape `json:"inputs"`
		MaxRel float64    `json:"max_rel"`
	}
	require.NoError(t, json.Unmarshal(data, &file))
	s := &sample{name: filepath.Base(folder), maxRel: file.MaxRel}
	read := func(path string) *ir.Tensor {
		array, err := npy.ReadFile(path)
		require.NoError(t, err)
		tensor, err := array.Tensor(ir.Dynamic, nil)
		require.NoError(t, err)
		return tensor
	}
	for i := range model.Parameters {
		path := filepath.Join(folder, "in", strconv.Itoa(i)+".npy")
		if _, err := os.Stat(path); err != nil {
			s.inputs = append(s.inputs, formulaInput(t, i, file.Inputs[i]))
			continue
		}
		s.inputs = append(s.inputs, read(path))
	}
	for i := range model.Results {
		s.outputs = append(s.outputs, read(filepath.Join(folder, "out", strconv.Itoa(i)+".npy")))
	}
	return s
}

// formulaInput returns input k, as specified in testdata/ir/networks/README.md.
func formulaInput(t *testing.T, k int, shape ir.Shape) *ir.Tensor {
	t.Helper()
	tensor, err := ir.NewTensor(ir.F32, shape...)
	require.NoError(t, err)
	x := ir.Data[float32](tensor)
	for i := range x {
		h := uint32(i)*2654435761 + uint32(k)*40503
		x[i] = float32(float64(h>>8)/(1<<23) - 1)
	}
	return tensor
}

func (n *network) compile(t *testing.T, options plugin.CompileOptions) *plugin.CompiledModel {
	t.Helper()
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	compiled, err := plugin.NewCore(registry, plugin.Options{}).CompileModel(context.Background(), n.model, options)
	require.NoError(t, err)
	t.Cleanup(compiled.Close)
	return compiled
}

// check runs an inference and compares the outputs.
func (s *sample) check(request *plugin.InferRequest) error {
	for i, tensor := range s.inputs {
		if err := request.SetInput(i, tensor); err != nil {
			return err
		}
	}
	if err := request.Infer(context.Background()); err != nil {
		return err
	}
	for i, want := range s.outputs {
		if err := conformance.Compare(request.Output(i), want, s.maxRel); err != nil {
			return err
		}
	}
	return nil
}

// eachNetwork runs test for each network. It skips the whole test if there is no corpus.
func eachNetwork(t *testing.T, test func(t *testing.T, n *network)) {
	optest.Corpus(t)
	for _, name := range networks {
		t.Run(name, func(t *testing.T) { test(t, readNetwork(t, name)) })
	}
}

// TestCorpusNetworks runs the networks with and without graph passes, and without each of the
// processor's instruction sets.
func TestCorpusNetworks(t *testing.T) {
	eachNetwork(t, func(t *testing.T, n *network) {
		for _, threads := range []int{1, 2} {
			options := plugin.CompileOptions{InferenceNumThreads: threads}
			assert.NoError(t, n.asIs.check(n.compile(t, options).NewInferRequest()), "%d threads", threads)
			options.Disable = plugin.Optimizations()
			assert.NoError(t, n.asIs.check(n.compile(t, options).NewInferRequest()), "%d threads, without passes", threads)
		}
		s := n.smallest() // a network is slow without instruction sets
		for _, without := range featureSets() {
			names, restore := []string{}, func() {}
			for _, feature := range without {
				names = append(names, feature.String())
				before, back := restore, feature.Disable()
				restore = func() { back(); before() }
			}
			err := s.check(n.compile(t, n.reshaped(s, 2)).NewInferRequest())
			restore()
			assert.NoError(t, err, "without %s", strings.Join(names, ", "))
		}
	})
}

// smallest returns the sample with the fewest elements.
func (n *network) smallest() *sample {
	return slices.MinFunc(append(n.others[:len(n.others):len(n.others)], n.asIs), func(a, b *sample) int {
		return a.inputs[0].Len() - b.inputs[0].Len()
	})
}

// featureSets returns the sets of CPU features to disable: each available feature, and all of
// them.
func featureSets() [][]*cpu.Feature {
	var all []*cpu.Feature
	var list [][]*cpu.Feature
	for _, feature := range cpu.Features() {
		if feature.Available() {
			all, list = append(all, feature), append(list, []*cpu.Feature{feature})
		}
	}
	return append(list, all)
}

// reshaped returns options for inputs with the static shapes of s.
func (n *network) reshaped(s *sample, threads int) plugin.CompileOptions {
	options := plugin.CompileOptions{InferenceNumThreads: threads, Reshape: map[string]ir.PartialShape{}}
	for i, p := range n.model.Parameters {
		options.Reshape[p.Name] = s.inputs[i].Shape().Partial()
	}
	return options
}

// TestCorpusNetworks_shapes runs the networks with other input shapes: compiled for each shape,
// and compiled for dynamic shapes, with alternating shapes on one request.
func TestCorpusNetworks_shapes(t *testing.T) {
	eachNetwork(t, func(t *testing.T, n *network) {
		for _, s := range n.others {
			assert.NoError(t, s.check(n.compile(t, n.reshaped(s, 2)).NewInferRequest()), s.name)
		}
		for _, list := range [][]plugin.Optimization{nil, plugin.Optimizations()} {
			options := plugin.CompileOptions{InferenceNumThreads: 2, Reshape: n.dynamic, Disable: list}
			request := n.compile(t, options).NewInferRequest()
			for range 2 {
				for _, s := range n.others {
					assert.NoError(t, s.check(request), "%s, dynamic", s.name)
				}
			}
		}
	})
}

// TestCorpusNetworks_goroutines has many goroutines with their own requests of one
// CompiledModel, with inputs of different shapes.
func TestCorpusNetworks_goroutines(t *testing.T) {
	const goroutines = 64
	eachNetwork(t, func(t *testing.T, n *network) {
		rounds := min(len(n.others), 2)
		compiled := n.compile(t, plugin.CompileOptions{InferenceNumThreads: 4, NumStreams: 2, Reshape: n.dynamic})
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				request := compiled.NewInferRequest()
				for round := range rounds {
					s := n.others[(g+round)%len(n.others)]
					if err := s.check(request); err != nil {
						t.Errorf("goroutine %d: %s: %v", g, s.name, err)
						return
					}
				}
			})
		}
		wg.Wait()
	})
}

// TestCorpusNetworks_allocate checks that inference does not allocate once its input shapes
// have been used.
func TestCorpusNetworks_allocate(t *testing.T) {
	eachNetwork(t, func(t *testing.T, n *network) {
		for _, threads := range []int{1, 2} {
			static := n.compile(t, n.reshaped(n.others[0], threads)).NewInferRequest()
			dynamic := n.compile(t, plugin.CompileOptions{InferenceNumThreads: threads, Reshape: n.dynamic}).NewInferRequest()
			infer := func(request *plugin.InferRequest, s *sample) {
				for i, tensor := range s.inputs {
					if err := request.SetInput(i, tensor); err != nil {
						t.Error(err)
					}
				}
				if err := request.Infer(context.Background()); err != nil {
					t.Error(err)
				}
			}
			run := func() {
				infer(static, n.others[0])
				for _, s := range n.others {
					infer(dynamic, s)
				}
			}
			run()
			assert.Zero(t, testing.AllocsPerRun(3, run), "%d threads", threads)
		}
	})
}
