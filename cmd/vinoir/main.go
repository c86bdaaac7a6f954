// Command vinoir validates, runs and times OpenVINO IR models without OpenVINO.
//
// Exit codes: 0 good, 1 the model or the data is at fault, 2 wrong usage. Every
// command that prints takes --json.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
