package classifier

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
)

// AddFlags adds the flags that set o.Recipe and o.Softmax. Their defaults are what torchvision's
// models take.
func (o *Options) AddFlags(flags *flag.FlagSet) {
	o.Recipe.Mean, o.Recipe.Scale = []float64{123.675, 116.28, 103.53}, []float64{58.395, 57.12, 57.375}
	flags.Var((*numbers)(&o.Recipe.Mean), "mean", "`numbers` to subtract from the channels, which are from 0 to 255")
	flags.Var((*numbers)(&o.Recipe.Scale), "scale", "`numbers` to divide the channels by after that")
	flags.BoolVar(&o.Softmax, "softmax", false, "the model has no Softmax: turn its output into probabilities")
}

// numbers is a flag of numbers with commas between them: one for each channel, or one for all.
type numbers []float64

func (n *numbers) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(*n), " ", ","), "[]")
}

// Set implements flag.Value.
func (n *numbers) Set(text string) error {
	*n = nil
	for field := range strings.SplitSeq(text, ",") {
		x, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return err
		}
		*n = append(*n, x)
	}
	return nil
}
