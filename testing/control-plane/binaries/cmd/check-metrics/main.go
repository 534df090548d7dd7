// Command check-metrics reads a Prometheus scrape from standard input and says what `promtool check
// metrics` would: it calls the same linter, without the rest of Prometheus. Its exit code is 0 if there
// is nothing to say, 3 if there is, and 1 if the input is no scrape.
package main

import (
	"fmt"
	"os"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

func main() {
	problems, err := promlint.New(os.Stdin).Lint()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error while linting:", err)
		os.Exit(1)
	}
	for _, problem := range problems {
		fmt.Fprintln(os.Stderr, problem.Metric, problem.Text)
	}
	if len(problems) > 0 {
		os.Exit(3)
	}
}
