// Package v1 has two unions. Version v2 has one more member of each.
package v1

// Source says where the parts of a build come from. Exactly one member is set.
type Source struct {
	// +k8s:unionMember
	// +k8s:optional
	Git *Location `json:"git,omitempty"`

	// +k8s:unionMember
	// +k8s:optional
	HTTP *Location `json:"http,omitempty"`
}

// Location is where something can be read.
type Location struct {
	URL string `json:"url"`
}

// TriggerKind says what starts a build.
// +enum
type TriggerKind string

// What starts a build; nothing does if it is empty.
const (
	Cron  TriggerKind = "Cron"
	Watch TriggerKind = "Watch"
	Never TriggerKind = ""
)

// Trigger starts builds.
type Trigger struct {
	// +unionDiscriminator
	// +optional
	Kind TriggerKind `json:"kind,omitempty"`

	// +unionMember
	// +optional
	Cron *string `json:"cron,omitempty"`

	// +unionMember
	// +optional
	Watch *Location `json:"watch,omitempty"`
}
