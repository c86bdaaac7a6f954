package generate

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"github.com/vinoir/vinoir/text/chat"
)

// Chat is a conversation. It keeps the keys and values of its tokens, so that only new messages are
// computed. Its methods run one at a time; they return ErrBusy while another one runs.
type Chat struct {
	pipeline *Pipeline
	session  *Session
	mu       sync.Mutex // held by a call
	messages []chat.Message
}

// NewChat returns a Chat, which begins with a message of the system unless system is empty. The
// Pipeline must have a Template.
func (p *Pipeline) NewChat(system string) (*Chat, error) {
	if p.options.Template == nil {
		return nil, errors.New("a Chat needs a Pipeline with a Template")
	}
	c := &Chat{pipeline: p, session: p.newSession()}
	if system != "" {
		c.messages = []chat.Message{{Role: "system", Content: system}}
	}
	return c, nil
}

// Config returns the settings of the model.
func (c *Chat) Config() Config { return c.pipeline.Config() }

// Messages returns the messages so far; nil while a method runs.
func (c *Chat) Messages() []chat.Message {
	if !c.mu.TryLock() {
		return nil
	}
	defer c.mu.Unlock()
	return slices.Clone(c.messages)
}

// SetMessages replaces all messages, as for a conversation that a program keeps itself.
func (c *Chat) SetMessages(messages []chat.Message) error {
	if !c.mu.TryLock() {
		return ErrBusy
	}
	defer c.mu.Unlock()
	c.messages = slices.Clone(messages)
	return nil
}

// Send adds a message of the user, and returns the answer of the assistant, which it adds too: the
// first sequence of the Result. After an error, the messages are as before.
func (c *Chat) Send(ctx context.Context, message string, config Config) (Result, error) {
	return c.turn(ctx, message, func(tokens []int32) (Result, Status, error) {
		results, err := c.session.Generate(ctx, [][]int32{tokens}, config)
		if err != nil {
			return Result{}, Running, err
		}
		return results[0], Running, c.pipeline.decode(ctx, results)
	})
}

// SendTo is Send for one sequence whose text receive gets piece by piece. If it answers Cancel, the
// messages are as before.
func (c *Chat) SendTo(ctx context.Context, message string, config Config, receive func(piece []byte) Status) (Result, error) {
	return c.turn(ctx, message, func(tokens []int32) (Result, Status, error) {
		return c.pipeline.streamTo(ctx, c.session.answer(ctx, tokens, config), receive)
	})
}

// Stream yields the pieces of the answer to a message. A loop that ends early cancels the turn.
func (c *Chat) Stream(ctx context.Context, message string, config Config) iter.Seq2[string, error] {
	return pieces(func(receive func(piece []byte) Status) error {
		_, err := c.SendTo(ctx, message, config, receive)
		return err
	})
}

// turn adds a message and the answer that generate returns.
func (c *Chat) turn(ctx context.Context, message string, generate func(tokens []int32) (Result, Status, error)) (Result, error) {
	if !c.mu.TryLock() {
		return Result{}, ErrBusy
	}
	defer c.mu.Unlock()
	messages := append(slices.Clip(c.messages), chat.Message{Role: "user", Content: message})
	tokens, err := c.pipeline.encodeChat(ctx, messages)
	if err != nil {
		return Result{}, err
	}
	result, status, err := generate(tokens)
	if err == nil && status != Cancel {
		c.messages = append(messages, chat.Message{Role: "assistant", Content: result.Sequences[0].Text})
	}
	return result, err
}
