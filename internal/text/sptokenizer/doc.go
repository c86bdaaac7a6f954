// Package sptokenizer computes the tokens of a SentencePiece model that stands in a folder without
// a tokenizer.json. The model alone gives the ids and texts of the sentencepiece library. The files
// of Hugging Face beside it add special tokens, tokens that are found in a text before the model
// sees it, and other ids, by the class that they name: then ids and texts are those of that class
// of transformers 4, which calls the library ("slow" tokenizers).
//
// Specification: the sources of transformers 4.57, tokenization_utils.py and
// models/*/tokenization_*.py.
package sptokenizer
