package plugin_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/limittest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// FuzzModel reads, compiles and runs an .xml and a .bin. The result must be outputs or an error,
// within the limits of memory and time. An error with the word BUG fails the test.
func FuzzModel(f *testing.F) {
	core := smallCore(f)
	for _, m := range smallModels(f) {
		f.Add(m.xml, m.bin)
	}
	f.Fuzz(func(t *testing.T, xml, bin []byte) { survive(t, core, xml, bin) })
}

// FuzzNumbers is FuzzModel with one number of the XML replaced. Random bytes rarely change only a
// number.
func FuzzNumbers(f *testing.F) {
	core, models := smallCore(f), smallModels(f)
	f.Add(uint(0), uint(0), "-1")
	f.Fuzz(func(t *testing.T, model, number uint, text string) {
		m := models[model%uint(len(models))]
		survive(t, core, replaceNumber(m.xml, number, text), m.bin)
	})
}

// TestHostileNumbers replaces numbers of models by numbers that easily cause overflows and huge
// allocations.
func TestHostileNumbers(t *testing.T) {
	core := smallCore(t)
	n := 3000
	if testing.Short() {
		n = 300
	}
	models, rng := smallModels(t), rand.New(rand.NewPCG(1, 2))
	for range n {
		m := models[rng.IntN(len(models))]
		xml := replaceNumber(m.xml, uint(rng.Uint32()), hostileNumbers[rng.IntN(len(hostileNumbers))])
		survive(t, core, xml, m.bin)
		if t.Failed() {
			t.Fatalf("%s\n%s", m.folder, xml)
		}
	}
}

var hostileNumbers = []string{
	"0", "1", "2", "3", "-1", "-2", "7", "100", "65536", "2147483647", "2147483648", "4294967296", "4294967297",
	"1099511627776", "4611686018427387904", "4611686018427387908", "9223372036854775806", "9223372036854775807",
	"-9223372036854775808", "18446744073709551615", "1e9", "nan", "",
}

// number matches a number in the XML.
var number = regexp.MustCompile(`\b-?[0-9]+(\.[0-9]+)?\b`)

// replaceNumber replaces one number in xml by text. which is an index modulo the count of numbers.
func replaceNumber(xml []byte, which uint, text string) []byte {
	numbers := number.FindAllIndex(xml, -1)
	if len(numbers) == 0 {
		return xml
	}
	at := numbers[which%uint(len(numbers))]
	return slices.Concat(xml[:at[0]], []byte(text), xml[at[1]:])
}

// smallCore returns a Core with small limits of memory.
func smallCore(t testing.TB) *plugin.Core {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	return plugin.NewCore(registry, plugin.Options{MaxTensorBytes: 1 << 20, MaxTotalBytes: 8 << 20})
}

type smallModel struct {
	folder   string
	xml, bin []byte
}

// smallModels returns the models of testdata/ir and of an example whose files are smaller than 8
// KiB.
func smallModels(t testing.TB) (models []smallModel) {
	folders, err := filepath.Glob(filepath.Join("..", "testdata", "ir", "*", "*"))
	require.NoError(t, err)
	for _, folder := range append(folders, filepath.Join("..", "examples", "scatter")) {
		xml, err := os.ReadFile(filepath.Join(folder, "model.xml"))
		if err != nil {
			continue
		}
		bin, err := os.ReadFile(filepath.Join(folder, "model.bin"))
		if err == nil && len(xml) < 8<<10 && len(bin) < 8<<10 {
			models = append(models, smallModel{folder, xml, bin})
		}
	}
	require.NotEmpty(t, models)
	return models
}

// survive fails if a model takes too much memory or time, or if it leads to an error with the word
// BUG.
func survive(t *testing.T, core *plugin.Core, xml, bin []byte) {
	limittest.Run(t, stageLimits, func(ctx context.Context) {
		if err := readCompileInfer(ctx, core, xml, bin); err != nil {
			require.NotContains(t, err.Error(), "BUG")
		}
	})
}

// readCompileInfer reads, compiles and runs a model on zeros.
func readCompileInfer(ctx context.Context, core *plugin.Core, xml, bin []byte) error {
	model, err := irxml.Read(xml, bin, irxml.ReadOptions{})
	if err != nil {
		return err
	}
	return compileInfer(ctx, core, model)
}

// compileInfer compiles and runs a model on zeros.
func compileInfer(ctx context.Context, core *plugin.Core, model *ir.Model) error {
	compiled, err := core.CompileModel(ctx, model, plugin.CompileOptions{InferenceNumThreads: 1})
	if err != nil {
		return err
	}
	defer compiled.Close()
	request := compiled.NewInferRequest()
	for i, port := range compiled.Inputs() {
		// Dynamic dimensions have length 2, or the nearest length that they allow.
		var shape ir.Shape
		for _, d := range port.Shape.Dims() {
			n := min(max(d.Min, 2), d.Max)
			if n > 1<<20 {
				return nil
			}
			shape = append(shape, int(n))
		}
		if size, err := ir.ByteSize(port.Type, shape); err != nil || size > 1<<20 {
			return err
		}
		tensor, err := ir.NewTensor(port.Type, shape...)
		if err != nil {
			return err
		}
		if err := request.SetInput(i, tensor); err != nil {
			return err
		}
	}
	return request.Infer(ctx)
}
