package v1beta1

import (
	"k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// EndpointSlice holds part of the endpoints behind a service.
type EndpointSlice struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:required
	// +k8s:alpha(since: "1.36")=+k8s:immutable
	AddressType AddressType `json:"addressType"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	Endpoints []Endpoint `json:"endpoints"`

	Ports []EndpointPort `json:"ports"`
}

// AddressType tells what kind of addresses a slice holds.
//
// +k8s:alpha(since: "1.36")=+k8s:enum
type AddressType string

const (
	AddressTypeIPv4 AddressType = "IPv4"
	AddressTypeIPv6 AddressType = "IPv6"
	AddressTypeFQDN AddressType = "FQDN"
)

// Endpoint is one backend with its addresses.
type Endpoint struct {
	// +k8s:alpha(since: "1.36")=+k8s:required
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=100
	Addresses []string `json:"addresses"`

	Conditions EndpointConditions  `json:"conditions,omitempty"`
	Hostname   *string             `json:"hostname,omitempty"`
	TargetRef  *v1.ObjectReference `json:"targetRef,omitempty"`
	Topology   map[string]string   `json:"topology,omitempty"`
	NodeName   *string             `json:"nodeName,omitempty"`
	Hints      *EndpointHints      `json:"hints,omitempty"`
}

// EndpointConditions tell how far an endpoint can take traffic.
type EndpointConditions struct {
	Ready       *bool `json:"ready,omitempty"`
	Serving     *bool `json:"serving,omitempty"`
	Terminating *bool `json:"terminating,omitempty"`
}

// EndpointHints tell who should use an endpoint.
type EndpointHints struct {
	ForZones []ForZone `json:"forZones,omitempty"`
	ForNodes []ForNode `json:"forNodes,omitempty"`
}

// ForZone names a zone that should use an endpoint.
type ForZone struct {
	Name string `json:"name"`
}

// ForNode names a node that should use an endpoint.
type ForNode struct {
	Name string `json:"name"`
}

// EndpointPort is a port that all endpoints of a slice serve.
type EndpointPort struct {
	Name        *string      `json:"name,omitempty"`
	Protocol    *v1.Protocol `json:"protocol,omitempty"`
	Port        *int32       `json:"port,omitempty"`
	AppProtocol *string      `json:"appProtocol,omitempty"`
}
