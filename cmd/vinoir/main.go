// Command vinoir validates, runs and times OpenVINO IR models without OpenVINO.
//
// Exit codes: 0 success, 1 a fault in the model or the data, 2 wrong usage. With --json, commands
// print JSON.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
