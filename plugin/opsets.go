package plugin

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// newestOpset is the newest opset that a model may name.
const newestOpset = 17

// relabelled lists the layer types that OpenVINO's reader looks up in another opset than the one
// in old files.
var relabelled = []struct {
	from  string
	types []string
	to    int
}{
	{"opset1", []string{"mvn", "roipooling", "reorgyolo"}, 2},
	{"experimental", experimentalTypes, 6},
	{"extension", experimentalTypes, 6},
}

var experimentalTypes = []string{
	"experimentaldetectrondetectionoutput", "experimentaldetectrongenerateproposalssingleimage",
	"experimentaldetectronpriorgridgenerator", "experimentaldetectronroifeatureextractor",
	"experimentaldetectrontopkrois", "grucell", "proposal", "rnncell",
}

// leftOut lists layer types that are missing in later opsets: in opsets from to to.
var leftOut = []struct {
	layerType string
	from, to  int
}{
	{"Reverse", 2, newestOpset},
	{"RNNCell", 2, 2},
	{"ShuffleChannels", 2, 2},
	{"Xor", 2, newestOpset},
}

// isLeftOut reports whether the type of op is missing in an opset.
func isLeftOut(op *ops.Op, opset int) bool {
	for i := range leftOut {
		if l := &leftOut[i]; l.layerType == op.Type && op.Version < l.from && l.from <= opset && opset <= l.to {
			return true
		}
	}
	return false
}

// opsetOf returns the number of the opset to look up layer in. It returns false if the version
// attribute of layer is a namespace without a number.
func opsetOf(layer *ir.Layer) (int, bool, error) {
	for i := range relabelled {
		if r := &relabelled[i]; r.from == layer.Opset && slices.Contains(r.types, strings.ToLower(layer.Type)) {
			return r.to, true, nil
		}
	}
	digits, numbered := strings.CutPrefix(layer.Opset, "opset")
	if !numbered {
		return 0, false, nil
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > newestOpset {
		return 0, false, faults.Errorf("%.100s is not one of opset1 to opset%d", layer.Opset, newestOpset)
	}
	return n, true, nil
}
