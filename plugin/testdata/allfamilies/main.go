// Command allfamilies is linked by a test, which compares it with fewfamilies.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

func main() {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
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
