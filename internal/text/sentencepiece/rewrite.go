package sentencepiece

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/vinoir/vinoir/internal/parallel"
)

// Fields of a ModelProto.
const (
	pieceField, trainerField = 1, 2
	textField, typeField     = 1, 3 // of a piece
	unknownSurfaceField      = 44   // of the trainer_spec
)

// Rewriting says what Rewrite changes.
type Rewriting struct {
	// UnknownSurface is what the unknown piece is decoded to; nil to keep it.
	UnknownSurface []byte
	// Control lists normal and added pieces that become control symbols, which have no text.
	Control map[int32]bool
	// Shown means that control symbols become symbols of the user instead, which have text.
	Shown bool
	// Added are pieces that come last: symbols of the user, or control symbols if they are empty,
	// which get a name.
	Added []string
}

// Rewrite returns the file of a model with changes. The error is that of a damaged file.
func (r *Rewriting) Rewrite(data []byte, stop parallel.Stop) ([]byte, error) {
	out := make([]byte, 0, len(data)+len(data)/8)
	id, meter := int32(0), stop.Meter()
	err := fields("the model", data, func(f *field) error {
		if meter.Spent(16) {
			return parallel.ErrStopped
		}
		if !f.isBytes(pieceField) {
			out = append(out, f.raw...)
			return nil
		}
		piece, err := r.piece(id, f.data)
		if id++; err == nil {
			out = protowire.AppendBytes(protowire.AppendTag(out, pieceField, protowire.BytesType), piece)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, text := range r.Added {
		kind := userDefined
		if text == "" || r.Control[id] && !r.Shown {
			kind = control
		}
		piece := protowire.AppendString(protowire.AppendTag(nil, textField, protowire.BytesType), orName(text, id))
		piece = appendNumber(piece, typeField, uint64(kind))
		out = protowire.AppendBytes(protowire.AppendTag(out, pieceField, protowire.BytesType), piece)
		id++
	}
	if r.UnknownSurface != nil { // a message that is given twice is merged
		trainer := protowire.AppendBytes(protowire.AppendTag(nil, unknownSurfaceField, protowire.BytesType), r.UnknownSurface)
		out = protowire.AppendBytes(protowire.AppendTag(out, trainerField, protowire.BytesType), trainer)
	}
	return out, nil
}

// piece returns a piece with another type, or as it is.
func (r *Rewriting) piece(id int32, message []byte) ([]byte, error) {
	kind := normal
	err := fields("a piece", message, func(f *field) error {
		if f.isNumber(typeField) {
			kind = pieceType(f.value)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case kind == normal && r.Control[id] && !r.Shown:
		kind = control
	case kind == control && r.Shown:
		kind = userDefined
	default:
		return message, nil
	}
	// Of a field that is given twice, the last one counts.
	return appendNumber(message[:len(message):len(message)], typeField, uint64(kind)), nil
}

func appendNumber(message []byte, number protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(message, number, protowire.VarintType), value)
}

// orName returns text, or a name for the piece with an id if it is empty.
func orName(text string, id int32) string {
	if text == "" {
		return "<empty_" + strconv.Itoa(int(id)) + ">"
	}
	return text
}
