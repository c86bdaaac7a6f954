package classifier

import (
	"context"
	"image"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/preprocess"
)

// open returns a Classifier with the model of examples/classify.
func open(t *testing.T, labels string, options Options) *Classifier {
	t.Helper()
	model, err := irxml.ReadFile("../classify/model.xml", irxml.ReadOptions{})
	require.NoError(t, err)
	c, err := New(context.Background(), model, labels, options)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// TestClassify compares with what examples/classify/model.py prints.
func TestClassify(t *testing.T) {
	labels, err := os.ReadFile("../classify/labels.txt")
	require.NoError(t, err)
	picture, err := preprocess.ReadFile("../classify/meadow.png", 0)
	require.NoError(t, err)

	options := Options{Recipe: preprocess.Image{Scale: []float64{255}}}
	found, err := open(t, string(labels), options).Classify(context.Background(), picture, 5)
	require.NoError(t, err)
	require.Len(t, found, 3)
	for i, want := range []Label{{"green", 0.383}, {"blue", 0.315}, {"red", 0.303}} {
		assert.Equal(t, want.Name, found[i].Name)
		assert.InDelta(t, want.Score, found[i].Score, 0.001)
	}

	options.Softmax = true
	found, err = open(t, string(labels), options).Classify(context.Background(), picture, 2)
	require.NoError(t, err)
	require.Len(t, found, 2)
	assert.InDelta(t, 0.350, found[0].Score, 0.001, "exp(0.383) / (exp(0.383) + exp(0.315) + exp(0.303))")

	_, err = open(t, "red\ngreen", options).Classify(context.Background(), picture, 1)
	assert.ErrorContains(t, err, "3 classes, and there are 2 labels")
	_, err = open(t, string(labels), options).Classify(context.Background(), image.NewGray(image.Rect(0, 0, 0, 0)), 1)
	assert.Error(t, err)
}

func TestNew_otherModels(t *testing.T) {
	for path, want := range map[string]string{
		"../scatter/model.xml":                     "ops/scatterelements",
		"../../testdata/ir/MatMul-1/f32/model.xml": "a classifier has one of each",
	} {
		model, err := irxml.ReadFile(path, irxml.ReadOptions{})
		require.NoError(t, err)
		_, err = New(context.Background(), model, "a", Options{})
		assert.ErrorContains(t, err, want, path)
	}
}
