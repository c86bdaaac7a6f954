// Package text turns text into the tokens of a language model, and tokens into text, as the
// tokenizers of OpenVINO do.
//
//	tokenizer, err := text.Open("model")
//	encoding, err := tokenizer.Encode(ctx, []string{"Hello, world!"}, text.EncodeOptions{})
//	texts, err := tokenizer.Decode(ctx, [][]int32{encoding.Row(0)}, text.DecodeOptions{})
//
// A folder with a tokenizer has one of these files. Of several, the first one counts:
//
//  1. openvino_tokenizer.xml, and openvino_detokenizer.xml: models that OpenVINO Tokenizers writes.
//     They come first because the models of the folder were made for them.
//  2. tokenizer.json, with the ids and texts of Hugging Face's library. It says all steps, which a
//     SentencePiece model beside it does not.
//  3. A SentencePiece model: tokenizer.model, spiece.model, sentencepiece.bpe.model,
//     sentencepiece.model, or source.spm, with target.spm and vocab.json. Alone, it gives the ids
//     and texts of the sentencepiece library. With a tokenizer_config.json or config.json beside
//     it that names a class of Hugging Face's transformers, they are those of that class:
//     LlamaTokenizer, GemmaTokenizer, T5Tokenizer, XLMRobertaTokenizer, AlbertTokenizer or
//     MarianTokenizer, with the tokens that tokenizer_config.json, special_tokens_map.json and
//     added_tokens.json add. Other classes are an error, since their ids can be others than those
//     of the model.
//
// See RATIONALE.md for what is computed by the models, and what is not.
package text

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/extension"
	"github.com/vinoir/vinoir/plugin"
)

// The files of a tokenizer.
const (
	tokenizerXML   = "openvino_tokenizer.xml"
	detokenizerXML = "openvino_detokenizer.xml"
)

// Options are options for opening a tokenizer. Zero fields mean the defaults.
type Options struct {
	// Ops lists the layer types; nil means those that tokenizers have.
	Ops []ops.Op
	// Threads is the number of threads of a call; 0 means 1. Calls of several goroutines run at the
	// same time in any case.
	Threads int
	// Limits bounds the memory that the models can ask for. MaxTensorBytes bounds the tokens of an
	// Encoding, too.
	Limits plugin.Options
}

// Tokenizer encodes and decodes texts. It is safe for concurrent use.
type Tokenizer struct {
	core     *plugin.Core
	registry *plugin.Registry
	threads  int
	limits   plugin.Options
	kept     int64       // bytes
	models   []*ir.Model // to close

	mu       sync.Mutex
	compiled []*plugin.CompiledModel // to close, guarded by mu

	encoder *encoder
	decoder *decoder // nil without a detokenizer
	special Special
	chat    string
}

// Open opens the tokenizer in the folder dir: openvino_tokenizer.xml, or else tokenizer.json, or
// else a SentencePiece model, with what tokenizer_config.json, special_tokens_map.json and the like
// say beside it. dir can also be the path of a SentencePiece model, which is then read even if
// there are other tokenizers in its folder. An error that it returns names the folder and the file,
// and wraps an *ir.FormatError if a model is invalid, or a *plugin.UnsupportedError, which lists
// all layers that have no kernel. It is no error if there is no detokenizer; Decode then returns
// ErrNoDetokenizer.
func Open(dir string) (*Tokenizer, error) { return Options{}.Open(dir) }

// OpenFS is Open for a folder in a file system, such as an embed.FS.
func OpenFS(fsys fs.FS, dir string) (*Tokenizer, error) { return Options{}.OpenFS(fsys, dir) }

// Open is like the function Open.
func (o Options) Open(dir string) (*Tokenizer, error) {
	folder, name := dir, "."
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		folder, name = filepath.Dir(dir), filepath.Base(dir)
	}
	t, err := o.OpenFS(os.DirFS(folder), name)
	if err != nil {
		return nil, faults.Errorf("%s: %w", folder, err)
	}
	return t, nil
}

// ErrNoDetokenizer is the error of Decode without a detokenizer.
var ErrNoDetokenizer = errors.New("there is no " + detokenizerXML)

// OpenFS is like the function OpenFS.
func (o Options) OpenFS(fsys fs.FS, dir string) (*Tokenizer, error) {
	list := o.Ops
	if list == nil {
		list = Ops()
	}
	registry, err := plugin.NewRegistry(list...)
	if err != nil {
		return nil, err
	}
	t := &Tokenizer{registry: registry, core: plugin.NewCore(registry, o.Limits), threads: max(o.Threads, 1), limits: o.Limits}
	if err := t.open(fsys, dir); err != nil {
		_ = t.Close()
		return nil, err
	}
	return t, nil
}

// open opens the files.
func (t *Tokenizer) open(fsys fs.FS, dir string) error {
	if info, err := fs.Stat(fsys, dir); err == nil && !info.IsDir() {
		return t.openPieces(fsys, path.Dir(dir), path.Base(dir))
	}
	ctx := context.Background()
	model, err := t.read(fsys, path.Join(dir, tokenizerXML))
	if errors.Is(err, fs.ErrNotExist) {
		if other := t.openHF(fsys, dir); !errors.Is(other, fs.ErrNotExist) {
			return other
		}
		if other := t.openPieces(fsys, dir, ""); !errors.Is(other, fs.ErrNotExist) {
			return other
		}
	}
	if err != nil {
		return err
	}
	if t.encoder, err = newEncoder(ctx, t, model); err != nil {
		return faults.Errorf("%s: %w", path.Join(dir, tokenizerXML), err)
	}
	infos := []*ir.Model{model}
	back, err := t.read(fsys, path.Join(dir, detokenizerXML))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		infos = append(infos, back)
		if t.decoder, err = newDecoder(ctx, t, back); err != nil {
			return faults.Errorf("%s: %w", path.Join(dir, detokenizerXML), err)
		}
	}
	folder, err := readFolder(fsys, dir, infos)
	if err != nil {
		return err
	}
	t.chat = folder.template
	t.special = folder.special
	if err := t.nameSpecial(ctx); err != nil {
		return err
	}
	// What is computed without a graph has its own memory.
	if t.encoder.direct != nil {
		err = t.release(model)
	}
	if back != nil && t.decoder.direct != nil {
		err = faults.Join(err, t.release(back))
	}
	return err
}

// release closes a model that nothing reads any more.
func (t *Tokenizer) release(model *ir.Model) error {
	t.models = slices.DeleteFunc(t.models, func(m *ir.Model) bool { return m == model })
	return model.Close()
}

// read reads a model, which Close closes.
func (t *Tokenizer) read(fsys fs.FS, name string) (*ir.Model, error) {
	model, err := irxml.ReadFS(fsys, name, irxml.ReadOptions{})
	if err == nil {
		t.models = append(t.models, model)
	}
	return model, err
}

// compile compiles a model, which Close closes, for calls of one goroutine each.
func (t *Tokenizer) compile(ctx context.Context, model *ir.Model) (*requests, error) {
	compiled, err := t.core.CompileModel(ctx, model, plugin.CompileOptions{InferenceNumThreads: t.threads})
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	t.compiled = append(t.compiled, compiled)
	t.mu.Unlock()
	r := &requests{compiled: compiled}
	r.pool.New = func() any { return compiled.NewInferRequest() }
	return r, nil
}

// maxBytes bounds the memory of a call, and that of what is kept for all calls.
func (t *Tokenizer) maxBytes() int64 {
	if bytes := t.limits.MaxTotalBytes; bytes > 0 {
		return bytes
	}
	return min(16<<30, math.MaxInt)
}

// maxTokens returns the largest number of tokens of an Encoding.
func (t *Tokenizer) maxTokens() int64 {
	bytes := t.limits.MaxTensorBytes
	if bytes <= 0 {
		bytes = 1 << 29
	}
	return bytes / 4
}

// preparation returns the Preparation of a layer, whose inputs are known if they are constant.
func (t *Tokenizer) preparation(layer *ir.Layer) (*ops.Preparation, error) {
	op, err := t.registry.Op(layer)
	if err != nil {
		return nil, err
	}
	p := &ops.Preparation{Layer: layer, Inputs: make([]ir.Fact, len(layer.Inputs)), Threads: 1, Charge: t.charge}
	if op.Attributes != nil {
		if p.Attributes, err = op.Attributes(ir.AttributesOf(layer)); err != nil {
			return nil, err
		}
	}
	for i := range layer.Inputs {
		constant, err := t.valueOf(layer.Inputs[i])
		if err != nil {
			return nil, err
		}
		if constant != nil {
			p.Inputs[i] = ir.Fact{Type: constant.ElementType(), Shape: ir.StaticShape(constant.Shape()...), Tensor: constant}
		}
	}
	return p, nil
}

// valueOf returns the constant that an input reads, or the f32 numbers of a Convert of constant f16
// ones, as OpenVINO saves them; nil if it reads something else.
func (t *Tokenizer) valueOf(in ir.Input) (*ir.Tensor, error) {
	if in.Source == nil || in.Source.Type != "Convert" {
		return constantOf(in), nil
	}
	to := ir.AttributesOf(in.Source).ElementType("destination_type", ir.Dynamic)
	from := constantOf(in.Source.Inputs[0])
	if from == nil || from.ElementType() != ir.F16 || to != ir.F32 {
		return nil, nil
	}
	if err := t.charge(int64(4 * from.Len())); err != nil {
		return nil, err
	}
	tensor, err := ir.NewTensor(ir.F32, from.Shape()...)
	if err != nil {
		return nil, err
	}
	half.F16sToF32s(ir.Data[float32](tensor), ir.Data[uint16](from))
	return tensor, nil
}

// charge counts memory that is kept for all calls.
func (t *Tokenizer) charge(bytes int64) error {
	if t.kept += bytes; t.kept > t.maxBytes() {
		return faults.Errorf("the tokenizer needs more than the limit of %d bytes", t.maxBytes())
	}
	return nil
}

// requests are the requests of a compiled model, which calls reuse.
type requests struct {
	compiled *plugin.CompiledModel
	pool     sync.Pool // of *plugin.InferRequest
}

// infer runs the model on input, and calls read with the request that has the outputs.
func (r *requests) infer(ctx context.Context, input *ir.Tensor, read func(*plugin.InferRequest) error) error {
	request := r.pool.Get().(*plugin.InferRequest)
	defer r.pool.Put(request)
	if err := request.SetInput(0, input); err != nil {
		return err
	}
	if err := request.Infer(ctx); err != nil {
		return err
	}
	return read(request)
}

// Close frees what the tokenizer holds. It must not be called during other calls.
func (t *Tokenizer) Close() error {
	for _, compiled := range t.compiled {
		compiled.Close()
	}
	var all []error
	for _, model := range t.models {
		all = append(all, model.Close())
	}
	return faults.Join(all...)
}

// Special returns the special tokens that the files name.
func (t *Tokenizer) Special() Special { return t.special }

// ChatTemplate returns the text of the chat template, "" if there is none: that of
// tokenizer_config.json, processor_config.json, chat_template.json, chat_template.jinja, or the
// rt_info of the models, each of which replaces those before it. Of several templates with names,
// it is the one named "default".
func (t *Tokenizer) ChatTemplate() string { return t.chat }

// Ops returns the layer types of tokenizers: those of package extension, and those of OpenVINO that
// stand between them.
func Ops() []ops.Op { return slices.Concat(append(families, extension.Ops())...) }
