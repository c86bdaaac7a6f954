package generate

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/modeldir"
	"github.com/vinoir/vinoir/internal/textinput"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// Names of the files of a model directory.
const (
	modelFile            = "openvino_model.xml"
	configFile           = "config.json"
	generationConfigFile = "generation_config.json"
	tokenizerFile        = "openvino_tokenizer.xml"
)

// Defaults of Options.Limits.
const (
	maxPlans     = 1024
	maxPlanBytes = 32 << 20
)

// Options are options for opening a Model. Zero fields other than Ops mean the defaults.
type Options struct {
	// Ops lists the layer types: builtin.Ops(), or less for a smaller program.
	Ops []ops.Op
	// CompileOptions are the options of Core.CompileModel: threads, precision and others.
	plugin.CompileOptions
	// Limits bounds the memory that the model can ask for. MaxTotalBytes bounds that of each
	// Session, and MaxTensorBytes the logits of a step. Kernels that cannot be changed for another
	// length of a text are prepared for each length, and used again by all texts that reach it:
	// so 0 for MaxPlans means 1024 here, and 0 for MaxPlanBytes 32 MiB.
	Limits plugin.Options
	// Adapters are LoRA adapters, whose products are added to those of the model:
	// Config.AdapterAlphas says how much of each. The weights of the model can be of any type.
	Adapters []*Adapter
	// Reading has limits for reading the model.
	Reading irxml.ReadOptions
}

// Model is a language model that is ready to run. It is safe for concurrent use: each Session has
// variables of its own.
type Model struct {
	source   *ir.Model
	compiled *plugin.CompiledModel
	config   Config
	options  Options // that the model was compiled with
	limits   plugin.Options
	// ids, mask, positions, beams, rows and alphas are the numbers of the inputs; -1 if the model
	// has none.
	ids, mask, positions, beams, rows, alphas int
	adapters                                  int
	logits, vocabulary, maxPositions          int
	axes                                      map[string]int // see appendAxes
}

// Open opens the model in the directory dir, as optimum-intel writes it, with all layer types of
// vinoir: openvino_model.xml and its .bin. generation_config.json and config.json, if there are
// any, have its default Config.
func Open(dir string) (*Model, error) { return Options{Ops: builtin.Ops()}.Open(dir) }

// Open is like the function Open, with the layer types that o lists.
func (o Options) Open(dir string) (*Model, error) {
	// The file system of a directory, except that the .bin can be mapped.
	read := func() (*ir.Model, error) { return irxml.ReadFile(path.Join(dir, modelFile), o.Reading) }
	return o.open(os.DirFS(dir), ".", read)
}

// OpenFS is Open for a directory in a file system, such as an embed.FS.
func (o Options) OpenFS(fsys fs.FS, dir string) (*Model, error) {
	read := func() (*ir.Model, error) { return irxml.ReadFS(fsys, path.Join(dir, modelFile), o.Reading) }
	return o.open(fsys, dir, read)
}

func (o Options) open(fsys fs.FS, dir string, read func() (*ir.Model, error)) (*Model, error) {
	config, err := readConfig(fsys, dir)
	if err != nil {
		return nil, err
	}
	source, err := read()
	if err != nil {
		return nil, err
	}
	return o.New(context.Background(), source, config)
}

// New compiles a language model, with the Config that Model.Config returns. It takes over source:
// Close closes it, and so does an error.
func (o Options) New(ctx context.Context, source *ir.Model, config Config) (*Model, error) {
	o.Limits.MaxPlans = cmp.Or(o.Limits.MaxPlans, maxPlans)
	o.Limits.MaxPlanBytes = cmp.Or(o.Limits.MaxPlanBytes, maxPlanBytes)
	m := &Model{source: source, config: config, options: o, limits: o.Limits, adapters: len(o.Adapters)}
	if err := m.compile(ctx, o); err != nil {
		_ = source.Close() // the error of compiling is the one to report
		return nil, faults.Errorf("language model %q: %w", source.Name, err)
	}
	return m, nil
}

// readConfig returns the Config of a model directory.
func readConfig(fsys fs.FS, dir string) (Config, error) {
	config := DefaultConfig()
	if err := modeldir.ReadJSON(fsys, path.Join(dir, generationConfigFile), &config); err != nil || len(config.StopTokenIDs) > 0 {
		return config, err
	}
	var err error
	if config.StopTokenIDs, err = endOfTokenizer(fsys, path.Join(dir, tokenizerFile)); err != nil || len(config.StopTokenIDs) > 0 {
		return config, err
	}
	var of struct {
		EOSTokenID idList `json:"eos_token_id"`
	}
	err = modeldir.ReadJSON(fsys, path.Join(dir, configFile), &of)
	config.StopTokenIDs = of.EOSTokenID
	return config, err
}

// endOfTokenizer returns the token for the end of a text that the rt_info of a tokenizer has, if
// there is one.
func endOfTokenizer(fsys fs.FS, name string) ([]int32, error) {
	model, err := irxml.ReadFS(fsys, name, irxml.ReadOptions{NoBin: true})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || model.RTInfo == nil {
		return nil, err
	}
	e := model.RTInfo.SelectElement("eos_token_id")
	if e == nil || e.SelectAttr("value") == nil {
		return nil, nil
	}
	id, err := strconv.ParseInt(e.SelectAttrValue("value", ""), 10, 32)
	if err != nil {
		return nil, faults.Errorf("%s: eos_token_id: %w", name, err)
	}
	return []int32{int32(id)}, nil
}

// compile compiles m.source.
func (m *Model) compile(ctx context.Context, o Options) error {
	if len(o.Ops) == 0 {
		return errors.New("Options.Ops lists no layer types, as builtin.Ops does")
	}
	registry, err := plugin.NewRegistry(o.Ops...)
	if err != nil {
		return err
	}
	if len(m.source.Results) == 0 {
		return errors.New("it has no output")
	}
	m.logits = outputNamed(m.source, "logits")
	changed, selected, err := rewrite(ctx, m.source, registry, m.logits, o.Adapters, false)
	if err != nil {
		return err
	}
	shapes, err := infer.Propagate(ctx, changed, registry, nil)
	if err != nil {
		return err
	}
	m.axes, m.maxPositions = appendAxes(changed, shapes), countPositions(changed, shapes)
	m.compiled, err = plugin.NewCore(registry, o.Limits).CompileModel(ctx, changed, o.CompileOptions)
	if err != nil {
		return err
	}
	if err := m.findPorts(selected); err != nil {
		m.compiled.Close()
		return err
	}
	return nil
}

// findPorts finds the inputs and the vocabulary of the compiled model.
func (m *Model) findPorts(selected bool) error {
	m.rows, m.alphas = -1, -1
	var added []textinput.Input
	if selected {
		added = append(added, textinput.Input{Name: rowsInput, Type: ir.I64, Number: &m.rows})
	}
	if m.adapters > 0 {
		added = append(added, textinput.Input{Name: alphasInput, Type: ir.F32, Number: &m.alphas})
	}
	if err := textinput.Find(m.compiled.Inputs(), []textinput.Input{
		textinput.Of(textinput.IDs, &m.ids), textinput.Of(textinput.Mask, &m.mask),
		textinput.Of(textinput.Positions, &m.positions), textinput.Of(textinput.Beams, &m.beams),
	}, added...); err != nil {
		return err
	}
	port := m.compiled.Outputs()[m.logits]
	if port.Shape.Rank() != 3 || !port.Shape.At(2).IsStatic() || port.Shape.At(2).Min == 0 {
		return faults.Errorf("output %q is %v%v, not f32[?,?,n] with the size n of the vocabulary", port.Name, port.Type, port.Shape)
	}
	m.vocabulary = int(port.Shape.At(2).Min)
	return nil
}

// maxTensorBytes returns the limit of a tensor, as plugin.NewCore takes it.
func (m *Model) maxTensorBytes() int64 {
	switch {
	case m.limits.MaxTensorBytes > 0:
		return m.limits.MaxTensorBytes
	case math.MaxInt == math.MaxInt32:
		return 512 << 20
	}
	return 4 << 30
}

// Config returns the settings that the model directory has, or that New was given.
func (m *Model) Config() Config {
	c := m.config
	c.StopTokenIDs, c.StopStrings = slices.Clone(c.StopTokenIDs), slices.Clone(c.StopStrings)
	return c
}

// VocabularySize returns the number of tokens that the model knows: those from 0 to one less.
func (m *Model) VocabularySize() int { return m.vocabulary }

// Compiled returns the compiled model, to ask for its memory, for example. Its inputs are those of
// the file and, if the product with the vocabulary was found, one for the positions of the logits.
func (m *Model) Compiled() *plugin.CompiledModel { return m.compiled }

// Close stops the goroutines of the model and unmaps its weights if they are mapped. No Session may
// be in use during Close, or afterwards if the weights are mapped. Without Options.Reading.MMap,
// Close is optional: the garbage collector does the same.
func (m *Model) Close() error {
	m.compiled.Close()
	return m.source.Close()
}
