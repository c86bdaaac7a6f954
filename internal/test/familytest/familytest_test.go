package familytest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/familytest"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/keyindex"
	"github.com/vinoir/vinoir/ops/stringtransform"
)

// recorder counts failures.
type recorder struct {
	testing.TB
	failures int
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(string, ...any) { r.failures++ }

func TestCheckExtension(t *testing.T) {
	sorted := [][]ops.Op{keyindex.Ops, stringtransform.Ops}
	familytest.CheckExtension(t, "onnxextension", sorted, nil, "vinoir")
	assert.Equal(t, "keyindex", familytest.PackageOf(keyindex.Ops[0].Infer))
	for _, check := range []func(r *recorder){
		func(r *recorder) { familytest.CheckSorted(r, [][]ops.Op{stringtransform.Ops, keyindex.Ops}) },
		func(r *recorder) { familytest.CheckExtension(r, "extension", sorted, nil, "vinoir") },
		func(r *recorder) { familytest.CheckExtension(r, "onnxextension", sorted, nil, "extension") },
		func(r *recorder) {
			familytest.CheckExtension(r, "onnxextension", sorted, append(keyindex.Ops, keyindex.Ops...), "vinoir")
		},
	} {
		r := &recorder{TB: t}
		check(r)
		assert.Positive(t, r.failures)
	}
}
