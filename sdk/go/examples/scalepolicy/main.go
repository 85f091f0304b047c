// Command scalepolicy answers Takeover's questions about ScalePolicy objects as the validating webhook of the example does.
package main

import (
	"flag"
	"fmt"
	"os"

	"takeover.dev/oracle"
)

func main() {
	mistake := flag.Int("mistake", 0, "plant the `N`th mistake of the README")
	flag.Parse()

	check, err := withMistake(*mistake, validate)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	oracle.Main(oracle.Oracle{
		Name:    "scalepolicy-webhook",
		Version: "1.0.0",
		Kinds:   []oracle.Kind{{APIVersion: "scaling.example.com/v1", Kind: "ScalePolicy"}},
		Judge:   oracle.Validator(&Validator{check}),
	})
}
