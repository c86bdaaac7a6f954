package textcases

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/vinoir/vinoir/generate"
	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/internal/conformance/textcorpus"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/text"
	"github.com/vinoir/vinoir/text/chat"
)

// maxDifference is the largest difference of logits and scores.
const maxDifference = 1e-3

// noSystem is what templates say that refuse messages of the system, which GenAI rewrites. Package
// chat does what Hugging Face does.
const noSystem = "System role not supported"

// findAnswers returns the cases of generate.json, those of one kind as one.
func findAnswers(path string) ([]conformance.Case, error) {
	file, err := textcorpus.ReadAnswers(path)
	if err != nil {
		return nil, err
	}
	var kinds []string
	of := make(map[string][]*textcorpus.AnswerCase)
	for i := range file.Cases {
		c := &file.Cases[i]
		if of[c.Config] == nil {
			kinds = append(kinds, c.Config)
		}
		of[c.Config] = append(of[c.Config], c)
	}
	folder := filepath.Dir(path)
	var cases []conformance.Case
	for _, kind := range kinds {
		cases = append(cases, conformance.NewCase(conformance.CaseName(folder)+"/"+kind, folder, func(ctx context.Context, r *conformance.Runner) error {
			return answers(ctx, r, folder, of[kind])
		}))
	}
	return cases, nil
}

// languageModel is what the folder of a language model has.
type languageModel struct {
	model     *generate.Model
	tokenizer *text.Tokenizer
	template  generate.Template
	pipeline  *generate.Pipeline
}

// openModel opens a language model.
func openModel(r *conformance.Runner, folder string) (*generate.Model, error) {
	return generate.Options{Ops: r.Ops(), CompileOptions: r.CompileOptions()}.Open(folder)
}

// open opens all that is in a folder. The caller closes it.
func open(r *conformance.Runner, folder string) (m *languageModel, err error) {
	m = &languageModel{}
	if m.model, err = openModel(r, folder); err != nil {
		return m, err
	}
	if m.tokenizer, err = tokenizerOptions(r).Open(folder); err != nil {
		return m, err
	}
	template, err := chat.Parse(m.tokenizer.ChatTemplate())
	if err != nil {
		return m, err
	}
	special := m.tokenizer.Special()
	m.template = generate.ChatTemplate(template, chat.Input{Tokens: map[string]string{
		"bos_token": special.BOS, "eos_token": special.EOS, "pad_token": special.Pad,
	}})
	m.pipeline, err = generate.NewPipeline(m.model, m.tokenizer, generate.PipelineOptions{Template: m.template})
	return m, err
}

// close closes what is open.
func (m *languageModel) close() {
	if m.model != nil {
		_ = m.model.Close()
	}
	if m.tokenizer != nil {
		_ = m.tokenizer.Close()
	}
}

// answers runs cases of generate.json.
func answers(ctx context.Context, r *conformance.Runner, folder string, cases []*textcorpus.AnswerCase) error {
	m, err := open(r, folder)
	defer m.close()
	if err != nil {
		return err
	}
	var all failures
	for _, c := range cases {
		err := m.answer(ctx, c)
		if ctx.Err() != nil {
			return err
		}
		all.add(err)
	}
	return all.err()
}

// answer runs a case of generate.json.
func (m *languageModel) answer(ctx context.Context, c *textcorpus.AnswerCase) error {
	config, err := m.config(c)
	switch {
	case err != nil:
		return err
	case c.Turns != nil:
		return m.turns(ctx, c, config)
	case c.Messages != nil:
		return m.history(ctx, c, config)
	case c.Prompts != nil:
		return m.batch(ctx, c, config)
	case c.Prompt == nil:
		return errors.New("neither a prompt nor a chat")
	case c.PromptIDs == nil:
		config.ApplyChatTemplate = true
		got, err := m.pipeline.Generate(ctx, *c.Prompt, config)
		if err != nil {
			return err
		}
		return differ("the text", got.Sequences[0].Text, c.Text)
	}
	ids, err := m.tokenizer.AppendEncode(ctx, nil, *c.Prompt, true)
	if err != nil {
		return err
	}
	if err := differIn("the list of the prompt's tokens", ids, c.PromptIDs); err != nil {
		return err
	}
	if c.Streamed != nil {
		if err := m.streamed(ctx, c, config); err != nil {
			return err
		}
	}
	got, err := m.pipeline.Generate(ctx, *c.Prompt, config)
	if err != nil {
		return err
	}
	return compare(got.Sequences, c)
}

// config returns the settings of a case. Prompts of cases are no messages.
func (m *languageModel) config(c *textcorpus.AnswerCase) (generate.Config, error) {
	config := generate.DefaultConfig()
	config.ApplyChatTemplate = false
	err := json.Unmarshal(c.Settings, &config)
	for _, id := range m.model.Config().StopTokenIDs {
		if !slices.Contains(config.StopTokenIDs, id) {
			config.StopTokenIDs = append(config.StopTokenIDs, id)
		}
	}
	return config, err
}

// compare compares answers.
func compare(got []generate.Sequence, c *textcorpus.AnswerCase) error {
	if err := differ("the number of answers", len(got), len(c.Tokens)); err != nil {
		return err
	}
	for i := range got {
		s := &got[i]
		err := faults.Join(
			differIn("the list of tokens", s.Tokens, c.Tokens[i]),
			differ("the reason to end", s.Finish.String(), c.Finish[i]),
			differ("the text", s.Text, c.Texts[i]),
		)
		if len(c.Scores) > 0 && !(math.Abs(float64(s.Score-c.Scores[i])) <= maxDifference) {
			err = faults.Join(err, faults.Errorf("the score is %v, want %v", s.Score, c.Scores[i]))
		}
		if err != nil {
			return faults.Errorf("%q: answer %d: %w", *c.Prompt, i, err)
		}
	}
	return nil
}

// streamed compares the pieces of an answer.
func (m *languageModel) streamed(ctx context.Context, c *textcorpus.AnswerCase, config generate.Config) error {
	var pieces []string
	for piece, err := range m.pipeline.Stream(ctx, *c.Prompt, config) {
		if err != nil {
			return err
		}
		pieces = append(pieces, piece)
	}
	return differIn(fmt.Sprintf("%q: the list of pieces", *c.Prompt), pieces, c.Streamed)
}

// batch compares the answers to several prompts.
func (m *languageModel) batch(ctx context.Context, c *textcorpus.AnswerCase, config generate.Config) error {
	got, err := m.pipeline.GenerateBatch(ctx, c.Prompts, config)
	if err != nil {
		return err
	}
	var texts []string
	for _, result := range got {
		texts = append(texts, result.Sequences[0].Text)
	}
	return differIn("the list of texts", texts, c.Texts)
}

// history compares a chat as a text, as tokens, and the answer.
func (m *languageModel) history(ctx context.Context, c *textcorpus.AnswerCase, config generate.Config) error {
	messages, err := chat.ParseMessages(c.Messages)
	if err != nil {
		return err
	}
	rendered, err := m.template(ctx, messages)
	if refuses(err) {
		return nil
	}
	if err != nil {
		return err
	}
	ids, err := m.tokenizer.AppendEncode(ctx, nil, rendered, false)
	if err := faults.Join(err, differ("the chat", rendered, c.Rendered), differIn("the list of the chat's tokens", ids, c.PromptIDs)); err != nil {
		return err
	}
	got, err := m.model.NewSession().Generate(ctx, [][]int32{ids}, config)
	if err != nil {
		return err
	}
	tokens := got[0].Sequences[0].Tokens
	answer, err := m.tokenizer.AppendDecode(ctx, nil, tokens)
	return faults.Join(err, differIn("the list of tokens", tokens, c.Tokens[0]), differ("the text", string(answer), c.Text))
}

// turns compares the answers of a chat.
func (m *languageModel) turns(ctx context.Context, c *textcorpus.AnswerCase, config generate.Config) error {
	conversation, err := m.pipeline.NewChat(c.System)
	if err != nil {
		return err
	}
	for i, turn := range c.Turns {
		got, err := conversation.Send(ctx, turn[0], config)
		if refuses(err) {
			return nil
		}
		if err != nil {
			return faults.Errorf("turn %d: %w", i, err)
		}
		if err := differ(fmt.Sprintf("turn %d: the text", i), got.Sequences[0].Text, turn[1]); err != nil {
			return err
		}
	}
	return nil
}

// refuses reports whether err says that a template refuses messages of the system.
func refuses(err error) bool {
	var refused *chat.Error
	return errors.As(err, &refused) && refused.Raised && refused.Message == noSystem
}

// logits compares the logits of the last tokens of prompts.
func logits(ctx context.Context, r *conformance.Runner, folder string) error {
	file, err := textcorpus.ReadLogits(filepath.Join(folder, logitsFile))
	if err != nil {
		return err
	}
	m, err := openModel(r, folder)
	if err != nil {
		return err
	}
	defer m.Close()
	session := m.NewSession()
	var all failures
	for _, c := range file.Cases {
		got, err := session.Logits(ctx, c.IDs)
		if err == nil {
			err = near("logit", got, c.Logits, maxDifference)
		}
		if ctx.Err() != nil {
			return err
		}
		all.add(err)
	}
	return all.err()
}
