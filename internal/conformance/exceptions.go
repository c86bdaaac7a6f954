package conformance

import (
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/regular"
)

// Exceptions maps cases that are expected to fail to the reason: OpenVINO's CPU plugin breaks
// the specification, more can be inferred about a shape than OpenVINO infers, or a model is out of
// scope.
type Exceptions map[string]string

// ReadExceptions reads a file whose lines have a case's name, a tab and the reason. Lines that
// start with # are comments.
func ReadExceptions(path string) (Exceptions, error) {
	data, err := regular.ReadFile(path, maxText)
	if err != nil {
		return nil, err
	}
	exceptions := make(Exceptions)
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		name, reason, _ := strings.Cut(line, "\t")
		if reason == "" {
			return nil, faults.Errorf("%s:%d: no tab and reason behind %q", path, i+1, name)
		}
		if _, twice := exceptions[name]; twice {
			return nil, faults.Errorf("%s:%d: case %s is listed twice", path, i+1, name)
		}
		exceptions[name] = reason
	}
	return exceptions, nil
}

// apply changes the outcome of a listed case: a failure becomes Excepted, and a success becomes
// a failure, so that outdated entries are removed.
func (e Exceptions) apply(r Result) Result {
	reason, listed := e[r.Case]
	if !listed {
		return r
	}
	switch r.Outcome {
	case Failed, Unsupported:
		r.Outcome, r.Message = Excepted, reason
	case Passed:
		r.Outcome, r.Message = Failed, "passes, but is listed as an exception: "+reason
	}
	return r
}
