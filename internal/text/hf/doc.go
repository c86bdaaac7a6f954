// Package hf computes the tokens of a Hugging Face tokenizer.json as the library tokenizers 0.23
// does: added tokens are found in a text, what is between them is normalized, cut into words, and
// the words are cut into tokens by a model. It joins tokens to a text the same way.
//
// Parse reads a file, which can come from a stranger: New checks each component, and lists all that
// it does not support. Texts need not be UTF-8: a byte that is not becomes U+FFFD, as the library
// takes UTF-8 only.
//
// Specification: https://huggingface.co/docs/tokenizers, and the sources of the library.
package hf
