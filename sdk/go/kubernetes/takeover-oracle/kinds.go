package main

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	autoscalingvalidation "k8s.io/kubernetes/pkg/apis/autoscaling/validation"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	"k8s.io/kubernetes/pkg/apis/resource"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicybinding"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/apps/controllerrevision"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/certificates/certificates"
	"k8s.io/kubernetes/pkg/registry/certificates/clustertrustbundle"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/endpoint"
	"k8s.io/kubernetes/pkg/registry/core/limitrange"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	"k8s.io/kubernetes/pkg/registry/core/resourcequota"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/discovery/endpointslice"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/flowschema"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/prioritylevelconfiguration"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/ingressclass"
	"k8s.io/kubernetes/pkg/registry/networking/ipaddress"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/networking/servicecidr"
	"k8s.io/kubernetes/pkg/registry/node/runtimeclass"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrole"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
	"k8s.io/kubernetes/pkg/registry/rbac/role"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourcepoolstatusrequest"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
	"k8s.io/kubernetes/pkg/registry/scheduling/podgroup"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/scheduling/workload"
	"k8s.io/kubernetes/pkg/registry/storage/csidriver"
	"k8s.io/kubernetes/pkg/registry/storage/csinode"
	"k8s.io/kubernetes/pkg/registry/storage/csistoragecapacity"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattachment"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattributesclass"
)

// strategy is the part of a registry's strategy that validates.
type strategy interface {
	Validate(ctx context.Context, obj runtime.Object) field.ErrorList
	ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList
}

// routes are the strategies of a kind by subresource; "" is the main resource.
type routes map[string]strategy

// registration says which strategies validate a kind, in all its versions.
type registration struct {
	group, kind string
	routes      routes
}

// registrations is the table of kinds. A new kind is one line here, and its group's install package above.
func registrations() []registration {
	claims := resourceclaim.NewStrategy(adminNamespaces{}, authorizerfactory.NewAlwaysAllowAuthorizer())
	podGroups := podgroup.NewStrategy()
	return []registration{
		{"", "ReplicationController", routes{
			"":       replicationcontroller.Strategy,
			"scale":  replicationcontroller.Strategy,
			"status": replicationcontroller.StatusStrategy,
		}},
		{"admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding", routes{
			"": validatingadmissionpolicybinding.NewStrategy(nil, nil, noResources{}),
		}},
		{"autoscaling", "HorizontalPodAutoscaler", routes{
			"":       horizontalpodautoscaler.Strategy,
			"status": horizontalpodautoscaler.StatusStrategy,
		}},
		{"autoscaling", "Scale", routes{"scale": scale{}}},
		{"batch", "CronJob", routes{"": cronjob.Strategy, "status": cronjob.StatusStrategy}},
		{"certificates.k8s.io", "CertificateSigningRequest", routes{
			"":         certificates.Strategy,
			"approval": certificates.ApprovalStrategy,
			"status":   certificates.StatusStrategy,
		}},
		{"discovery.k8s.io", "EndpointSlice", routes{"": endpointslice.Strategy}},
		{"flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration", routes{
			"":       prioritylevelconfiguration.Strategy,
			"status": prioritylevelconfiguration.StatusStrategy,
		}},
		{"networking.k8s.io", "IPAddress", routes{"": ipaddress.Strategy}},
		{"networking.k8s.io", "IngressClass", routes{"": ingressclass.Strategy}},
		{"networking.k8s.io", "NetworkPolicy", routes{"": networkpolicy.Strategy}},
		{"node.k8s.io", "RuntimeClass", routes{"": runtimeclass.Strategy}},
		{"rbac.authorization.k8s.io", "ClusterRole", routes{"": clusterrole.Strategy}},
		{"rbac.authorization.k8s.io", "ClusterRoleBinding", routes{"": clusterrolebinding.Strategy}},
		{"rbac.authorization.k8s.io", "Role", routes{"": role.Strategy}},
		{"rbac.authorization.k8s.io", "RoleBinding", routes{"": rolebinding.Strategy}},
		{"resource.k8s.io", "DeviceClass", routes{"": deviceclass.Strategy}},
		{"resource.k8s.io", "DeviceTaintRule", routes{
			"":       devicetaintrule.Strategy,
			"status": devicetaintrule.StatusStrategy,
		}},
		{"resource.k8s.io", "ResourceClaim", routes{"": claims, "status": resourceclaim.NewStatusStrategy(claims)}},
		{"resource.k8s.io", "ResourceClaimTemplate", routes{"": resourceclaimtemplate.NewStrategy(adminNamespaces{})}},
		{"resource.k8s.io", "ResourcePoolStatusRequest", routes{
			"":       resourcepoolstatusrequest.Strategy,
			"status": resourcepoolstatusrequest.StatusStrategy,
		}},
		{"resource.k8s.io", "ResourceSlice", routes{"": resourceslice.Strategy}},
		{"scheduling.k8s.io", "PodGroup", routes{"": podGroups, "status": podgroup.NewStatusStrategy(podGroups)}},
		{"scheduling.k8s.io", "Workload", routes{"": workload.Strategy}},
		{"storage.k8s.io", "StorageClass", routes{"": storageclass.Strategy}},
		{"storage.k8s.io", "VolumeAttachment", routes{
			"":       volumeattachment.Strategy,
			"status": volumeattachment.StatusStrategy,
		}},

		// These have no generated validation in 1.36.
		{"", "ConfigMap", routes{"": configmap.Strategy}},
		{"", "Endpoints", routes{"": endpoint.Strategy}},
		{"", "LimitRange", routes{"": limitrange.Strategy}},
		{"", "Namespace", routes{
			"":         namespace.Strategy,
			"status":   namespace.StatusStrategy,
			"finalize": namespace.FinalizeStrategy,
		}},
		{"", "Node", routes{"": node.Strategy, "status": node.StatusStrategy}},
		{"", "PersistentVolume", routes{"": persistentvolume.Strategy, "status": persistentvolume.StatusStrategy}},
		{"", "PersistentVolumeClaim", routes{
			"":       persistentvolumeclaim.Strategy,
			"status": persistentvolumeclaim.StatusStrategy,
		}},
		{"", "Pod", routes{
			"":                    pod.Strategy,
			"ephemeralcontainers": pod.EphemeralContainersStrategy,
			"resize":              pod.ResizeStrategy,
			"status":              pod.StatusStrategy,
		}},
		{"", "PodTemplate", routes{"": podtemplate.Strategy}},
		{"", "ResourceQuota", routes{"": resourcequota.Strategy, "status": resourcequota.StatusStrategy}},
		{"", "Secret", routes{"": secret.Strategy}},
		{"", "Service", routes{"": service.Strategy, "status": service.StatusStrategy}},
		{"", "ServiceAccount", routes{"": serviceaccount.Strategy}},
		{"admissionregistration.k8s.io", "MutatingWebhookConfiguration", routes{"": mutatingwebhookconfiguration.Strategy}},
		{"admissionregistration.k8s.io", "ValidatingWebhookConfiguration", routes{
			"": validatingwebhookconfiguration.Strategy,
		}},
		{"apps", "ControllerRevision", routes{"": controllerrevision.Strategy}},
		{"apps", "DaemonSet", routes{"": daemonset.Strategy, "status": daemonset.StatusStrategy}},
		{"apps", "Deployment", routes{"": deployment.Strategy, "status": deployment.StatusStrategy}},
		{"apps", "ReplicaSet", routes{"": replicaset.Strategy, "status": replicaset.StatusStrategy}},
		{"apps", "StatefulSet", routes{"": statefulset.Strategy, "status": statefulset.StatusStrategy}},
		{"batch", "Job", routes{"": job.Strategy, "status": job.StatusStrategy}},
		{"certificates.k8s.io", "ClusterTrustBundle", routes{"": clustertrustbundle.Strategy}},
		{"coordination.k8s.io", "Lease", routes{"": lease.Strategy}},
		{"flowcontrol.apiserver.k8s.io", "FlowSchema", routes{
			"":       flowschema.Strategy,
			"status": flowschema.StatusStrategy,
		}},
		{"networking.k8s.io", "Ingress", routes{"": ingress.Strategy, "status": ingress.StatusStrategy}},
		{"networking.k8s.io", "ServiceCIDR", routes{"": servicecidr.Strategy, "status": servicecidr.StatusStrategy}},
		{"policy", "PodDisruptionBudget", routes{
			"":       poddisruptionbudget.Strategy,
			"status": poddisruptionbudget.StatusStrategy,
		}},
		{"scheduling.k8s.io", "PriorityClass", routes{"": priorityclass.Strategy}},
		{"storage.k8s.io", "CSIDriver", routes{"": csidriver.Strategy}},
		{"storage.k8s.io", "CSINode", routes{"": csinode.Strategy}},
		{"storage.k8s.io", "CSIStorageCapacity", routes{"": csistoragecapacity.Strategy}},
		{"storage.k8s.io", "VolumeAttributesClass", routes{"": volumeattributesclass.Strategy}},
	}
}

// scale has what the scale subresources check: their REST handlers do it, without a strategy.
type scale struct{}

func (scale) Validate(_ context.Context, obj runtime.Object) field.ErrorList {
	return autoscalingvalidation.ValidateScale(obj.(*autoscaling.Scale))
}

func (s scale) ValidateUpdate(ctx context.Context, obj, _ runtime.Object) field.ErrorList {
	return s.Validate(ctx, obj)
}

// adminNamespaces are namespaces in which claims may ask for admin access to devices: there is no cluster to look into.
type adminNamespaces struct{ typedcorev1.NamespaceInterface }

func (adminNamespaces) Get(_ context.Context, name string, _ metav1.GetOptions) (*corev1.Namespace, error) {
	labels := map[string]string{resource.DRAAdminNamespaceLabelKey: "true"}
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}, nil
}

// noResources knows no resource. It is asked when an authorizer is there, which is not.
type noResources struct{}

func (noResources) Resolve(schema.GroupVersionKind) (schema.GroupVersionResource, error) {
	return schema.GroupVersionResource{}, errors.New("there is no cluster")
}
