// Package generate continues texts with the language models that optimum-intel exports, as the
// LLMPipeline of OpenVINO GenAI does.
//
//	model, err := generate.Open("model")
//	config := model.Config()
//	config.MaxNewTokens = 100
//	results, err := model.NewSession().Generate(ctx, [][]int32{prompt}, config)
//
// A Model is a stateful IR with the inputs input_ids, attention_mask, beam_idx and mostly
// position_ids, and the output logits: its variables hold the keys and values of the tokens so far.
// A Session has values of these variables, and keeps those of the tokens that one prompt has in
// common with the next. A Pipeline adds a Tokenizer, and works on texts: prompts, stop strings,
// streams of pieces, and chats. An Engine does so for many callers at once, with one product of
// weights for all texts.
//
// A Config says how the next token is chosen, by the names, the defaults and the order of steps of
// GenAI's GenerationConfig. Its greedy search and its beam search find the same tokens; sampling
// draws the same tokens for the same seed, as far as rounding allows. Guesses that are checked, of
// the prompt's own words or of a smaller model, make the same tokens faster.
package generate
