package langchain

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/vinoir/vinoir/generate"
	"github.com/vinoir/vinoir/text/chat"
)

// promptOf returns the prompt that messages are. A single message of a user is a text, for which
// the model needs no chat template.
func promptOf(messages []llms.MessageContent) (generate.Prompt, error) {
	var all []chat.Message
	for i, m := range messages {
		converted, err := messagesOf(m)
		if err != nil {
			return generate.Prompt{}, fmt.Errorf("message %d: %w", i, err)
		}
		all = append(all, converted...)
	}
	switch {
	case len(all) == 0:
		return generate.Prompt{}, errors.New("there are no messages")
	case len(all) == 1 && all[0].Role == "user":
		return generate.Prompt{Text: all[0].Content}, nil
	}
	return generate.Prompt{Messages: all}, nil
}

// messagesOf returns the messages that chat templates know for m: what a tool has answered is one
// of its own.
func messagesOf(m llms.MessageContent) ([]chat.Message, error) {
	message, answers := chat.Message{Role: roleOf(m.Role)}, []chat.Message(nil)
	var texts []string
	for _, part := range m.Parts {
		switch part := part.(type) {
		case llms.TextContent:
			texts = append(texts, part.Text)
		case llms.ToolCall:
			call, err := callOf(part)
			if err != nil {
				return nil, err
			}
			message.ToolCalls = append(message.ToolCalls, call)
		case llms.ToolCallResponse:
			answers = append(answers, chat.Message{Role: "tool", ToolCallID: part.ToolCallID, Name: part.Name, Content: part.Content})
		default:
			return nil, notImplemented(fmt.Sprintf("a part is a %T: models get text only", part))
		}
	}
	if len(answers) > 0 && len(texts) == 0 && len(message.ToolCalls) == 0 {
		return answers, nil
	}
	message.Content = strings.Join(texts, "\n")
	return append([]chat.Message{message}, answers...), nil
}

// roleOf returns the name that chat templates have for a role. Others than those of langchaingo
// stay as they are.
func roleOf(role llms.ChatMessageType) string {
	switch role {
	case llms.ChatMessageTypeAI:
		return "assistant"
	case llms.ChatMessageTypeHuman, llms.ChatMessageTypeGeneric:
		return "user"
	case llms.ChatMessageTypeFunction:
		return "tool"
	}
	return string(role)
}

// callOf returns the call of a tool. Templates expect its arguments as an object.
func callOf(c llms.ToolCall) (chat.ToolCall, error) {
	if c.FunctionCall == nil {
		return chat.ToolCall{}, fmt.Errorf("tool call %q has no function", c.ID)
	}
	call := chat.ToolCall{ID: c.ID, Name: c.FunctionCall.Name, Arguments: c.FunctionCall.Arguments}
	if arguments := new(chat.Object); json.Unmarshal([]byte(c.FunctionCall.Arguments), arguments) == nil {
		call.Arguments = arguments
	}
	return call, nil
}
