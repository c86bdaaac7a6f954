package main

import (
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

const (
	maxBinBytes   = 64 << 20
	maxInputBytes = 8 << 20
	// slowest is the longest time of a variant that is used, so that there are many inferences.
	slowest = 500 * time.Millisecond
)

// threadNumbers are the numbers of threads that models run with. The outputs may depend on the
// number, since it decides in which order numbers are added.
var threadNumbers = []int{1, 2, 3}

// variant is a model with input shapes, and what it is given.
type variant struct {
	name    string
	model   *ir.Model
	reshape map[string]ir.PartialShape
	disable []plugin.Optimization
	trials  []*trial
	bytes   uint64 // that a compiled model and a request take after all trials, at most
}

// trial is inputs of a variant and the expected outcomes.
type trial struct {
	inputs   []*ir.Tensor
	expected map[int]outcome // by number of threads
}

func (v *variant) anyTrial(rng *rand.Rand) *trial { return v.trials[rng.IntN(len(v.trials))] }

// outcome is what an inference gives: hashes of the outputs, or an error.
type outcome struct {
	outputs []uint64
	err     string
	took    time.Duration
}

func (o outcome) equal(p outcome) bool { return o.err == p.err && slices.Equal(o.outputs, p.outputs) }

func (o outcome) String() string {
	if o.err != "" {
		return "error: " + o.err
	}
	return fmt.Sprintf("outputs %x", o.outputs)
}

var hashSeed = maphash.MakeSeed()

// hash returns a hash of the type, shape and elements of t.
func hash(t *ir.Tensor) uint64 {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	fmt.Fprint(&h, t.ElementType(), t.Shape(), t.Strings())
	h.Write(t.Bytes())
	return h.Sum64()
}

// newCore returns a Core with all layer types.
func newCore(options plugin.Options) (*plugin.Core, error) {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		return nil, err
	}
	return plugin.NewCore(registry, options), nil
}

// load chooses models and runs their variants alone.
func load(ctx context.Context, o *options, stdout io.Writer) (variants []*variant, err error) {
	core, err := newCore(plugin.Options{})
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(o.seed, 0))
	folders, err := chooseFolders(rng, o.folders)
	if err != nil {
		return nil, err
	}
	models := 0
	for _, folder := range folders {
		if models == o.models || ctx.Err() != nil {
			break
		}
		found, err := variantsOf(ctx, core, rng, folder)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", folder, err)
		}
		if len(found) == 0 {
			continue
		}
		models++
		variants = append(variants, found...)
		if o.verbose {
			for _, v := range found {
				for _, t := range v.trials {
					fmt.Fprintf(stdout, "%s: %v, %v\n", v.name, t.expected[1], t.expected[1].took)
				}
			}
		}
	}
	if len(variants) == 0 {
		return nil, fmt.Errorf("no model in %q can be used", o.folders)
	}
	return variants, ctx.Err()
}

// chooseFolders returns the folders with models below roots, in a random order that takes turns
// between the roots, since some have far more models than others.
func chooseFolders(rng *rand.Rand, roots []string) (folders []string, err error) {
	lists := make([][]string, len(roots))
	for i, root := range roots {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Name() == "model.xml" {
				lists[i] = append(lists[i], filepath.Dir(path))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		rng.Shuffle(len(lists[i]), func(a, b int) { lists[i][a], lists[i][b] = lists[i][b], lists[i][a] })
	}
	for k := 0; ; k++ {
		before := len(folders)
		for _, list := range lists {
			if k < len(list) {
				folders = append(folders, list[k])
			}
		}
		if len(folders) == before {
			return folders, nil
		}
	}
}

// variantsOf returns the variants of the model in folder: none if it cannot be read or compiled, or
// is large or slow. The error is a difference between two inferences.
func variantsOf(ctx context.Context, core *plugin.Core, rng *rand.Rand, folder string) (variants []*variant, err error) {
	if info, err := os.Stat(filepath.Join(folder, "model.bin")); err == nil && info.Size() > maxBinBytes {
		return nil, nil
	}
	model, err := irxml.ReadFile(filepath.Join(folder, "model.xml"), irxml.ReadOptions{})
	if err != nil || random(model) {
		return nil, nil
	}
	for _, v := range []*variant{
		{name: folder, model: model},
		{name: folder + " with dynamic lengths", model: model, reshape: dynamicBatch(model), disable: plugin.Optimizations()},
	} {
		compiled, err := core.CompileModel(ctx, model, plugin.CompileOptions{InferenceNumThreads: 1, Reshape: v.reshape})
		if err != nil {
			break
		}
		ports := compiled.Inputs()
		compiled.Close()
		for k := range 4 {
			file := ""
			if k == 0 {
				file = folder
			}
			t := &trial{inputs: inputs(rng, ports, file), expected: map[int]outcome{}}
			if t.inputs == nil {
				continue
			}
			usable, err := v.runAlone(ctx, core, t)
			if err != nil {
				return nil, err
			}
			if usable {
				v.trials = append(v.trials, t)
			}
		}
		if len(v.trials) > 0 {
			variants = append(variants, v)
		}
	}
	return variants, nil
}

// runAlone sets the expected outcomes of t, and adds what they need to v.bytes. It returns false if
// t is too slow. The error is a difference between two inferences.
func (v *variant) runAlone(ctx context.Context, core *plugin.Core, t *trial) (bool, error) {
	var heap uint64
	for _, threads := range threadNumbers {
		last := threads == threadNumbers[len(threadNumbers)-1]
		if last {
			heap = heapInUse()
		}
		options := plugin.CompileOptions{InferenceNumThreads: threads, Reshape: v.reshape, Disable: v.disable}
		compiled, err := core.CompileModel(ctx, v.model, options)
		if err != nil {
			return false, nil
		}
		defer compiled.Close()
		var request *plugin.InferRequest
		for k := range 3 {
			request = compiled.NewInferRequest()
			start := time.Now()
			err := t.set(request)
			if err == nil {
				err = request.Infer(ctx)
			}
			got := outcomeOf(request, len(v.model.Results), err)
			if got.took = time.Since(start); got.took > slowest {
				return false, nil
			}
			if k > 0 && !got.equal(t.expected[threads]) {
				return false, fmt.Errorf("%s, %d threads: alone, %v, then %v", v.name, threads, t.expected[threads], got)
			}
			t.expected[threads] = got
		}
		if last {
			v.bytes += max(heapInUse(), heap) - heap
			runtime.KeepAlive(request)
		}
	}
	return true, nil
}

// set sets the inputs of a request and resets its variables.
func (t *trial) set(request *plugin.InferRequest) error {
	for i, input := range t.inputs {
		if err := request.SetInput(i, input); err != nil {
			return err
		}
	}
	for _, state := range request.QueryState() {
		if err := state.Reset(); err != nil {
			return err
		}
	}
	return nil
}

// outcomeOf returns the outcome of an inference that has ended with err.
func outcomeOf(request *plugin.InferRequest, outputs int, err error) (o outcome) {
	if err != nil {
		return outcome{err: err.Error()}
	}
	for i := range outputs {
		t := request.Output(i)
		if t == nil {
			return outcome{err: fmt.Sprintf("Output(%d) is nil after a successful inference", i)}
		}
		o.outputs = append(o.outputs, hash(t))
	}
	return o
}

// random reports whether a model or one of its bodies has a layer whose outputs are random.
func random(model *ir.Model) bool {
	for _, layer := range model.Layers {
		if layer.Type == "RandomUniform" || layer.Type == "Multinomial" {
			return true
		}
		for _, body := range layer.Bodies {
			if random(body.Model) {
				return true
			}
		}
	}
	return false
}

// dynamicBatch returns shapes whose first dims are dynamic.
func dynamicBatch(model *ir.Model) map[string]ir.PartialShape {
	shapes := map[string]ir.PartialShape{}
	for _, p := range model.Parameters {
		attributes := ir.AttributesOf(p)
		shape := attributes.PartialShape("shape", ir.UnknownRank)
		if dims := shape.Dims(); len(dims) > 0 {
			shapes[p.Name] = ir.ShapeOf(slices.Concat([]ir.Dimension{ir.AnyDim}, dims[1:])...)
		}
	}
	return shapes
}

// inputs returns inputs for ports: those in folder or, if it is "" or a file does not fit, random
// ones. It returns nil if they would be large.
func inputs(rng *rand.Rand, ports []plugin.Port, folder string) []*ir.Tensor {
	tensors := make([]*ir.Tensor, len(ports))
	length := 1 + rng.Int64N(6) // dynamic dims often have to be equal
	for i, port := range ports {
		if folder != "" {
			tensors[i] = fromFile(&port, filepath.Join(folder, "in", strconv.Itoa(i)+".npy"))
		}
		if tensors[i] == nil {
			tensors[i] = randomTensor(rng, &port, length)
		}
		if tensors[i] == nil {
			return nil
		}
	}
	return tensors
}

// fromFile reads the tensor of an input; nil if there is none that fits.
func fromFile(port *plugin.Port, path string) *ir.Tensor {
	array, err := npy.ReadFile(path)
	if err != nil {
		return nil
	}
	tensor, err := array.Tensor(port.Type, nil)
	if err != nil || len(tensor.Bytes()) > maxInputBytes || !port.Shape.Contains(tensor.Shape().Partial()) {
		return nil
	}
	return tensor
}

// randomTensor returns a tensor for an input, whose dynamic dims have the given length or the
// nearest that they allow; nil if it would be large.
func randomTensor(rng *rand.Rand, port *plugin.Port, length int64) *ir.Tensor {
	var shape ir.Shape
	for _, d := range port.Shape.Dims() {
		shape = append(shape, int(min(max(d.Min, length), d.Max, math.MaxInt32)))
	}
	if size, err := ir.ByteSize(port.Type, shape); err != nil || size > maxInputBytes {
		return nil
	}
	t, err := ir.NewTensor(port.Type, shape...)
	if err != nil {
		return nil
	}
	for i := range t.Strings() {
		t.Strings()[i] = strconv.Itoa(rng.IntN(1000))
	}
	switch t.ElementType() {
	case ir.F32:
		for i := range ir.Data[float32](t) {
			ir.Data[float32](t)[i] = rng.Float32()*2 - 1
		}
	case ir.F64:
		for i := range ir.Data[float64](t) {
			ir.Data[float64](t)[i] = rng.Float64()*2 - 1
		}
	case ir.I32, ir.I64, ir.U32, ir.U64, ir.I16, ir.U16:
		values := make([]int64, t.Len())
		for i := range values {
			values[i] = rng.Int64N(4)
		}
		if t, err = ir.TensorOfInts(port.Type, shape, values); err != nil {
			return nil
		}
	default:
		// 0 and 1 are valid in every element type.
		for i := range t.Bytes() {
			t.Bytes()[i] = uint8(rng.IntN(2))
		}
	}
	return t
}
