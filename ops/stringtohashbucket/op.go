// Package stringtohashbucket hashes strings.
//
//	output[i] = FarmHash Fingerprint64 of string i, modulo num_buckets
//
// Versions: StringToHashBucket of the extension of OpenVINO Tokenizers. Attributes: num_buckets,
// which is positive. Inputs: strings, which are begins and ends, i32 of one shape, and chars, a
// vector of u8. Output: i64, of the shape of the strings.
//
// Errors: strings that end before they begin or outside of chars.
//
// Specification: OpenVINO Tokenizers, src/string_to_hash_bucket.cpp; the hash is that of
// https://github.com/google/farmhash.
package stringtohashbucket

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "StringToHashBucket", Namespace: "extension",
	Inputs:     ops.Exactly(3),
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}}

type attributes struct{ buckets uint64 }

func parse(a *ir.Attributes) (any, error) {
	n := a.Int("num_buckets", 1)
	if n < 1 && a.Err() == nil {
		a.Fail("num_buckets", "not positive")
	}
	return attributes{uint64(n)}, a.Err()
}
