package v1

import (
	"k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CertificateSigningRequest asks a signer for a certificate.
//
// +k8s:supportsSubresource="/status"
// +k8s:supportsSubresource="/approval"
type CertificateSigningRequest struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              CertificateSigningRequestSpec   `json:"spec"`
	Status            CertificateSigningRequestStatus `json:"status,omitempty"`
}

// CertificateSigningRequestSpec is the request and who made it.
type CertificateSigningRequestSpec struct {
	Request           []byte                `json:"request"`
	SignerName        string                `json:"signerName"`
	ExpirationSeconds *int32                `json:"expirationSeconds,omitempty"`
	Usages            []KeyUsage            `json:"usages,omitempty"`
	Username          string                `json:"username,omitempty"`
	UID               string                `json:"uid,omitempty"`
	Groups            []string              `json:"groups,omitempty"`
	Extra             map[string]ExtraValue `json:"extra,omitempty"`
}

// KeyUsage is a purpose that a key may serve.
type KeyUsage string

const (
	UsageSigning           KeyUsage = "signing"
	UsageDigitalSignature  KeyUsage = "digital signature"
	UsageContentCommitment KeyUsage = "content commitment"
	UsageKeyEncipherment   KeyUsage = "key encipherment"
	UsageKeyAgreement      KeyUsage = "key agreement"
	UsageDataEncipherment  KeyUsage = "data encipherment"
	UsageCertSign          KeyUsage = "cert sign"
	UsageCRLSign           KeyUsage = "crl sign"
	UsageEncipherOnly      KeyUsage = "encipher only"
	UsageDecipherOnly      KeyUsage = "decipher only"
	UsageAny               KeyUsage = "any"
	UsageServerAuth        KeyUsage = "server auth"
	UsageClientAuth        KeyUsage = "client auth"
	UsageCodeSigning       KeyUsage = "code signing"
	UsageEmailProtection   KeyUsage = "email protection"
	UsageSMIME             KeyUsage = "s/mime"
	UsageIPsecEndSystem    KeyUsage = "ipsec end system"
	UsageIPsecTunnel       KeyUsage = "ipsec tunnel"
	UsageIPsecUser         KeyUsage = "ipsec user"
	UsageTimestamping      KeyUsage = "timestamping"
	UsageOCSPSigning       KeyUsage = "ocsp signing"
	UsageMicrosoftSGC      KeyUsage = "microsoft sgc"
	UsageNetscapeSGC       KeyUsage = "netscape sgc"
)

// ExtraValue holds the values of one extra attribute of a user.
type ExtraValue []string

// CertificateSigningRequestStatus is the verdict over the request and the issued certificate.
type CertificateSigningRequestStatus struct {
	// +k8s:alpha(since: "1.36")=+k8s:listType=map
	// +k8s:alpha(since: "1.36")=+k8s:listMapKey=type
	// +k8s:alpha(since: "1.36")=+k8s:customUnique
	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:item(type: "Approved")=+k8s:zeroOrOneOfMember
	// +k8s:alpha(since: "1.36")=+k8s:item(type: "Denied")=+k8s:zeroOrOneOfMember
	Conditions []CertificateSigningRequestCondition `json:"conditions,omitempty"`

	Certificate []byte `json:"certificate,omitempty"`
}

// CertificateSigningRequestCondition is one step of the verdict.
type CertificateSigningRequestCondition struct {
	Type               RequestConditionType `json:"type"`
	Status             v1.ConditionStatus   `json:"status"`
	Reason             string               `json:"reason,omitempty"`
	Message            string               `json:"message,omitempty"`
	LastUpdateTime     metav1.Time          `json:"lastUpdateTime,omitempty"`
	LastTransitionTime metav1.Time          `json:"lastTransitionTime,omitempty"`
}

// RequestConditionType names a verdict over a request.
type RequestConditionType string

const (
	CertificateApproved RequestConditionType = "Approved"
	CertificateDenied   RequestConditionType = "Denied"
	CertificateFailed   RequestConditionType = "Failed"
)
