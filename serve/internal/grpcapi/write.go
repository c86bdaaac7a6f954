package grpcapi

import (
	"maps"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// The functions here append a field to b. Numbers, texts and truth values that are zero are left
// out, as protocol buffers have it.

func appendText(b []byte, number protowire.Number, text string) []byte {
	if text == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), text)
}

func appendTexts(b []byte, number protowire.Number, texts []string) []byte {
	for _, text := range texts {
		b = protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), text)
	}
	return b
}

func appendNumber(b []byte, number protowire.Number, v uint64) []byte {
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), v)
}

func appendBool(b []byte, number protowire.Number, v bool) []byte {
	return appendNumber(b, number, protowire.EncodeBool(v))
}

// appendMessage appends the message that write appends, also if it is empty.
func appendMessage(b []byte, number protowire.Number, write func([]byte) []byte) []byte {
	b = protowire.AppendTag(b, number, protowire.BytesType)
	start := len(b)
	b = write(b)
	size := len(b) - start
	// The length comes before the message and is known after it.
	b = append(b, make([]byte, protowire.SizeVarint(uint64(size)))...)
	copy(b[len(b)-size:], b[start:])
	protowire.AppendVarint(b[:start], uint64(size))
	return b
}

// appendDims appends dims as one packed field.
func appendDims[D int | int64](b []byte, number protowire.Number, dims []D) []byte {
	if len(dims) == 0 {
		return b
	}
	return appendMessage(b, number, func(b []byte) []byte {
		for _, d := range dims {
			b = protowire.AppendVarint(b, uint64(d))
		}
		return b
	})
}

// appendParameters appends a map of InferParameter, sorted by its keys.
func appendParameters(b []byte, number protowire.Number, parameters map[string]any) []byte {
	if len(parameters) == 0 {
		return b
	}
	for _, key := range slices.Sorted(maps.Keys(parameters)) {
		b = appendMessage(b, number, func(b []byte) []byte {
			b = appendText(b, 1, key)
			return appendMessage(b, 2, func(b []byte) []byte { return appendParameter(b, parameters[key]) })
		})
	}
	return b
}

// appendParameter appends the one field of an InferParameter, also if it is zero: it says the type.
func appendParameter(b []byte, value any) []byte {
	switch v := value.(type) {
	case bool:
		return protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.VarintType), protowire.EncodeBool(v))
	case int64:
		return protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), uint64(v))
	case string:
		return protowire.AppendString(protowire.AppendTag(b, 3, protowire.BytesType), v)
	case float64:
		return protowire.AppendFixed64(protowire.AppendTag(b, 4, protowire.Fixed64Type), math.Float64bits(v))
	case uint64:
		return protowire.AppendVarint(protowire.AppendTag(b, 5, protowire.VarintType), v)
	}
	return b
}
