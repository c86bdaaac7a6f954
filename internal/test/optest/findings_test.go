package optest_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// TestFindings validates files that OpenVINO wrote. The declared types and dims must be the
// inferred ones, or less precise.
func TestFindings(t *testing.T) {
	validateAll(t, filepath.Join(optest.Root(t), "testdata", "ir"), func(f *validate.Finding) bool {
		return f.Rule == validate.RuleTolerated
	})
}

func TestCorpus_findings(t *testing.T) {
	for _, folder := range []string{"onnx", "ops"} {
		validateAll(t, filepath.Join(optest.Corpus(t), folder), func(f *validate.Finding) bool {
			return f.Rule == validate.RuleTolerated || f.Severity == validate.SeverityNote
		})
	}
	validateAll(t, filepath.Join(optest.Corpus(t), "zoo"), func(*validate.Finding) bool { return false })
}

// validateAll validates the models of the cases below dir, except broken ones. It fails if
// there is a finding that is not allowed, or if it validates no model.
func validateAll(t *testing.T, dir string, allowed func(*validate.Finding) bool) {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	validated := 0
	for _, m := range modelsBelow(t, dir) {
		if filepath.Dir(m.name) == "bad" {
			continue
		}
		validated++
		report := irtest.Validate(t, m.Model, registry)
		for i := range report.Findings {
			f := &report.Findings[i]
			assert.True(t, allowed(f), "%s: %v", m.name, f)
		}
	}
	assert.NotZero(t, validated, "no model below %s is validated", dir)
}
