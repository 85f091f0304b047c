// Command takeover-oracle answers Takeover's questions with the validation of the Kubernetes checkout in which it is compiled:
// the registry's handwritten checks with --side handwritten, the generated ones with --side declarative.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"

	"k8s.io/kubernetes/cmd/takeover-oracle/internal/oracle"
	"k8s.io/kubernetes/pkg/capabilities"
)

func main() {
	side := flag.String("side", "", "which validation answers: `handwritten` or `declarative`")
	gates := flag.String("feature-gates", "", "feature gates as kube-apiserver takes them: `Gate=true,…`")
	privileged := flag.Bool("allow-privileged", true, "whether containers may be privileged, as kube-apiserver takes it")
	flag.Parse()
	capabilities.Setup(*privileged, 0)
	if err := run(*side, *gates, flag.Args()); err != nil {
		fmt.Fprintf(os.Stderr, "takeover-oracle: %v\n", err)
		os.Exit(2)
	}
}

func run(side, gates string, rest []string) error {
	if len(rest) > 0 {
		return fmt.Errorf("unexpected argument `%s`", rest[0])
	}
	judge, err := newJudge(side, gates)
	if err != nil {
		return err
	}
	oracle.Main(oracle.Oracle{
		Name:    "kubernetes-" + side,
		Version: revision(),
		Kinds:   judge.kinds(),
		Origins: true,
		Marks:   true,
		// Feature gates are global: two questions at once would see each other's. Takeover starts several processes.
		Workers: 1,
		Judge:   judge.judge,
	})
	return nil
}

// revision is the commit of the checkout, when Go recorded it.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	found := map[string]string{}
	for _, setting := range info.Settings {
		found[setting.Key] = setting.Value
	}
	commit := found["vcs.revision"]
	if len(commit) > 12 {
		commit = commit[:12]
	}
	if commit != "" && found["vcs.modified"] == "true" {
		commit += "-dirty"
	}
	return commit
}
