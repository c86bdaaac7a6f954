package textcases

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/internal/conformance/textcorpus"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/text/chat"
)

// findChats returns the chats of a file.
func findChats(path string) ([]conformance.Case, error) {
	file, err := textcorpus.ReadTemplate(path)
	if err != nil {
		return nil, err
	}
	name := conformance.CaseName(strings.TrimSuffix(path, ".json"))
	cases := make([]conformance.Case, len(file.Cases))
	for i := range file.Cases {
		c := &file.Cases[i]
		cases[i] = conformance.NewCase(name+"/"+c.Case, path, func(ctx context.Context, _ *conformance.Runner) error {
			return render(ctx, file, c)
		})
	}
	return cases, nil
}

// render compares the text of a chat with Hugging Face's. It must be refused where Hugging Face
// refuses it.
func render(ctx context.Context, file *textcorpus.Template, c *textcorpus.TemplateCase) error {
	template, err := chat.Parse(file.Source)
	if err != nil {
		return err
	}
	in := chat.Input{AddGenerationPrompt: c.Prompt, Tokens: file.Tokens(), Variables: make(map[string]any)}
	if in.Now, err = time.Parse(time.DateOnly, file.Made); err != nil {
		return err
	}
	if in.Messages, err = chat.ParseMessages(c.Messages); err != nil {
		return err
	}
	for _, tool := range c.Tools {
		in.Tools = append(in.Tools, tool)
	}
	if len(c.Extra) > 0 {
		var extra chat.Object
		if err := json.Unmarshal(c.Extra, &extra); err != nil {
			return faults.Errorf("extra: %w", err)
		}
		for name, v := range extra.All() {
			in.Variables[name] = v
		}
	}
	text, err := template.Render(ctx, in)
	switch {
	case ctx.Err() != nil:
		return err
	case c.HF == nil && err == nil:
		return faults.Errorf("accepted, Hugging Face refuses it: %s", c.HFError)
	case c.HF == nil:
		return nil
	case err != nil:
		return err
	}
	return differ("the text", text, *c.HF)
}
