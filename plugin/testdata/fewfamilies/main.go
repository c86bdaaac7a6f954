// Command fewfamilies is linked by a test, which compares it with allfamilies.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/concat"
	"github.com/vinoir/vinoir/ops/constant"
	"github.com/vinoir/vinoir/ops/parameter"
	"github.com/vinoir/vinoir/ops/result"
	"github.com/vinoir/vinoir/ops/shapeof"
	"github.com/vinoir/vinoir/plugin"
)

func main() {
	families := slices.Concat(concat.Ops, constant.Ops, parameter.Ops, result.Ops, shapeof.Ops)
	registry, err := plugin.NewRegistry(families...)
	if err != nil {
		panic(err)
	}
	model, err := irxml.ReadFile(os.Args[1], irxml.ReadOptions{})
	if err != nil {
		panic(err)
	}
	compiled, err := plugin.NewCore(registry, plugin.Options{}).CompileModel(context.Background(), model, plugin.CompileOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(compiled.NewInferRequest().Infer(context.Background()))
}
