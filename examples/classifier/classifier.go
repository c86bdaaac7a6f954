// Package classifier names what a picture shows, with a model that classifies pictures. It is what
// the programs examples/edge and examples/wasm share, and links only the layer types of such
// models.
package classifier

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/preprocess"
)

// Options are options for a Classifier. Zero fields mean the defaults.
type Options struct {
	// Recipe makes the tensor of a picture. Its Size, Layout and Type are those of the model's
	// input.
	Recipe preprocess.Image
	// Softmax turns the output into probabilities. It is for models whose last layer is no Softmax.
	Softmax bool
	// Limits bounds the memory of the model.
	Limits plugin.Options
	// Compile has the number of threads, the precision, and whether idle threads sleep at once.
	Compile plugin.CompileOptions
}

// Classifier names what a picture shows. It is for one goroutine at a time.
type Classifier struct {
	model    *ir.Model
	compiled *plugin.CompiledModel
	request  *plugin.InferRequest
	input    plugin.Port
	labels   []string
	options  Options
}

// New returns a Classifier. The model must have one input and one output, and labels a line for
// each class. It takes over model: Close closes it, and so does an error.
func New(ctx context.Context, model *ir.Model, labels string, options Options) (*Classifier, error) {
	c := &Classifier{model: model, labels: strings.Split(strings.TrimSpace(labels), "\n"), options: options}
	if err := c.compile(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Classifier) compile(ctx context.Context) error {
	registry, err := plugin.NewRegistry(families()...)
	if err != nil {
		return err
	}
	if c.compiled, err = plugin.NewCore(registry, c.options.Limits).CompileModel(ctx, c.model, c.options.Compile); err != nil {
		return err
	}
	inputs, outputs := c.compiled.Inputs(), c.compiled.Outputs()
	if len(inputs) != 1 || len(outputs) != 1 {
		return fmt.Errorf("the model has %d inputs and %d outputs: a classifier has one of each", len(inputs), len(outputs))
	}
	c.input, c.request = inputs[0], c.compiled.NewInferRequest()
	return nil
}

// Close frees the model.
func (c *Classifier) Close() {
	if c.compiled != nil {
		c.compiled.Close()
	}
	_ = c.model.Close() // it only reads
}

// Label is a class that a picture may show.
type Label struct {
	Name  string  `json:"label"`
	Score float64 `json:"score"`
}

// Classify returns the n classes with the highest scores, the highest first.
func (c *Classifier) Classify(ctx context.Context, picture image.Image, n int) ([]Label, error) {
	tensor, err := c.options.Recipe.TensorFor(c.input.Type, c.input.Shape, picture)
	if err != nil {
		return nil, err
	}
	if err := c.request.SetInput(0, tensor); err != nil {
		return nil, err
	}
	if err := c.request.Infer(ctx); err != nil {
		return nil, err
	}
	output := c.request.Output(0)
	ranked, err := ir.TopK(output, output.Shape().Elements())
	if err != nil {
		return nil, err
	}
	if len(ranked) != 1 {
		return nil, fmt.Errorf("the output has %d rows of classes, %v, and a picture has one", len(ranked), output.Shape())
	}
	classes := ranked[0]
	if len(classes) != len(c.labels) {
		return nil, fmt.Errorf("the model has %d classes, and there are %d labels", len(classes), len(c.labels))
	}
	if math.IsNaN(classes[len(classes)-1].Value) { // NaN comes last
		return nil, errors.New("a score is not a number")
	}
	if c.options.Softmax {
		probabilities(classes)
	}
	labels := make([]Label, min(n, len(classes)))
	for i := range labels {
		labels[i] = Label{c.labels[classes[i].Index], classes[i].Value}
	}
	return labels, nil
}

// probabilities replaces the values of classes, the largest of which is first, by their Softmax.
func probabilities(classes []ir.Ranked) {
	largest, sum := classes[0].Value, 0.0
	for i := range classes {
		classes[i].Value = math.Exp(classes[i].Value - largest)
		sum += classes[i].Value
	}
	for i := range classes {
		classes[i].Value /= sum
	}
}
