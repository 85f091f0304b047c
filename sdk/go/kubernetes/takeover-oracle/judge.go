package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/cmd/takeover-oracle/internal/oracle"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

const (
	handwritten = "handwritten"
	declarative = "declarative"
)

// judge answers for one side.
type judge struct {
	side  string
	gates *gates
	table []registration
	// merging remembers which methods of strategies run the generated validation themselves.
	merging map[method]bool
}

func newJudge(side, gateLine string) (*judge, error) {
	if side != handwritten && side != declarative {
		return nil, fmt.Errorf("--side is `%s`: it must be `%s` or `%s`", side, handwritten, declarative)
	}
	gates, err := newGates(gateLine)
	if err != nil {
		return nil, err
	}
	return &judge{side: side, gates: gates, table: registrations(), merging: map[method]bool{}}, nil
}

// kinds lists every version of the kinds in the table.
func (j *judge) kinds() []oracle.Kind {
	var all []oracle.Kind
	for _, known := range j.table {
		var subresources []string
		for name := range known.routes {
			if name != "" {
				subresources = append(subresources, name)
			}
		}
		slices.Sort(subresources)
		_, main := known.routes[""]
		for _, version := range legacyscheme.Scheme.VersionsForGroupKind(schema.GroupKind{Group: known.group, Kind: known.kind}) {
			all = append(all, oracle.Kind{
				APIVersion: version.String(), Kind: known.kind, Subresources: subresources, OnlySubresources: !main,
			})
		}
	}
	return all
}

// strategy finds the strategy of a method in the table.
func (j *judge) strategy(of method) (strategy, error) {
	for _, known := range j.table {
		if known.group != of.kind.Group || known.kind != of.kind.Kind {
			continue
		}
		if found, ok := known.routes[of.subresource]; ok {
			return found, nil
		}
		return nil, fmt.Errorf("subresource `%s` of `%s` is not in kinds.go", of.subresource, of.kind)
	}
	return nil, fmt.Errorf("kind `%s` is not in kinds.go", of.kind)
}

// judge implements [oracle.Judge].
func (j *judge) judge(ctx context.Context, req *oracle.Request) (oracle.Answer, error) {
	if err := j.gates.set(req.Options); err != nil {
		return oracle.Answer{}, err
	}
	asked, err := j.read(req)
	if err != nil {
		return oracle.Answer{}, err
	}
	ctx, err = asked.context(ctx, req.User)
	if err != nil {
		return oracle.Answer{}, err
	}
	var errs field.ErrorList
	if j.side == handwritten {
		errs = j.handwritten(ctx, asked)
	} else if errs, err = j.declarative(ctx, asked); err != nil {
		return oracle.Answer{}, err
	}
	// Some validators walk maps: without an order, the same question would get different answers.
	slices.SortStableFunc(errs, func(a, b *field.Error) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Origin, b.Origin),
			cmp.Compare(a.Detail, b.Detail), cmp.Compare(fmt.Sprint(a.BadValue), fmt.Sprint(b.BadValue)))
	})
	return oracle.FromFieldErrors(errs), nil
}
