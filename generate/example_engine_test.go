package generate_test

import (
	"context"
	"fmt"
	"log"
	"sync"

	"github.com/vinoir/vinoir/generate"
)

func ExampleEngine() {
	model := open()
	engine, err := generate.NewEngine(model, nil, generate.EngineOptions{CacheBytes: 1 << 20})
	if err != nil {
		log.Fatal(err)
	}
	config := engine.Config()
	config.MaxNewTokens, config.IgnoreEOS = 5, true
	// All are computed at the same time.
	answers := make([]generate.Result, 3)
	var wait sync.WaitGroup
	for i := range answers {
		wait.Go(func() {
			prompt := generate.Prompt{Tokens: []int32{1, 2, int32(i)}}
			var err error
			if answers[i], err = engine.Generate(context.Background(), prompt, config); err != nil {
				log.Fatal(err)
			}
		})
	}
	wait.Wait()
	for _, answer := range answers {
		fmt.Println(len(answer.Sequences[0].Tokens), answer.Sequences[0].Finish)
	}
	if err := engine.Close(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(engine.Stats().GeneratedTokens, engine.Stats().BlocksUsed)
	// Output:
	// 5 LENGTH
	// 5 LENGTH
	// 5 LENGTH
	// 15 0
}
