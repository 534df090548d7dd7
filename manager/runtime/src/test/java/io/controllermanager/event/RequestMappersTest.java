package io.controllermanager.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.ResourceType;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import org.junit.jupiter.api.Test;

class RequestMappersTest {

    private static final ResourceType<V1Deployment> DEPLOYMENT =
            ResourceType.namespaced(V1Deployment.class, "apps", "v1", "Deployment", "deployments");
    private static final ResourceType<V1ConfigMap> CONFIG_MAP =
            ResourceType.namespaced(V1ConfigMap.class, "", "v1", "ConfigMap", "configmaps");
    private static final ResourceType<V1Namespace> NAMESPACE =
            ResourceType.cluster(V1Namespace.class, "", "v1", "Namespace", "namespaces");

    @Test
    void mapsToTheObjectItself() {
        assertThat(RequestMappers.<V1Pod>self().map(pod())).containsExactly(new Request("default", "pod"));
        assertThat(RequestMappers.<V1Namespace>self().map(new V1Namespace().metadata(new V1ObjectMeta().name("one"))))
                .containsExactly(new Request("one"));
    }

    @Test
    void mapsToWhatALabelOrAnAnnotationNames() {
        V1Pod pod = new V1Pod()
                .metadata(new V1ObjectMeta()
                        .namespace("default")
                        .name("pod")
                        .putLabelsItem("app", "mine")
                        .putLabelsItem("empty", "")
                        .putAnnotationsItem("elsewhere", "other/theirs")
                        .putAnnotationsItem("cluster", "wide"));
        assertThat(RequestMappers.<V1Pod>label("app").map(pod)).containsExactly(new Request("default", "mine"));
        assertThat(RequestMappers.<V1Pod>label("empty").map(pod)).isEmpty();
        assertThat(RequestMappers.<V1Pod>label("none").map(pod)).isEmpty();
        assertThat(RequestMappers.<V1Pod>annotation("elsewhere").map(pod))
                .containsExactly(new Request("other", "theirs"));
        assertThat(RequestMappers.<V1Pod>annotation("cluster").map(pod)).containsExactly(new Request("wide"));
        assertThat(RequestMappers.<V1Pod>annotation("none").map(pod)).isEmpty();
        assertThat(RequestMappers.<V1Pod>annotation("none").map(pod())).isEmpty();
    }

    @Test
    void mapsToTheControllingOwnerOfTheType() {
        RequestMapper<V1Pod> mapper = RequestMappers.controllingOwner(DEPLOYMENT);
        assertThat(mapper.map(pod(
                        owner("apps/v1", "Deployment", "other", false), owner("apps/v1", "Deployment", "mine", true))))
                .containsExactly(new Request("default", "mine"));
    }

    @Test
    void mindsTheOwnersGroupAndKindButNotItsVersion() {
        RequestMapper<V1Pod> mapper = RequestMappers.controllingOwner(DEPLOYMENT);
        assertThat(mapper.map(pod(owner("apps/v1beta2", "Deployment", "mine", true))))
                .containsExactly(new Request("default", "mine"));
        assertThat(mapper.map(pod(owner("extensions/v1", "Deployment", "mine", true))))
                .isEmpty();
        assertThat(mapper.map(pod(owner("apps/v1", "ReplicaSet", "mine", true))))
                .isEmpty();
        assertThat(mapper.map(pod(owner("v1", "Deployment", "mine", true)))).isEmpty();
    }

    @Test
    void findsOwnersInTheCoreGroupAndThoseWithoutNamespace() {
        assertThat(RequestMappers.<V1Pod>controllingOwner(CONFIG_MAP).map(pod(owner("v1", "ConfigMap", "mine", true))))
                .containsExactly(new Request("default", "mine"));
        assertThat(RequestMappers.<V1Pod>controllingOwner(NAMESPACE).map(pod(owner("v1", "Namespace", "mine", true))))
                .containsExactly(new Request("mine"));
    }

    @Test
    void mapsToEveryOwnerWhereControlDoesNotMatter() {
        assertThat(RequestMappers.<V1Pod>anyOwner(DEPLOYMENT)
                        .map(pod(
                                owner("apps/v1", "Deployment", "one", false),
                                owner("apps/v1", "Deployment", "two", true),
                                owner("apps/v1", "ReplicaSet", "three", true))))
                .containsExactlyInAnyOrder(new Request("default", "one"), new Request("default", "two"));
    }

    @Test
    void mapsNothingWhereThereIsNoOwnerOrNoMetadata() {
        assertThat(RequestMappers.<V1Pod>controllingOwner(DEPLOYMENT).map(pod()))
                .isEmpty();
        assertThat(RequestMappers.<V1Pod>controllingOwner(DEPLOYMENT).map(new V1Pod()))
                .isEmpty();
        assertThat(RequestMappers.<V1Pod>self().map(new V1Pod())).isEmpty();
    }

    @Test
    void mapsToAFixedKey() {
        assertThat(RequestMappers.<V1Pod>always(new Request("a", "b")).map(pod()))
                .containsExactly(new Request("a", "b"));
    }

    private static V1Pod pod(V1OwnerReference... owners) {
        V1ObjectMeta metadata = new V1ObjectMeta().namespace("default").name("pod");
        for (V1OwnerReference owner : owners) {
            metadata.addOwnerReferencesItem(owner);
        }
        return new V1Pod().metadata(metadata);
    }

    private static V1OwnerReference owner(String apiVersion, String kind, String name, boolean controller) {
        return new V1OwnerReference()
                .apiVersion(apiVersion)
                .kind(kind)
                .name(name)
                .uid("u-" + name)
                .controller(controller);
    }
}
