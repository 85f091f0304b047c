package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	genericfeatures "k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
)

// gates switches feature gates from question to question.
type gates struct {
	// base is what a question without options gets.
	base featuregate.MutableVersionedFeatureGate
	// made holds the gates of options seen before.
	made map[string]featuregate.FeatureGate
}

// newGates reads the gates of the command line. Beta rules are not enforced: they would take the handwritten errors that
// they replace away from the handwritten side.
func newGates(line string) (*gates, error) {
	base := utilfeature.DefaultMutableFeatureGate.DeepCopy()
	beta := map[string]bool{string(genericfeatures.DeclarativeValidationBeta): false}
	if err := base.SetFromMap(beta); err != nil {
		return nil, fmt.Errorf("--feature-gates: %w", err)
	}
	for _, setting := range strings.Split(line, ",") {
		name, _, _ := strings.Cut(setting, "=")
		if name = strings.TrimSpace(name); name != "" && !knows(base, name) {
			return nil, fmt.Errorf("--feature-gates: there is no gate `%s`", name)
		}
	}
	if err := base.Set(line); err != nil {
		return nil, fmt.Errorf("--feature-gates: %w", err)
	}
	return &gates{base: base, made: map[string]featuregate.FeatureGate{}}, nil
}

// set puts the options of a question in force. An unknown option that is off changes nothing; one that is on is an error:
// without it, the question would be another.
func (g *gates) set(options map[string]bool) error {
	if len(options) == 0 {
		utilfeature.DefaultFeatureGate = g.base
		return nil
	}
	names := slices.Sorted(maps.Keys(options))
	var key strings.Builder
	known := map[string]bool{}
	for _, name := range names {
		fmt.Fprintf(&key, "%s=%t,", name, options[name])
		switch {
		case knows(g.base, name):
			known[name] = options[name]
		case options[name]:
			return fmt.Errorf("option `%s` is on, but there is no such feature gate", name)
		}
	}
	gate, ok := g.made[key.String()]
	if !ok {
		changed := g.base.DeepCopy()
		if err := changed.SetFromMap(known); err != nil {
			return fmt.Errorf("set options: %w", err)
		}
		gate = changed
		g.made[key.String()] = gate
	}
	utilfeature.DefaultFeatureGate = gate
	return nil
}

func knows(gate featuregate.MutableVersionedFeatureGate, name string) bool {
	_, ok := gate.GetAll()[featuregate.Feature(name)]
	return ok
}
