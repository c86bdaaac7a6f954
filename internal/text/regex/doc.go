// Package regex matches regular expressions as PCRE2 does with the options UTF and UCP, which
// OpenVINO Tokenizers use: by backtracking, leftmost, alternatives in their order.
//
// Supported are all of PCRE2's pattern syntax except what RATIONALE.md lists: alternation, groups
// that are numbered, named or atomic, branch reset, options, quantifiers that are greedy, lazy or
// possessive, classes with properties of Unicode 17, lookahead, lookbehind of bounded length,
// references to groups, conditions, \b \B \A \z \Z \G \K \R \X \h \v and \Q..\E.
//
// A Regexp is made once and can be used by several goroutines. A Matcher holds the memory of one
// search, and allocates nothing once it has been used for texts and patterns of the same size.
//
// Specification: https://pcre2project.github.io/pcre2/doc/pcre2pattern/.
package regex
