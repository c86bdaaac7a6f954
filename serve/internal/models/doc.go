// Package models is the service behind the protocols: it loads the models of a repository, keeps
// them up to date, and computes requests.
//
// The files, in the order of a request and of a model:
//
//	options.go     Options
//	server.go      Server: what is asked about the server as a whole
//	lookup.go      names -> version; how long a version is kept
//	describe.go    metadata and configuration of a version
//	infer.go       Infer: a request -> a job -> a response
//	check.go       is a request one that the model can take
//	batch.go       several jobs -> one inference -> their outputs
//	cache.go       answers that are kept
//	version.go     a version that is ready, and its InferRequests
//	statistics.go  what was counted
//
//	repository.go  which models there should be
//	load.go        a version on the disk -> a version that is ready
//	memory.go      is there memory for one more
//	ports.go       inputs and outputs with the names that clients use
//	shapes.go      the shapes that the configuration says
//	reshape.go     the shapes that clients see, if they are others
//	joinable.go    can rows of several requests be computed together
//	warmup.go      the first inferences
//	generate.go    inputs that are made up
//	poll.go        changes on the disk
//	control.go     Load and Unload
package models
