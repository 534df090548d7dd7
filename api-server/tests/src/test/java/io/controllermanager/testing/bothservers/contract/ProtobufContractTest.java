package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.controllermanager.testing.bothservers.TestedServer;
import io.kubernetes.client.proto.IntStr.IntOrString;
import io.kubernetes.client.proto.Meta;
import io.kubernetes.client.proto.Meta.DeleteOptions;
import io.kubernetes.client.proto.Meta.ObjectMeta;
import io.kubernetes.client.proto.Resource.Quantity;
import io.kubernetes.client.proto.Runtime;
import io.kubernetes.client.proto.Runtime.Unknown;
import io.kubernetes.client.proto.V1;
import io.kubernetes.client.proto.V1.ConfigMap;
import io.kubernetes.client.proto.V1Apps;
import io.kubernetes.client.proto.V1Autoscaling;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Bodies in protobuf, as Go's typed clients send them. */
class ProtobufContractTest extends Contract {

    private static final String PROTOBUF = "application/vnd.kubernetes.protobuf";

    ProtobufContractTest(TestedServer server) {
        super(server);
    }

    private static byte[] bytes(String apiVersion, String kind, ByteString object) {
        Unknown envelope = Unknown.newBuilder()
                .setTypeMeta(
                        Runtime.TypeMeta.newBuilder().setApiVersion(apiVersion).setKind(kind))
                .setRaw(object)
                .build();
        return ByteString.copyFromUtf8("k8s\0").concat(envelope.toByteString()).toByteArray();
    }

    private Reply send(String method, String path, String apiVersion, String kind, Message object) {
        return api.send(method, path, Api.JSON, PROTOBUF, bytes(apiVersion, kind, object.toByteString()));
    }

    private Reply create(byte[] body) {
        return api.send("POST", configMaps(), Api.JSON, PROTOBUF, body);
    }

    private static ObjectMeta.Builder named(String name) {
        // Go sends all of its strings and numbers, the empty ones too, and a time that is not set as an empty message.
        return ObjectMeta.newBuilder()
                .setName(name)
                .setGenerateName("")
                .setNamespace("")
                .setGeneration(0)
                .setCreationTimestamp(Meta.Time.getDefaultInstance());
    }

    private static ConfigMap configMapOf(String name, String value) {
        return ConfigMap.newBuilder()
                .setMetadata(named(name).putLabels("app", "a").putAnnotations("empty", ""))
                .putData("key", value)
                .putBinaryData("bytes", ByteString.copyFrom(new byte[] {0, 1, (byte) 0xff}))
                .build();
    }

    @Test
    void creates() {
        Reply created = send("POST", configMaps(), "v1", "ConfigMap", configMapOf("a", "value"))
                .ok();
        assertThat(created.code()).isEqualTo(201);
        Reply read = api.get(configMap("a")).ok();
        assertThat(read.at("/data/key")).isEqualTo("value");
        assertThat(read.at("/binaryData/bytes")).isEqualTo("AAH/");
        assertThat(read.at("/metadata/labels/app")).isEqualTo("a");
        assertThat(read.node("/metadata/annotations/empty").textValue()).isEmpty();
        assertThat(read.at("/metadata/namespace")).isEqualTo(namespace);
        assertThat(read.node("/metadata/creationTimestamp").isTextual()).isTrue();
        assertThat(read.node("/metadata/generateName").isMissingNode()).isTrue();
        assertThat(read.node("/immutable").isMissingNode()).isTrue();
    }

    @Test
    void createsWhatTheSameInJsonCreates() {
        V1.Container container = V1.Container.newBuilder()
                .setName("main")
                .setImage("image:1")
                .setWorkingDir("")
                .addPorts(V1.ContainerPort.newBuilder().setHostPort(0).setContainerPort(80))
                .setResources(V1.ResourceRequirements.newBuilder()
                        .putLimits(
                                "cpu", Quantity.newBuilder().setString("500m").build()))
                .setLivenessProbe(V1.Probe.newBuilder()
                        .setInitialDelaySeconds(0)
                        .setHandler(V1.ProbeHandler.newBuilder()
                                .setHttpGet(V1.HTTPGetAction.newBuilder()
                                        .setPath("/live")
                                        .setPort(IntOrString.newBuilder()
                                                .setType(1)
                                                .setIntVal(0)
                                                .setStrVal("http")))))
                .setTty(false)
                .build();
        V1.Volume volume = V1.Volume.newBuilder()
                .setName("scratch")
                .setVolumeSource(V1.VolumeSource.newBuilder()
                        .setEmptyDir(V1.EmptyDirVolumeSource.newBuilder().setMedium("")))
                .build();
        V1Apps.Deployment deployment = V1Apps.Deployment.newBuilder()
                .setMetadata(named("protobuf"))
                .setSpec(V1Apps.DeploymentSpec.newBuilder()
                        .setReplicas(0)
                        .setSelector(Meta.LabelSelector.newBuilder().putMatchLabels("app", "a"))
                        .setStrategy(V1Apps.DeploymentStrategy.newBuilder()
                                .setType("RollingUpdate")
                                .setRollingUpdate(V1Apps.RollingUpdateDeployment.newBuilder()
                                        .setMaxSurge(IntOrString.newBuilder()
                                                .setType(0)
                                                .setIntVal(2)
                                                .setStrVal(""))
                                        .setMaxUnavailable(IntOrString.newBuilder()
                                                .setType(1)
                                                .setIntVal(0)
                                                .setStrVal("10%"))))
                        .setTemplate(V1.PodTemplateSpec.newBuilder()
                                .setMetadata(named("").putLabels("app", "a"))
                                .setSpec(V1.PodSpec.newBuilder()
                                        .addContainers(container)
                                        .addVolumes(volume)
                                        .setTerminationGracePeriodSeconds(0)
                                        .setHostNetwork(false))))
                .setStatus(V1Apps.DeploymentStatus.newBuilder().setReplicas(0))
                .build();
        Reply one =
                send("POST", deployments(), "apps/v1", "Deployment", deployment).ok();
        Reply other = api.create(deployments(), json("""
                        {'metadata':{'name':'json'},'spec':{'replicas':0,'selector':{'matchLabels':{'app':'a'}},
                          'strategy':{'type':'RollingUpdate','rollingUpdate':{'maxSurge':2,'maxUnavailable':'10%%'}},
                          'template':{'metadata':{'labels':{'app':'a'}},'spec':{'terminationGracePeriodSeconds':0,
                            'volumes':[{'name':'scratch','emptyDir':{}}],
                            'containers':[{'name':'main','image':'image:1','ports':[{'containerPort':80}],
                              'resources':{'limits':{'cpu':'500m'}},
                              'livenessProbe':{'httpGet':{'path':'/live','port':'http'}}}]}}}}""")).ok();
        assertThat(one.node("/spec")).isEqualTo(other.node("/spec"));
        assertThat(one.node("/spec/replicas").isInt()).isTrue();
    }

    @Test
    void updates() {
        Reply created = create("a");
        ConfigMap stale = configMapOf("a", "new");
        ConfigMap fresh = stale.toBuilder()
                .setMetadata(stale.getMetadata().toBuilder().setResourceVersion(created.version()))
                .build();
        Reply updated = send("PUT", configMap("a"), "v1", "ConfigMap", fresh).ok();
        assertThat(updated.at("/data/key")).isEqualTo("new");
        assertThat(updated.uid()).isEqualTo(created.uid());
        send("PUT", configMap("a"), "v1", "ConfigMap", fresh).refused(409, "Conflict");
    }

    @Test
    void scales() {
        api.create(deployments(), newDeployment("a")).ok();
        V1Autoscaling.Scale scale = V1Autoscaling.Scale.newBuilder()
                .setMetadata(named("a").setNamespace(namespace))
                .setSpec(V1Autoscaling.ScaleSpec.newBuilder().setReplicas(3))
                .build();
        send("PUT", deployment("a") + "/scale", "autoscaling/v1", "Scale", scale)
                .ok();
        assertThat(api.get(deployment("a")).at("/spec/replicas")).isEqualTo("3");
    }

    @Test
    void deletesUnderConditions() {
        Reply created = create("a");
        Meta.Preconditions wrong =
                Meta.Preconditions.newBuilder().setUid("another").build();
        Meta.Preconditions right =
                Meta.Preconditions.newBuilder().setUid(created.uid()).build();
        send(
                        "DELETE",
                        configMap("a"),
                        "v1",
                        "DeleteOptions",
                        DeleteOptions.newBuilder().setPreconditions(wrong).build())
                .refused(409, "Conflict");
        send(
                        "DELETE",
                        configMap("a"),
                        "v1",
                        "DeleteOptions",
                        DeleteOptions.newBuilder().setPreconditions(right).build())
                .ok();
        api.get(configMap("a")).refused(404, "NotFound");
    }

    @Test
    void refusesWhatIsNoProtobuf() {
        create("hello".getBytes(StandardCharsets.UTF_8)).refused(400, "BadRequest");
        create("k8s\0".getBytes(StandardCharsets.UTF_8)).refused(400, "BadRequest");
        create("k8s\0\uffff".getBytes(StandardCharsets.UTF_8)).refused(400, "BadRequest");
        create(bytes("v1", "ConfigMap", ByteString.copyFromUtf8("hello"))).refused(400, "BadRequest");
        // A number where metadata should stand.
        create(bytes("v1", "ConfigMap", ByteString.copyFrom(new byte[] {8, 1}))).refused(400, "BadRequest");
    }

    @Test
    void refusesAnotherKind() {
        send(
                        "POST",
                        configMaps(),
                        "v1",
                        "Secret",
                        V1.Secret.newBuilder().setMetadata(named("a")).build())
                .refused(400, "BadRequest");
        send("POST", configMaps(), "example.com/v1", "None", configMapOf("a", "value"))
                .refused(400, "BadRequest");
    }

    @Test
    void takesTheKindFromThePathWhereTheBodySaysNone() {
        send("POST", configMaps(), "", "", configMapOf("a", "value")).ok();
    }

    @Test
    void refusesCustomResources() {
        String group = namespace + ".example.com";
        String things = "/apis/" + group + "/v1/namespaces/" + namespace + "/things";
        api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", json("""
                        {'metadata':{'name':'things.%1$s'},'spec':{'group':'%1$s','scope':'Namespaced',
                          'names':{'plural':'things','kind':'Thing'},'versions':[{'name':'v1','served':true,'storage':true,
                            'schema':{'openAPIV3Schema':{'type':'object'}}}]}}""", group))
                .ok();
        eventually(() -> api.get(things).ok());
        if (differs(Difference.PROTOBUF_OF_CUSTOM_RESOURCES)) {
            send("POST", things, group + "/v1", "Thing", configMapOf("a", "value"))
                    .refused(415, "UnsupportedMediaType");
        } else {
            assertThatThrownBy(() -> send("POST", things, group + "/v1", "Thing", configMapOf("a", "value")))
                    .isInstanceOf(UncheckedIOException.class);
        }
        api.get(things + "/a").refused(404, "NotFound");
        api.create(things, json("{'apiVersion':'%s/v1','kind':'Thing','metadata':{'name':'a'}}", group))
                .ok();
        send(
                        "DELETE",
                        things + "/a",
                        group + "/v1",
                        "DeleteOptions",
                        DeleteOptions.newBuilder().addDryRun("All").build())
                .ok();
        api.get(things + "/a").ok();
    }

    @Test
    void answersThoseWhoTakeProtobufOnly() {
        create("a");
        Reply reply = api.get(configMap("a"), PROTOBUF).ok();
        assertThat(reply.headers().get("Content-Type"))
                .isEqualTo(differs(Difference.NO_ANSWERS_IN_PROTOBUF) ? Api.JSON : PROTOBUF);
    }
}
