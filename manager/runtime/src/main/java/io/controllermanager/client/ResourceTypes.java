package io.controllermanager.client;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1CronJob;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1Endpoints;
import io.kubernetes.client.openapi.models.V1Ingress;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LimitRange;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicationController;
import io.kubernetes.client.openapi.models.V1ResourceQuota;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1RoleBinding;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V1StorageClass;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The types of Kubernetes itself that controllers commonly deal with, and how to find one by its class. */
public final class ResourceTypes {

    public static final ResourceType<V1ConfigMap> CONFIG_MAP =
            ResourceType.namespaced(V1ConfigMap.class, "", "v1", "ConfigMap", "configmaps");

    public static final ResourceType<V1Endpoints> ENDPOINTS =
            ResourceType.namespaced(V1Endpoints.class, "", "v1", "Endpoints", "endpoints");

    public static final ResourceType<V1LimitRange> LIMIT_RANGE =
            ResourceType.namespaced(V1LimitRange.class, "", "v1", "LimitRange", "limitranges");

    public static final ResourceType<V1Namespace> NAMESPACE =
            ResourceType.cluster(V1Namespace.class, "", "v1", "Namespace", "namespaces");

    public static final ResourceType<V1Node> NODE = ResourceType.cluster(V1Node.class, "", "v1", "Node", "nodes");

    public static final ResourceType<V1PersistentVolume> PERSISTENT_VOLUME =
            ResourceType.cluster(V1PersistentVolume.class, "", "v1", "PersistentVolume", "persistentvolumes");

    public static final ResourceType<V1PersistentVolumeClaim> PERSISTENT_VOLUME_CLAIM = ResourceType.namespaced(
            V1PersistentVolumeClaim.class, "", "v1", "PersistentVolumeClaim", "persistentvolumeclaims");

    public static final ResourceType<V1Pod> POD = ResourceType.namespaced(V1Pod.class, "", "v1", "Pod", "pods");

    public static final ResourceType<V1ReplicationController> REPLICATION_CONTROLLER = ResourceType.namespaced(
            V1ReplicationController.class, "", "v1", "ReplicationController", "replicationcontrollers");

    public static final ResourceType<V1ResourceQuota> RESOURCE_QUOTA =
            ResourceType.namespaced(V1ResourceQuota.class, "", "v1", "ResourceQuota", "resourcequotas");

    public static final ResourceType<V1Secret> SECRET =
            ResourceType.namespaced(V1Secret.class, "", "v1", "Secret", "secrets");

    public static final ResourceType<V1Service> SERVICE =
            ResourceType.namespaced(V1Service.class, "", "v1", "Service", "services");

    public static final ResourceType<V1ServiceAccount> SERVICE_ACCOUNT =
            ResourceType.namespaced(V1ServiceAccount.class, "", "v1", "ServiceAccount", "serviceaccounts");

    public static final ResourceType<V1ControllerRevision> CONTROLLER_REVISION = ResourceType.namespaced(
            V1ControllerRevision.class, "apps", "v1", "ControllerRevision", "controllerrevisions");

    public static final ResourceType<V1DaemonSet> DAEMON_SET =
            ResourceType.namespaced(V1DaemonSet.class, "apps", "v1", "DaemonSet", "daemonsets");

    public static final ResourceType<V1Deployment> DEPLOYMENT =
            ResourceType.namespaced(V1Deployment.class, "apps", "v1", "Deployment", "deployments");

    public static final ResourceType<V1ReplicaSet> REPLICA_SET =
            ResourceType.namespaced(V1ReplicaSet.class, "apps", "v1", "ReplicaSet", "replicasets");

    public static final ResourceType<V1StatefulSet> STATEFUL_SET =
            ResourceType.namespaced(V1StatefulSet.class, "apps", "v1", "StatefulSet", "statefulsets");

    public static final ResourceType<V2HorizontalPodAutoscaler> HORIZONTAL_POD_AUTOSCALER = ResourceType.namespaced(
            V2HorizontalPodAutoscaler.class,
            "autoscaling",
            "v2",
            "HorizontalPodAutoscaler",
            "horizontalpodautoscalers");

    public static final ResourceType<V1CronJob> CRON_JOB =
            ResourceType.namespaced(V1CronJob.class, "batch", "v1", "CronJob", "cronjobs");

    public static final ResourceType<V1Job> JOB = ResourceType.namespaced(V1Job.class, "batch", "v1", "Job", "jobs");

    public static final ResourceType<V1Lease> LEASE =
            ResourceType.namespaced(V1Lease.class, "coordination.k8s.io", "v1", "Lease", "leases");

    public static final ResourceType<V1EndpointSlice> ENDPOINT_SLICE =
            ResourceType.namespaced(V1EndpointSlice.class, "discovery.k8s.io", "v1", "EndpointSlice", "endpointslices");

    public static final ResourceType<EventsV1Event> EVENT =
            ResourceType.namespaced(EventsV1Event.class, "events.k8s.io", "v1", "Event", "events");

    public static final ResourceType<V1Ingress> INGRESS =
            ResourceType.namespaced(V1Ingress.class, "networking.k8s.io", "v1", "Ingress", "ingresses");

    public static final ResourceType<V1NetworkPolicy> NETWORK_POLICY = ResourceType.namespaced(
            V1NetworkPolicy.class, "networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies");

    public static final ResourceType<V1PodDisruptionBudget> POD_DISRUPTION_BUDGET = ResourceType.namespaced(
            V1PodDisruptionBudget.class, "policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets");

    public static final ResourceType<V1ClusterRole> CLUSTER_ROLE =
            ResourceType.cluster(V1ClusterRole.class, "rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles");

    public static final ResourceType<V1ClusterRoleBinding> CLUSTER_ROLE_BINDING = ResourceType.cluster(
            V1ClusterRoleBinding.class, "rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings");

    public static final ResourceType<V1Role> ROLE =
            ResourceType.namespaced(V1Role.class, "rbac.authorization.k8s.io", "v1", "Role", "roles");

    public static final ResourceType<V1RoleBinding> ROLE_BINDING = ResourceType.namespaced(
            V1RoleBinding.class, "rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings");

    public static final ResourceType<V1StorageClass> STORAGE_CLASS =
            ResourceType.cluster(V1StorageClass.class, "storage.k8s.io", "v1", "StorageClass", "storageclasses");

    public static final ResourceType<V1CustomResourceDefinition> CUSTOM_RESOURCE_DEFINITION = ResourceType.cluster(
            V1CustomResourceDefinition.class,
            "apiextensions.k8s.io",
            "v1",
            "CustomResourceDefinition",
            "customresourcedefinitions");

    /** All of the above. */
    private static final Map<Class<?>, ResourceType<?>> BY_CLASS = Stream.of(ResourceTypes.class.getFields())
            .map(ResourceTypes::value)
            .collect(Collectors.toUnmodifiableMap(ResourceType::objectClass, Function.identity()));

    private ResourceTypes() {}

    private static ResourceType<?> value(Field constant) {
        try {
            return (ResourceType<?>) constant.get(ResourceTypes.class);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The type that is read into the class, null if it is not one of those above. */
    @SuppressWarnings("unchecked") // the table maps each class to a type of that class
    public static <T extends KubernetesObject> @Nullable ResourceType<T> forClass(Class<T> objectClass) {
        return (ResourceType<T>) BY_CLASS.get(objectClass);
    }
}
