// Package embedding computes vectors of texts, searches among them, and ranks documents, as the
// TextEmbeddingPipeline and the TextRerankPipeline of OpenVINO GenAI do.
//
//	pipeline, err := embedding.Open("model")
//	vectors, err := pipeline.EmbedDocuments(ctx, documents)
//	query, err := pipeline.EmbedQuery(ctx, "Where do cats sleep?")
//	for _, match := range vectors.Search(query, 3) {
//		fmt.Println(match.Score, documents[match.Index])
//	}
//
// A model directory has openvino_model.xml, openvino_tokenizer.xml and their .bin files, as
// optimum-intel exports them. The files of sentence-transformers beside them, if there are any, say
// how vectors are made of what the model computes for each token: see ReadConfig.
//
// Texts of about the same length are computed together, so that hardly any padding is. See
// RATIONALE.md.
package embedding
