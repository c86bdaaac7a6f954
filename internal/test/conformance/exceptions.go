package conformance

import (
	"fmt"
	"os"
	"strings"
)

// Exceptions are the cases that are right to fail, with the reason: where
// OpenVINO's CPU plugin breaks the specification, or where more can be known of
// a shape than OpenVINO does.
type Exceptions map[string]string

// ReadExceptions reads lines of a case's name, a tab and the reason. Lines that
// start with # are comments.
func ReadExceptions(path string) (Exceptions, error) {
	data, err := os.ReadFile(path)
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
			return nil, fmt.Errorf("%s:%d: no tab and reason behind %q", path, i+1, name)
		}
		if _, twice := exceptions[name]; twice {
			return nil, fmt.Errorf("%s:%d: case %s is listed twice", path, i+1, name)
		}
		exceptions[name] = reason
	}
	return exceptions, nil
}

// apply turns the failure of a listed case into an exception, and its success
// into a failure: the list must not outlive its reasons.
func (e Exceptions) apply(r Result) Result {
	reason, listed := e[r.Case]
	if !listed {
		return r
	}
	switch r.Outcome {
	case Failed:
		r.Outcome, r.Message = Excepted, reason
	case Passed:
		r.Outcome, r.Message = Failed, "passes, but is listed as an exception: "+reason
	}
	return r
}
