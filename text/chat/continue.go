package chat

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/text/jinja"
	"github.com/vinoir/vinoir/internal/text/python"
)

// endTag marks where the text of a message ends, as in transformers. What a template does to its
// last byte tells whether it trims texts.
const endTag = "CONTINUE_FINAL_MESSAGE_TAG "

// mark marks the end of the field of the last message that is to be continued, and returns its text
// without the mark. source is the text of the template.
func (in *Input) mark(last *jinja.Dict, source string) (text string, err error) {
	field := in.Continue
	if in.AddGenerationPrompt {
		return "", errors.New("the last message cannot be continued before a generation prompt")
	}
	value := last.Get(field)
	if value == nil || value == jinja.None {
		return "", fmt.Errorf("the last message has no %q to continue", field)
	}
	fields := []string{field}
	if slices.Contains(reasoningFields[:], field) { // the template may read a copy
		fields = slices.DeleteFunc(slices.Clone(reasoningFields[:]), func(other string) bool {
			return other != field && last.Get(other) != value
		})
	}
	if !slices.ContainsFunc(fields, func(field string) bool { return strings.Contains(source, field) }) {
		return "", fmt.Errorf("the template does not read the field %q, which is to be continued", field)
	}
	for _, field := range fields {
		var marked jinja.Value
		if marked, text, err = withTag(last.Get(field)); err != nil {
			return "", fmt.Errorf("the last message: %s: %w", field, err)
		}
		last.Set(field, marked)
	}
	return text, nil
}

// withTag returns a text, or a list whose last part with a text has it, with endTag behind the
// text, and the text.
func withTag(value jinja.Value) (marked jinja.Value, text string, err error) {
	switch v := value.(type) {
	case string:
		return v + endTag, v, nil
	case *jinja.List:
		for _, item := range slices.Backward(v.Items()) {
			part, ok := item.(*jinja.Dict)
			if !ok || part.Get("text") == nil {
				continue
			}
			if marked, text, err = withTag(part.Get("text")); err == nil {
				part.Set("text", marked)
			}
			return v, text, err
		}
	}
	return nil, "", errors.New("there is no text to continue")
}

// cut returns a rendering up to the end of the text that mark has marked.
func cut(rendered, text string) (string, error) {
	tag := strings.TrimSpace(endTag)
	at := strings.LastIndex(rendered, tag)
	if at < 0 || !strings.Contains(rendered, python.Strip(text)) {
		return "", errors.New("the text of the last message, which is to be continued, is not in that of the template")
	}
	if strings.HasPrefix(rendered[at:], endTag) {
		return rendered[:at], nil
	}
	return python.RStrip(rendered[:at]), nil // the template trims texts
}
