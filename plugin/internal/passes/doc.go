// Package passes has the passes that every program has. Those that make layers of one family are
// below ops/internal/passes: the family lists them, so that a program without it does not link
// them. internal/rewrite has what all of them need, and plugin/optimization.go their order.
package passes
