// Package chat renders chat templates: the text that a language model is given for a conversation,
// as the template that its tokenizer comes with writes it.
//
// Templates are in Jinja2, and mean what they mean to apply_chat_template of Hugging Face's
// transformers: the same variables, functions and filters, the values of Python, and the same
// sandbox. What Python refuses is an error here, too. Templates come from strangers, so what they
// may take is bounded: see Limits.
//
// Special tokens that a message holds become text like any other, which a tokenizer can take for
// the tokens: whoever renders text of strangers must decide what to do about them before.
package chat

import (
	"context"
	"fmt"
	"time"

	"github.com/vinoir/vinoir/internal/text/jinja"
)

// Template is a chat template. Many goroutines can render one at once.
type Template struct {
	template *jinja.Template
	source   string
}

// Error says what is wrong with a template, or why it did not render. Its field Raised says that
// the template refused the conversation itself, by raise_exception.
type Error = jinja.Error

// Limits bound what a rendering may take. A zero stands for the default.
type Limits = jinja.Limits

// Parse parses a template.
//
// # Errors
//
// An *Error with the line, if the template is not valid.
func Parse(source string) (*Template, error) {
	source = valid(source)
	t, err := jinja.Parse(source)
	if err != nil {
		return nil, fmt.Errorf("chat template: %w", err)
	}
	return &Template{t, source}, nil
}

// Input is what a template renders.
type Input struct {
	// Messages is the conversation. There must be at least one message.
	Messages []Message
	// Tools are functions that the model may call: each a Tool, or what is written as JSON in the
	// form that the model expects. Nil is None to the template.
	Tools []any
	// Documents are texts that the model may quote. Nil is None to the template.
	Documents []any
	// AddGenerationPrompt ends the text where the answer of the assistant begins.
	AddGenerationPrompt bool
	// Continue is the field of the last message that the model continues, such as "content": the
	// text ends where the field does, as with continue_final_message of transformers. Empty means
	// that the message is complete.
	Continue string
	// Tokens are the special tokens of the tokenizer by their names, such as "bos_token". Templates
	// see those that are missing as undefined.
	Tokens map[string]string
	// Variables are further variables of the template, such as "enable_thinking". They replace
	// Tokens of the same name, but not the fields above. For their values see Object.
	Variables map[string]any
	// Now is the time that templates see. The zero time stands for the current one.
	Now time.Time
	// Limits bound what the rendering may take. The defaults of Memory and Output grow with the
	// input: by 64 and 16 bytes for each byte of its text.
	Limits Limits
}

// Render renders the template.
//
// # Errors
//
// An *Error if the template refuses the conversation, if it does what is an error in Python, or if
// it takes more than the limits; the error of ctx if it is done first; and an error for values that
// cannot be converted, and for a field to continue that the last message or the text has not.
func (t *Template) Render(ctx context.Context, in Input) (string, error) {
	var c converter
	variables, err := in.variables(&c)
	if err != nil {
		return "", fmt.Errorf("chat template: %w", err)
	}
	var end string
	if in.Continue != "" {
		messages := variables["messages"].(*jinja.List).Items()
		if end, err = in.mark(messages[len(messages)-1].(*jinja.Dict), t.source); err != nil {
			return "", fmt.Errorf("chat template: %w", err)
		}
	}
	now := in.Now
	if now.IsZero() {
		now = time.Now()
	}
	text, err := t.template.Render(ctx, variables, jinja.Options{Now: now, Limits: in.limits(c.bytes)})
	if err == nil && in.Continue != "" {
		text, err = cut(text, end)
	}
	if err != nil {
		return "", fmt.Errorf("chat template: %w", err)
	}
	return text, nil
}

// limits returns the limits for an input of n bytes of text. Templates copy what they are given a
// few times, so what they may make grows with it.
func (in *Input) limits(n int) Limits {
	l := in.Limits
	if l.Memory <= 0 {
		l.Memory = jinja.DefaultMemory + 64*n
	}
	if l.Output <= 0 {
		l.Output = jinja.DefaultOutput + 16*n
	}
	return l
}

// variables returns what the template sees.
func (in *Input) variables(c *converter) (map[string]jinja.Value, error) {
	if len(in.Messages) == 0 {
		return nil, fmt.Errorf("conversation without messages")
	}
	all := make(map[string]jinja.Value, 4+len(in.Tokens)+len(in.Variables))
	for name, token := range in.Tokens {
		all[name] = c.text(token)
	}
	for name, v := range in.Variables {
		converted, err := c.convert(v, 0)
		if err != nil {
			return nil, fmt.Errorf("variable %q: %w", name, err)
		}
		all[name] = converted
	}
	messages := make([]jinja.Value, len(in.Messages))
	for i := range in.Messages {
		m, err := in.Messages[i].value(c)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		messages[i] = m
	}
	for _, list := range []struct {
		name   string
		values []any
	}{{"tools", in.Tools}, {"documents", in.Documents}} {
		if list.values == nil {
			all[list.name] = jinja.None
			continue
		}
		converted, err := c.convert(list.values, 0)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", list.name, err)
		}
		all[list.name] = converted
	}
	all["messages"] = jinja.NewList(messages)
	all["add_generation_prompt"] = in.AddGenerationPrompt
	return all, nil
}
