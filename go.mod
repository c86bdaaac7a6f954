module github.com/vinoir/vinoir

go 1.26

require github.com/beevik/etree v1.8.1
