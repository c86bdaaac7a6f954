package vinoir_test

import (
	"context"
	"image"
	"image/color"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/preprocess"
)

// TestPrePostProcessor compares a model in which OpenVINO's PrePostProcessor has put mean and scale
// with the model without them, which gets them from package preprocess. The picture has the size of
// the input.
func TestPrePostProcessor(t *testing.T) {
	picture := image.NewNRGBA(image.Rect(0, 0, 5, 6))
	for i := range picture.Pix {
		picture.Pix[i] = uint8(i * 37)
	}
	picture.SetNRGBA(1, 2, color.NRGBA{R: 255, A: 255})
	infer := func(name string, recipe preprocess.Image) []float32 {
		model, err := vinoir.Open("testdata/ir/PrePostProcessor/" + name + "/model.xml")
		require.NoError(t, err)
		input := model.Inputs()[0]
		tensor, err := recipe.TensorFor(input.Type, input.Shape, picture)
		require.NoError(t, err)
		outputs, err := model.Infer(context.Background(), vinoir.Tensors{input.Name: tensor})
		require.NoError(t, err)
		prob, err := ir.DataOf[float32](outputs["prob"])
		require.NoError(t, err)
		return prob
	}
	mean, scale := []float64{123.675, 116.28, 103.53}, []float64{58.395, 57.12, 57.375}
	want := infer("without", preprocess.Image{Mean: mean, Scale: scale})
	assert.InDeltaSlice(t, want, infer("u8_nhwc_bgr", preprocess.Image{Color: preprocess.BGR}), 1e-5)
}

// TestProgram_picture checks that the program of docs/program.md that classifies a picture is
// Example_picture, except for the names of the files and the number of classes, and has at most 12
// lines.
func TestProgram_picture(t *testing.T) {
	lines := func(path, from string) []string {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		_, text, found := strings.Cut(string(data), from)
		require.True(t, found, path)
		text, _, _ = strings.Cut(text, "\n}\n")
		return strings.Split(text, "\n")
	}
	example := strings.Join(lines("example_picture_test.go", "func Example_picture() {\n"), "\n")
	example, _, _ = strings.Cut(example, "\n\t// Output:")
	example = strings.NewReplacer(
		"testdata/ir/PrePostProcessor/without/model.xml", "resnet18.xml", "preprocess/testdata/smooth.jpg", "cat.jpg",
		`ir.TopK(outputs[model.Outputs()[0].Name], 1))[0][0].Index)`, `ir.TopK(outputs[model.Outputs()[0].Name], 5)))`,
	).Replace(example)
	page := lines("docs/program.md", "func main() {\n")
	assert.LessOrEqual(t, len(page)+2, 12)
	for i, line := range page {
		line, _, _ = strings.Cut(line, " // ")
		page[i] = line
	}
	assert.Equal(t, example, strings.Join(page, "\n"))
}
