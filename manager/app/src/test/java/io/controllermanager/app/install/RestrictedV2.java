package io.controllermanager.app.install;

import com.google.gson.Gson;
import io.kubernetes.client.openapi.models.V1Capabilities;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1PodSecurityContext;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1SeccompProfile;
import io.kubernetes.client.openapi.models.V1SecurityContext;
import io.kubernetes.client.openapi.models.V1Volume;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.util.CollectionUtils;

/**
 * OpenShift's security context constraint of that name, which decides on pods whose service account has no other: what it
 * refuses of a pod. What a pod leaves open it fills in, and does not refuse (openshift/cluster-kube-apiserver-operator,
 * bindata/bootkube/scc-manifests, and openshift/apiserver-library-go, pkg/securitycontextconstraints).
 *
 * @param first the first user and group of the pod's namespace
 * @param size how many it has
 */
record RestrictedV2(long first, long size) {

    private static final Set<String> VOLUMES = Set.of(
            "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret");

    /** Sentences, none if it takes the pod. */
    List<String> refusals(V1PodSpec pod) {
        List<String> refusals = new ArrayList<>();
        refuse(refusals, Boolean.TRUE.equals(pod.getHostNetwork()), "hostNetwork");
        refuse(refusals, Boolean.TRUE.equals(pod.getHostPID()), "hostPID");
        refuse(refusals, Boolean.TRUE.equals(pod.getHostIPC()), "hostIPC");
        V1PodSecurityContext context =
                Objects.requireNonNullElseGet(pod.getSecurityContext(), V1PodSecurityContext::new);
        checkUser(refusals, context.getRunAsUser(), context.getRunAsNonRoot());
        checkSeccomp(refusals, context.getSeccompProfile());
        refuse(refusals, context.getSeLinuxOptions() != null, "seLinuxOptions");
        refuse(refusals, !CollectionUtils.isEmpty(context.getSysctls()), "sysctls");
        Long fsGroup = context.getFsGroup();
        refuse(refusals, fsGroup != null && !isOurs(fsGroup), "fsGroup " + fsGroup + " is none of the namespace's");
        for (V1Volume volume : orEmpty(pod.getVolumes())) {
            Map<?, ?> fields = new Gson().fromJson(volume.toJson(), Map.class);
            fields.keySet().stream()
                    .filter(field -> !field.equals("name") && !VOLUMES.contains(field))
                    .forEach(field -> refusals.add("a volume of type " + field));
        }
        List<V1Container> containers = new ArrayList<>(pod.getContainers());
        containers.addAll(orEmpty(pod.getInitContainers()));
        containers.forEach(container -> checkContainer(refusals, container));
        return refusals;
    }

    private void checkContainer(List<String> refusals, V1Container container) {
        V1SecurityContext context =
                Objects.requireNonNullElseGet(container.getSecurityContext(), V1SecurityContext::new);
        checkUser(refusals, context.getRunAsUser(), context.getRunAsNonRoot());
        checkSeccomp(refusals, context.getSeccompProfile());
        refuse(refusals, Boolean.TRUE.equals(context.getPrivileged()), "privileged");
        refuse(refusals, Boolean.TRUE.equals(context.getAllowPrivilegeEscalation()), "allowPrivilegeEscalation");
        refuse(refusals, context.getSeLinuxOptions() != null, "seLinuxOptions");
        V1Capabilities capabilities = Objects.requireNonNullElseGet(context.getCapabilities(), V1Capabilities::new);
        orEmpty(capabilities.getAdd()).stream()
                .filter(capability -> !capability.equals("NET_BIND_SERVICE"))
                .forEach(capability -> refusals.add("capability " + capability));
        for (V1ContainerPort port : orEmpty(container.getPorts())) {
            refuse(refusals, port.getHostPort() != null && port.getHostPort() != 0, "hostPort " + port.getHostPort());
        }
    }

    private void checkUser(List<String> refusals, @Nullable Long user, @Nullable Boolean nonRoot) {
        refuse(refusals, user != null && !isOurs(user), "runAsUser " + user + " is none of the namespace's");
        refuse(refusals, Boolean.FALSE.equals(nonRoot) && user == null, "runAsNonRoot false");
    }

    private static void checkSeccomp(List<String> refusals, @Nullable V1SeccompProfile profile) {
        refuse(
                refusals,
                profile != null && !"RuntimeDefault".equals(profile.getType()),
                "seccompProfile " + (profile == null ? "" : profile.getType()));
    }

    private boolean isOurs(long id) {
        return id >= first && id < first + size;
    }

    private static void refuse(List<String> refusals, boolean refused, String sentence) {
        if (refused) {
            refusals.add(sentence);
        }
    }

    private static <T> Collection<T> orEmpty(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }
}
