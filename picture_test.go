package vinoir_test

import (
	"context"
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/preprocess"
)

// TestPrePostProcessor compares a model in which OpenVINO's PrePostProcessor has put mean and scale with the model
// without them, which gets them from package preprocess. The picture has the size of the input.
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
