// Package llm opens all that the directory of a language model has: the model, its tokenizer, its
// chat template and its default settings.
//
//	pipeline, err := llm.Open("model")
//	defer pipeline.Close()
//	for piece, err := range pipeline.Stream(ctx, "Why is the sky blue?", pipeline.Config()) {
//
// The directory is what optimum-intel exports, and what OpenVINO GenAI opens. A program that has a
// tokenizer of its own needs package generate only, and does not link those of package text.
package llm

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/vinoir/vinoir/generate"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/text"
	"github.com/vinoir/vinoir/text/chat"
)

// Options are options for opening a directory. Zero fields other than Model.Ops mean the defaults.
type Options struct {
	// Model are the options for the model: layer types, threads, precision, limits, adapters.
	Model generate.Options
	// Tokenizer are the options for the tokenizer.
	Tokenizer text.Options
	// Draft is the directory of a smaller model with the same tokens, which guesses what the model
	// answers, see generate.Model.NewAssistedSession. It is opened with DraftModel, or with Model
	// without its adapters if DraftModel has no Ops.
	Draft      string
	DraftModel generate.Options
	// Template replaces the chat template of the directory, and NoTemplate ignores it: prompts are
	// then used as they are, and there are no chats.
	Template   string
	NoTemplate bool
	// Chat is what the template gets besides the messages: tools, documents, variables. Tokens are
	// those of the tokenizer, with those that Chat has added.
	Chat chat.Input
}

// Pipeline is a generate.Pipeline with what was opened for it. It is safe for concurrent use.
type Pipeline struct {
	*generate.Pipeline
	tokenizer *text.Tokenizer
	draft     *generate.Model // nil if there is none
}

// Open opens the directory dir with all layer types of vinoir. A directory without a chat template
// is no error: prompts are then used as they are.
func Open(dir string) (*Pipeline, error) { return all().Open(dir) }

// OpenFS is Open for a directory in a file system, such as an embed.FS.
func OpenFS(fsys fs.FS, dir string) (*Pipeline, error) { return all().OpenFS(fsys, dir) }

// all returns Options with all layer types.
func all() Options { return Options{Model: generate.Options{Ops: builtin.Ops()}} }

// Open is like the function Open, with the layer types that o.Model lists.
func (o Options) Open(dir string) (*Pipeline, error) {
	return o.open(os.DirFS(dir), ".", func(m generate.Options) (*generate.Model, error) { return m.Open(dir) },
		func(m generate.Options) (*generate.Model, error) { return m.Open(o.Draft) })
}

// OpenFS is like the function OpenFS, with the layer types that o.Model lists. Draft is a directory
// of fsys too.
func (o Options) OpenFS(fsys fs.FS, dir string) (*Pipeline, error) {
	return o.open(fsys, dir, func(m generate.Options) (*generate.Model, error) { return m.OpenFS(fsys, dir) },
		func(m generate.Options) (*generate.Model, error) { return m.OpenFS(fsys, o.Draft) })
}

// open opens the tokenizer first: it is small, and shows most of what can be wrong.
func (o *Options) open(fsys fs.FS, dir string, model, draft func(generate.Options) (*generate.Model, error)) (*Pipeline, error) {
	p := &Pipeline{}
	var err error
	if p.tokenizer, err = o.Tokenizer.OpenFS(fsys, dir); err != nil {
		return nil, err
	}
	if err = p.open(o, model, draft); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *Pipeline) open(o *Options, model, draft func(generate.Options) (*generate.Model, error)) error {
	// Without a detokenizer, the first answer would be the first error.
	if _, err := p.tokenizer.AppendDecode(context.Background(), nil, nil); err != nil {
		return err
	}
	var options generate.PipelineOptions
	var err error
	if options.Template, err = o.template(p.tokenizer); err != nil {
		return err
	}
	if o.Draft != "" {
		with := o.DraftModel
		if len(with.Ops) == 0 {
			with = o.Model
			with.Adapters = nil
		}
		if p.draft, err = draft(with); err != nil {
			return err
		}
		options.Draft = p.draft
	}
	m, err := model(o.Model)
	if err != nil {
		return err
	}
	if p.Pipeline, err = generate.NewPipeline(m, p.tokenizer, options); err != nil {
		return errors.Join(err, m.Close())
	}
	return nil
}

// template returns the chat template; nil if there is none.
func (o *Options) template(tokenizer *text.Tokenizer) (generate.Template, error) {
	source := o.Template
	if source == "" {
		source = tokenizer.ChatTemplate()
	}
	if o.NoTemplate || source == "" {
		return nil, nil
	}
	parsed, err := chat.Parse(source)
	if err != nil {
		return nil, err
	}
	in := o.Chat
	in.Tokens = make(map[string]string)
	special := tokenizer.Special()
	for name, token := range map[string]string{"bos_token": special.BOS, "eos_token": special.EOS, "pad_token": special.Pad} {
		if token != "" {
			in.Tokens[name] = token
		}
	}
	for name, token := range o.Chat.Tokens {
		in.Tokens[name] = token
	}
	return generate.ChatTemplate(parsed, in), nil
}

// Tokenizer returns the tokenizer.
func (p *Pipeline) Tokenizer() *text.Tokenizer { return p.tokenizer }

// Draft returns the model that guesses; nil if there is none.
func (p *Pipeline) Draft() *generate.Model { return p.draft }

// Close closes the model, the tokenizer and the draft model. It must not be called during other
// calls.
func (p *Pipeline) Close() error {
	err := p.tokenizer.Close()
	if p.draft != nil {
		err = errors.Join(err, p.draft.Close())
	}
	if p.Pipeline != nil {
		err = errors.Join(err, p.Model().Close())
	}
	return err
}
