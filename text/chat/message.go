package chat

import (
	"encoding/json"
	"fmt"

	"github.com/vinoir/vinoir/internal/text/jinja"
)

// Message is a message of a conversation. Fields that are empty are left out, but for Content
// beside no ToolCalls.
type Message struct {
	// Role says who speaks: "system", "user", "assistant", "tool", or what else the template knows.
	Role string
	// Content is the text. Parts replaces it if it is not nil.
	Content string
	// Parts are the parts of the content, for models that see more than text.
	Parts []Part
	// ReasoningContent is what the assistant thought before the answer. Templates also find it as
	// "thinking".
	ReasoningContent string
	// ToolCalls are the functions that the assistant calls.
	ToolCalls []ToolCall
	// ToolCallID is the ID of the call that a message of the role "tool" answers.
	ToolCallID string
	// Name is the name of the tool, or of who speaks.
	Name string
	// Extra has further fields. A field of this struct that is not empty replaces one of its name
	// there, and keeps its place.
	Extra *Object
}

// Part is a part of the content of a message. Fields that are empty are left out, but for Text of
// the type "text".
type Part struct {
	// Type is the type, such as "text" or "image".
	Type string
	// Text is the text of a part of the type "text".
	Text string
	// Extra has further fields.
	Extra *Object
}

// ToolCall is a call of a function by the assistant.
type ToolCall struct {
	// ID is what the answer refers to, and left out if it is empty.
	ID string
	// Name is the name of the function.
	Name string
	// Arguments are the arguments: an *Object, or what else is converted to one. Some templates
	// take a string that holds JSON.
	Arguments any
}

// Tool is a function that the model may call.
type Tool struct {
	Name, Description string
	// Parameters is a JSON schema of the arguments.
	Parameters any
}

// UnmarshalJSON reads a message in the form that OpenAI's and Hugging Face's APIs take, with all
// its fields, in their order. Fields that hold null are left out, as Hugging Face does it. Role,
// Content, ReasoningContent, ToolCallID and Name are set if the fields are strings; all are in
// Extra.
func (m *Message) UnmarshalJSON(data []byte) error {
	o := &Object{}
	if err := o.UnmarshalJSON(data); err != nil {
		return err
	}
	*m = Message{Extra: &Object{}}
	for key, v := range o.All() {
		if v == nil {
			continue
		}
		m.Extra.Set(key, v)
		if text, ok := v.(string); ok {
			if field := m.field(key); field != nil {
				*field = text
			}
		}
	}
	return nil
}

// field returns the field that is a string under a name in JSON, or nil.
func (m *Message) field(key string) *string {
	switch key {
	case "role":
		return &m.Role
	case "content":
		return &m.Content
	case "reasoning_content":
		return &m.ReasoningContent
	case "tool_call_id":
		return &m.ToolCallID
	case "name":
		return &m.Name
	}
	return nil
}

// MarshalJSON writes a message with the fields that templates see.
func (m Message) MarshalJSON() ([]byte, error) {
	o, err := m.object()
	if err != nil {
		return nil, err
	}
	return o.MarshalJSON()
}

// object returns the fields of a message in their order.
func (m *Message) object() (*Object, error) {
	fields := []struct {
		key   string
		value any
		set   bool
	}{
		{"role", m.Role, m.Role != ""},
		{"content", m.Content, m.Content != ""},
		{"reasoning_content", m.ReasoningContent, m.ReasoningContent != ""},
		{"tool_calls", m.ToolCalls, len(m.ToolCalls) > 0},
		{"tool_call_id", m.ToolCallID, m.ToolCallID != ""},
		{"name", m.Name, m.Name != ""},
	}
	content := &fields[1]
	switch {
	case m.Parts != nil:
		content.value, content.set = m.Parts, true
	case m.Extra == nil:
		content.set = content.set || len(m.ToolCalls) == 0
	}
	o := &Object{}
	for _, f := range fields {
		if _, later := m.Extra.Get(f.key); f.set && !later {
			o.Set(f.key, f.value)
		}
	}
	for key, v := range m.Extra.All() {
		for _, f := range fields {
			if f.key == key && f.set {
				v = f.value
			}
		}
		o.Set(key, v)
	}
	return o, nil
}

// reasoningFields are the names under which the reasoning of a message is passed.
var reasoningFields = [...]string{"reasoning_content", "thinking", "reasoning"}

// value returns a message as the template sees it. As in transformers, the reasoning is in
// reasoning_content whatever its name was, and in thinking.
func (m *Message) value(c *converter) (jinja.Value, error) {
	if m.Extra == nil && m.Parts == nil && m.ReasoningContent == "" && len(m.ToolCalls) == 0 {
		return m.plain(c), nil
	}
	o, err := m.object()
	if err != nil {
		return nil, err
	}
	var reasoning any
	for _, name := range reasoningFields {
		if v, ok := o.Get(name); ok && v != nil {
			reasoning = v
			break
		}
	}
	if reasoning != nil {
		with := &Object{}
		with.Set("thinking", reasoning)
		for key, v := range o.All() {
			with.Set(key, v)
		}
		with.Set("reasoning_content", reasoning)
		o = with
	}
	d := jinja.NewDict(o.Len())
	for key, v := range o.All() {
		converted, err := c.convert(v, 0)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		if v != nil {
			d.Set(c.text(key), converted)
		}
	}
	return d, nil
}

// plain returns a message that is text only.
func (m *Message) plain(c *converter) jinja.Value {
	d := jinja.NewDict(4)
	if m.Role != "" {
		d.Set("role", c.text(m.Role))
	}
	d.Set("content", c.text(m.Content))
	if m.ToolCallID != "" {
		d.Set("tool_call_id", c.text(m.ToolCallID))
	}
	if m.Name != "" {
		d.Set("name", c.text(m.Name))
	}
	return d
}

func (p Part) object() *Object {
	o := &Object{}
	o.Set("type", p.Type)
	if p.Text != "" || p.Type == "text" {
		o.Set("text", p.Text)
	}
	for key, v := range p.Extra.All() {
		o.Set(key, v)
	}
	return o
}

// MarshalJSON writes a part with the fields that templates see.
func (p Part) MarshalJSON() ([]byte, error) { return p.object().MarshalJSON() }

func (c ToolCall) object() *Object {
	call, function := &Object{}, &Object{}
	if c.ID != "" {
		call.Set("id", c.ID)
	}
	call.Set("type", "function")
	function.Set("name", c.Name)
	function.Set("arguments", c.Arguments)
	call.Set("function", function)
	return call
}

// MarshalJSON writes a call with the fields that templates see.
func (c ToolCall) MarshalJSON() ([]byte, error) { return c.object().MarshalJSON() }

func (t Tool) object() *Object {
	tool, function := &Object{}, &Object{}
	function.Set("name", t.Name)
	function.Set("description", t.Description)
	function.Set("parameters", t.Parameters)
	tool.Set("type", "function")
	tool.Set("function", function)
	return tool
}

// MarshalJSON writes a tool with the fields that templates see.
func (t Tool) MarshalJSON() ([]byte, error) { return t.object().MarshalJSON() }

// ParseMessages reads a conversation from a JSON array of messages: see Message.UnmarshalJSON.
func ParseMessages(data []byte) ([]Message, error) {
	var messages []Message
	if err := json.Unmarshal(data, &messages); err != nil {
		return nil, fmt.Errorf("messages: %w", err)
	}
	return messages, nil
}
