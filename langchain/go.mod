// What makes vinoir's language models and embeddings those of langchaingo: a program that does not
// use langchaingo has none of it in its go.mod.
module github.com/vinoir/vinoir/langchain

go 1.26.0

require (
	github.com/stretchr/testify v1.12.1
	github.com/tmc/langchaingo v0.1.14
	github.com/vinoir/vinoir v0.0.0
)

require (
	github.com/beevik/etree v1.8.1 // indirect
	github.com/dlclark/regexp2 v1.10.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/pkoukk/tiktoken-go v0.1.6 // indirect
	github.com/x448/float16 v0.8.4 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.49.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace github.com/vinoir/vinoir => ../
