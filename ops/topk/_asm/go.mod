module github.com/vinoir/vinoir/ops/topk/_asm

go 1.26.0

require (
	github.com/mmcloughlin/avo v0.6.0
	github.com/vinoir/vinoir/ops/internal/extremum/_asm v0.0.0
)

replace github.com/vinoir/vinoir/ops/internal/extremum/_asm => ../../internal/extremum/_asm

require (
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)
