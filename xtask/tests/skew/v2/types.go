// Package v2 has two unions, each with one more member than in version v1.
package v2

// Source says where the parts of a build come from. Exactly one member is set.
type Source struct {
	// +k8s:unionMember
	// +k8s:optional
	Git *Location `json:"git,omitempty"`

	// +k8s:unionMember
	// +k8s:optional
	HTTP *Location `json:"http,omitempty"`

	// +k8s:unionMember
	// +k8s:optional
	OCI *Location `json:"oci,omitempty"`
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
	Queue TriggerKind = "Queue"
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

	// +unionMember
	// +optional
	Queue *Location `json:"queue,omitempty"`
}
