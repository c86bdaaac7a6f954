// Tests of pages, reports and documentation, and what only they need: a program that imports vinoir
// has none of it in its go.mod.
module github.com/vinoir/vinoir/docs

go 1.26.0

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/stretchr/testify v1.12.1
	github.com/vinoir/vinoir v0.0.0
	github.com/yuin/goldmark v1.8.7
)

require (
	github.com/beevik/etree v1.8.1 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/x448/float16 v0.8.4 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.14.0 // indirect
)

replace github.com/vinoir/vinoir => ../
