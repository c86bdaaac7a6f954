package generate

import (
	"context"
	"errors"
	"slices"

	"github.com/vinoir/vinoir/text/chat"
)

// Prompt is what a Pipeline or an Engine continues: at most one of Text, Messages and Tokens.
type Prompt struct {
	// Text is a text, or, if there is a Template and Config.ApplyChatTemplate is set, the message
	// of a user.
	Text string
	// Messages are a chat. There must be a Template.
	Messages []chat.Message
	// Tokens are tokens.
	Tokens []int32
	// Priority, which a Pipeline ignores, goes before the time at which prompts come: those with a
	// greater one get places and memory first, and take them from running requests with a lesser
	// one, which go on later where they were. Among those with the same priority, the oldest goes
	// first. While the queue is full, a prompt is refused whatever its priority: see ErrQueueFull.
	Priority int
}

// GeneratePrompt is Generate for a Prompt, such as a chat that a program keeps itself. If a call
// before had a chat that begins with the same messages, often only the others are computed.
func (p *Pipeline) GeneratePrompt(ctx context.Context, prompt Prompt, config Config) (Result, error) {
	tokens, err := p.encodePrompt(ctx, prompt, &config)
	if err != nil {
		return Result{}, err
	}
	results, err := p.generate(ctx, [][]int32{tokens}, config)
	if err != nil {
		return Result{}, err
	}
	return results[0], nil
}

// StreamPromptTo is StreamTo for a Prompt.
func (p *Pipeline) StreamPromptTo(ctx context.Context, prompt Prompt, config Config, receive func(piece []byte) Status) (Result, error) {
	tokens, err := p.encodePrompt(ctx, prompt, &config)
	if err != nil {
		return Result{}, err
	}
	session := p.sessions.Get().(*Session)
	defer p.sessions.Put(session)
	result, _, err := p.streamTo(ctx, session.answer(ctx, tokens, config), receive)
	return result, err
}

// encodePrompt returns the tokens of prompt.
func (p *Pipeline) encodePrompt(ctx context.Context, prompt Prompt, config *Config) ([]int32, error) {
	fields := 0
	for _, set := range []bool{prompt.Text != "", prompt.Messages != nil, prompt.Tokens != nil} {
		if set {
			fields++
		}
	}
	switch {
	case fields > 1:
		return nil, errors.New("the Prompt has more than one of Text, Messages and Tokens")
	case prompt.Tokens != nil:
		return slices.Clone(prompt.Tokens), nil
	case p.tokenizer == nil:
		return nil, errors.New("a Prompt of text needs a Tokenizer")
	case prompt.Messages != nil:
		return p.encodeChat(ctx, prompt.Messages)
	case p.options.Template == nil || !config.ApplyChatTemplate:
		return p.tokenizer.AppendEncode(ctx, nil, prompt.Text, true)
	}
	return p.encodeChat(ctx, []chat.Message{{Role: "user", Content: prompt.Text}})
}

// encodeChat returns the tokens of a chat.
func (p *Pipeline) encodeChat(ctx context.Context, messages []chat.Message) ([]int32, error) {
	if p.options.Template == nil {
		return nil, errors.New("a Prompt of Messages needs a Template")
	}
	text, err := p.options.Template(ctx, messages)
	if err != nil {
		return nil, err
	}
	return p.tokenizer.AppendEncode(ctx, nil, text, false)
}
