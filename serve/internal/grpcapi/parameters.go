package grpcapi

import (
	"bytes"
	"math"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// parameter is an entry of a map of InferParameter, or of ModelRepositoryParameter, which differs
// in field 4.
type parameter struct {
	key   string
	value any
}

// readParameter reads an entry. The value of a parameter without one is nil.
func readParameter(data []byte, repository bool) (parameter, error) {
	var p parameter
	f := fields{data: data}
	for f.next() {
		switch f.tag {
		case 1<<3 | delimited:
			p.key = f.text()
		case 2<<3 | delimited:
			if p.value, f.err = readParameterValue(f.bytes, repository); f.err != nil {
				return p, f.err
			}
		}
	}
	return p, f.err
}

// readParameterValue reads the value of a parameter: of several fields, the last counts.
func readParameterValue(data []byte, repository bool) (value any, err error) {
	f := fields{data: data}
	for f.next() {
		switch {
		case f.tag == 1<<3|varint:
			value = f.value != 0
		case f.tag == 2<<3|varint:
			value = int64(f.value)
		case f.tag == 3<<3|delimited:
			value = f.text()
		case f.tag == 4<<3|fixed64 && !repository:
			value = math.Float64frombits(f.value)
		case f.tag == 4<<3|delimited && repository:
			value = bytes.Clone(f.bytes)
		case f.tag == 5<<3|varint && !repository:
			value = f.value
		}
	}
	return value, f.err
}

// addParameter adds the entry that data is to parameters, which it makes if there are none.
func addParameter(parameters *map[string]any, data []byte, limit int, repository bool) error {
	p, err := readParameter(data, repository)
	if err != nil {
		return err
	}
	if *parameters == nil {
		*parameters = make(map[string]any)
	}
	if (*parameters)[p.key] = p.value; len(*parameters) > limit {
		return oip.Errorf(oip.Malformed, "there are more than %d parameters", limit)
	}
	return nil
}
