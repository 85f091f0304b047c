package main

import (
	"context"
	"errors"
	"slices"

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

// registration says which strategies validate a kind, in all its versions, by subresource; "" is the main resource.
type registration struct {
	group, kind string
	routes      map[string]strategy
}

// kind is a kind whose main resource this strategy validates; the group is that of [in].
func kind(name string, of strategy) registration {
	return registration{kind: name, routes: map[string]strategy{"": of}}
}

// at adds the strategy of a subresource.
func (r registration) at(subresource string, of strategy) registration {
	r.routes[subresource] = of
	return r
}

// status adds the strategy of the status.
func (r registration) status(of strategy) registration { return r.at("status", of) }

// in gives kinds their group.
func in(group string, kinds ...registration) []registration {
	for at := range kinds {
		kinds[at].group = group
	}
	return kinds
}

// registrations is the table of kinds. A new kind is one line here, and its group's install package above.
func registrations() []registration {
	claims := resourceclaim.NewStrategy(adminNamespaces{}, authorizerfactory.NewAlwaysAllowAuthorizer())
	podGroups := podgroup.NewStrategy()
	return slices.Concat(
		in("",
			kind("ReplicationController", replicationcontroller.Strategy).
				at("scale", replicationcontroller.Strategy).
				status(replicationcontroller.StatusStrategy),
			// These have no generated validation in 1.36.
			kind("ConfigMap", configmap.Strategy),
			kind("Endpoints", endpoint.Strategy),
			kind("LimitRange", limitrange.Strategy),
			kind("Namespace", namespace.Strategy).
				at("finalize", namespace.FinalizeStrategy).
				status(namespace.StatusStrategy),
			kind("Node", node.Strategy).status(node.StatusStrategy),
			kind("PersistentVolume", persistentvolume.Strategy).status(persistentvolume.StatusStrategy),
			kind("PersistentVolumeClaim", persistentvolumeclaim.Strategy).status(persistentvolumeclaim.StatusStrategy),
			kind("Pod", pod.Strategy).
				at("ephemeralcontainers", pod.EphemeralContainersStrategy).
				at("resize", pod.ResizeStrategy).
				status(pod.StatusStrategy),
			kind("PodTemplate", podtemplate.Strategy),
			kind("ResourceQuota", resourcequota.Strategy).status(resourcequota.StatusStrategy),
			kind("Secret", secret.Strategy),
			kind("Service", service.Strategy).status(service.StatusStrategy),
			kind("ServiceAccount", serviceaccount.Strategy),
		),
		in("admissionregistration.k8s.io",
			kind("ValidatingAdmissionPolicyBinding", validatingadmissionpolicybinding.NewStrategy(nil, nil, noResources{})),
			// These have no generated validation in 1.36.
			kind("MutatingWebhookConfiguration", mutatingwebhookconfiguration.Strategy),
			kind("ValidatingWebhookConfiguration", validatingwebhookconfiguration.Strategy),
		),
		// Of apps, only the scale subresources have generated validation in 1.36.
		in("apps",
			kind("ControllerRevision", controllerrevision.Strategy),
			kind("DaemonSet", daemonset.Strategy).status(daemonset.StatusStrategy),
			kind("Deployment", deployment.Strategy).status(deployment.StatusStrategy),
			kind("ReplicaSet", replicaset.Strategy).status(replicaset.StatusStrategy),
			kind("StatefulSet", statefulset.Strategy).status(statefulset.StatusStrategy),
		),
		in("autoscaling",
			kind("HorizontalPodAutoscaler", horizontalpodautoscaler.Strategy).status(horizontalpodautoscaler.StatusStrategy),
			registration{kind: "Scale", routes: map[string]strategy{"scale": scale{}}},
		),
		in("batch",
			kind("CronJob", cronjob.Strategy).status(cronjob.StatusStrategy),
			// This has no generated validation in 1.36.
			kind("Job", job.Strategy).status(job.StatusStrategy),
		),
		in("certificates.k8s.io",
			kind("CertificateSigningRequest", certificates.Strategy).
				at("approval", certificates.ApprovalStrategy).
				status(certificates.StatusStrategy),
			// This has no generated validation in 1.36.
			kind("ClusterTrustBundle", clustertrustbundle.Strategy),
		),
		in("coordination.k8s.io",
			// This has no generated validation in 1.36.
			kind("Lease", lease.Strategy),
		),
		in("discovery.k8s.io",
			kind("EndpointSlice", endpointslice.Strategy),
		),
		in("flowcontrol.apiserver.k8s.io",
			kind("PriorityLevelConfiguration", prioritylevelconfiguration.Strategy).
				status(prioritylevelconfiguration.StatusStrategy),
			// This has no generated validation in 1.36.
			kind("FlowSchema", flowschema.Strategy).status(flowschema.StatusStrategy),
		),
		in("networking.k8s.io",
			kind("IPAddress", ipaddress.Strategy),
			kind("IngressClass", ingressclass.Strategy),
			kind("NetworkPolicy", networkpolicy.Strategy),
			// These have no generated validation in 1.36.
			kind("Ingress", ingress.Strategy).status(ingress.StatusStrategy),
			kind("ServiceCIDR", servicecidr.Strategy).status(servicecidr.StatusStrategy),
		),
		in("node.k8s.io",
			kind("RuntimeClass", runtimeclass.Strategy),
		),
		in("policy",
			// This has no generated validation in 1.36.
			kind("PodDisruptionBudget", poddisruptionbudget.Strategy).status(poddisruptionbudget.StatusStrategy),
		),
		in("rbac.authorization.k8s.io",
			kind("ClusterRole", clusterrole.Strategy),
			kind("ClusterRoleBinding", clusterrolebinding.Strategy),
			kind("Role", role.Strategy),
			kind("RoleBinding", rolebinding.Strategy),
		),
		in("resource.k8s.io",
			kind("DeviceClass", deviceclass.Strategy),
			kind("DeviceTaintRule", devicetaintrule.Strategy).status(devicetaintrule.StatusStrategy),
			kind("ResourceClaim", claims).status(resourceclaim.NewStatusStrategy(claims)),
			kind("ResourceClaimTemplate", resourceclaimtemplate.NewStrategy(adminNamespaces{})),
			kind("ResourcePoolStatusRequest", resourcepoolstatusrequest.Strategy).
				status(resourcepoolstatusrequest.StatusStrategy),
			kind("ResourceSlice", resourceslice.Strategy),
		),
		in("scheduling.k8s.io",
			kind("PodGroup", podGroups).status(podgroup.NewStatusStrategy(podGroups)),
			kind("Workload", workload.Strategy),
			// This has no generated validation in 1.36.
			kind("PriorityClass", priorityclass.Strategy),
		),
		in("storage.k8s.io",
			kind("StorageClass", storageclass.Strategy),
			kind("VolumeAttachment", volumeattachment.Strategy).status(volumeattachment.StatusStrategy),
			// These have no generated validation in 1.36.
			kind("CSIDriver", csidriver.Strategy),
			kind("CSINode", csinode.Strategy),
			kind("CSIStorageCapacity", csistoragecapacity.Strategy),
			kind("VolumeAttributesClass", volumeattributesclass.Strategy),
		),
	)
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
