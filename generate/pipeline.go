package generate

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/text/chat"
)

// Template makes a text of the messages of a chat, with what an answer begins with at the end.
type Template func(ctx context.Context, messages []chat.Message) (string, error)

// ChatTemplate returns a Template that renders t. in has what it needs besides the messages: the
// special tokens of the tokenizer, such as "bos_token", tools and variables.
func ChatTemplate(t *chat.Template, in chat.Input) Template {
	in.AddGenerationPrompt = true
	return func(ctx context.Context, messages []chat.Message) (string, error) {
		in := in
		in.Messages = messages
		return t.Render(ctx, in)
	}
}

// Pipeline makes texts with a Model and a Tokenizer. It is safe for concurrent use: each call has a
// Session of its own, and their memory is used again.
type Pipeline struct {
	model     *Model
	tokenizer Tokenizer
	options   PipelineOptions
	sessions  sync.Pool // of *Session
}

// PipelineOptions are options for a Pipeline.
type PipelineOptions struct {
	// Template makes texts of chats. If it is nil, prompts are used as they are, and there are no
	// chats.
	Template Template
	// Draft, if it is not nil, guesses tokens, see Model.NewAssistedSession.
	Draft *Model
}

// NewPipeline returns a Pipeline.
func NewPipeline(model *Model, tokenizer Tokenizer, options PipelineOptions) (*Pipeline, error) {
	if model == nil || tokenizer == nil {
		return nil, errors.New("a Pipeline needs a Model and a Tokenizer")
	}
	p := &Pipeline{model: model, tokenizer: tokenizer, options: options}
	p.sessions.New = func() any { return p.newSession() }
	return p, nil
}

func (p *Pipeline) newSession() *Session { return p.model.newSession(p.tokenizer, p.options.Draft) }

// Config returns the settings of the model.
func (p *Pipeline) Config() Config { return p.model.Config() }

// Model returns the model.
func (p *Pipeline) Model() *Model { return p.model }

// Generate continues prompt by config. If the Pipeline has a template, and config does not exclude
// it, prompt is the message of a user, and the result an answer to it.
func (p *Pipeline) Generate(ctx context.Context, prompt string, config Config) (Result, error) {
	results, err := p.GenerateBatch(ctx, []string{prompt}, config)
	if err != nil {
		return Result{}, err
	}
	return results[0], nil
}

// GenerateBatch is Generate for several prompts at once.
func (p *Pipeline) GenerateBatch(ctx context.Context, prompts []string, config Config) ([]Result, error) {
	tokens := make([][]int32, len(prompts))
	for i, prompt := range prompts {
		var err error
		if tokens[i], err = p.encodePrompt(ctx, Prompt{Text: prompt}, &config); err != nil {
			return nil, faults.Errorf("prompt %d: %w", i, err)
		}
	}
	return p.generate(ctx, tokens, config)
}

// generate continues prompts by config.
func (p *Pipeline) generate(ctx context.Context, prompts [][]int32, config Config) ([]Result, error) {
	session := p.sessions.Get().(*Session)
	defer p.sessions.Put(session)
	results, err := session.Generate(ctx, prompts, config)
	if err != nil {
		return nil, err
	}
	return results, p.decode(ctx, results)
}

// decode sets the texts of results.
func (p *Pipeline) decode(ctx context.Context, results []Result) error {
	var text []byte
	for i := range results {
		for k := range results[i].Sequences {
			s, err := &results[i].Sequences[k], error(nil)
			if text, err = p.tokenizer.AppendDecode(ctx, text[:0], s.Tokens); err != nil {
				return err
			}
			s.Text = string(text)
		}
	}
	return nil
}

// StreamTo is Generate for one sequence whose text receive gets piece by piece, as soon as it can
// no longer change. receive must not keep piece.
func (p *Pipeline) StreamTo(ctx context.Context, prompt string, config Config, receive func(piece []byte) Status) (Result, error) {
	return p.StreamPromptTo(ctx, Prompt{Text: prompt}, config, receive)
}

// answer returns a function that continues tokens by config, and sends the new tokens to out.
func (s *Session) answer(ctx context.Context, tokens []int32, config Config) func(out receiver) (Result, error) {
	return func(out receiver) (Result, error) {
		results, err := s.generate(ctx, [][]int32{tokens}, config, out)
		if err != nil {
			return Result{}, err
		}
		return results[0], nil
	}
}

// streamTo streams the text of the tokens that answer sends. It also returns what receive has
// answered last.
func (p *Pipeline) streamTo(ctx context.Context, answer func(out receiver) (Result, error), receive func(piece []byte) Status) (Result, Status, error) {
	stream, last := NewStreamer(p.tokenizer), Running
	send := func(piece []byte, err error) (Status, error) {
		if err == nil && len(piece) > 0 && last == Running {
			last = receive(piece)
		}
		return last, err
	}
	result, err := answer(func(tokens []int32) (Status, error) { return send(stream.Write(ctx, tokens)) })
	if err != nil {
		return Result{}, last, err
	}
	if _, err := send(stream.End(ctx)); err != nil {
		return Result{}, last, err
	}
	return result, last, p.decode(ctx, []Result{result})
}

// Stream yields the pieces of the text of StreamTo. The last value may be an error.
func (p *Pipeline) Stream(ctx context.Context, prompt string, config Config) iter.Seq2[string, error] {
	return pieces(func(receive func(piece []byte) Status) error {
		_, err := p.StreamTo(ctx, prompt, config, receive)
		return err
	})
}

// pieces yields what stream gives to its receiver, and then its error, if there is one.
func pieces(stream func(receive func(piece []byte) Status) error) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		ended := false
		err := stream(func(piece []byte) Status {
			if ended = !yield(string(piece), nil); ended {
				return Cancel
			}
			return Running
		})
		if err != nil && !ended {
			yield("", err)
		}
	}
}
