package peer;

import com.google.gson.annotations.JsonAdapter;
import com.google.gson.annotations.SerializedName;
import com.sun.management.ThreadMXBean;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.json.BytesJsonReader;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1DeploymentList;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyName;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.module.blackbird.BlackbirdModule;

/**
 * The runtime's JSON binding beside Jackson's, for a list of Deployments. Jackson is told of Gson's annotations; it knows the
 * adapters of client-java's own two classes alone, and none of users'.
 */
public final class Json {

    private static Object kept;

    private Json() {}

    private interface Binding {
        V1DeploymentList read(byte[] text) throws Exception;

        byte[] write(Object list);
    }

    private static final class Ours implements Binding {
        private final boolean all;

        Ours(boolean all) {
            this.all = all;
        }

        @Override
        public V1DeploymentList read(byte[] text) throws Exception {
            try (BytesJsonReader reader = BytesJsonReader.of(new ByteArrayInputStream(text))) {
                return (all
                                ? ApiJson.adapter(V1DeploymentList.class)
                                : ApiJson.adapterWithoutManagedFields(V1DeploymentList.class))
                        .read(reader);
            }
        }

        @Override
        public byte[] write(Object list) {
            return ApiJson.write(list);
        }
    }

    private static final class Jackson implements Binding {
        private final JsonMapper mapper;

        Jackson(boolean blackbird, boolean all) {
            JsonMapper.Builder builder = JsonMapper.builder()
                    .annotationIntrospector(new Gsons(all))
                    .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
                    .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .changeDefaultPropertyInclusion(
                            old -> com.fasterxml.jackson.annotation.JsonInclude.Value.construct(
                                    com.fasterxml.jackson.annotation.JsonInclude.Include.NON_EMPTY,
                                    com.fasterxml.jackson.annotation.JsonInclude.Include.ALWAYS))
                    .addModule(new SimpleModule()
                            .addDeserializer(OffsetDateTime.class, new Times())
                            .addSerializer(OffsetDateTime.class, new TimesWritten())
                            .addDeserializer(Quantity.class, new Quantities())
                            .addSerializer(Quantity.class, new QuantitiesWritten())
                            .addDeserializer(IntOrString.class, new IntOrStrings())
                            .addSerializer(IntOrString.class, new IntOrStringsWritten()));
            if (blackbird) {
                builder.addModule(new BlackbirdModule());
            }
            mapper = builder.build();
        }

        @Override
        public V1DeploymentList read(byte[] text) {
            return mapper.readValue(new ByteArrayInputStream(text), V1DeploymentList.class);
        }

        @Override
        public byte[] write(Object list) {
            return mapper.writeValueAsBytes(list);
        }
    }

    private static final class Gsons extends NopAnnotationIntrospector {
        private final boolean all;

        Gsons(boolean all) {
            this.all = all;
        }

        @Override
        public PropertyName findNameForSerialization(MapperConfig<?> config, Annotated a) {
            SerializedName name = a.getAnnotation(SerializedName.class);
            return name == null ? null : PropertyName.construct(name.value());
        }

        @Override
        public PropertyName findNameForDeserialization(MapperConfig<?> config, Annotated a) {
            return findNameForSerialization(config, a);
        }

        @Override
        public boolean hasIgnoreMarker(MapperConfig<?> config, AnnotatedMember member) {
            return !all
                    && member.getDeclaringClass() == V1ObjectMeta.class
                    && member.getName().equals("managedFields");
        }

        @Override
        public boolean isAnnotationBundle(java.lang.annotation.Annotation annotation) {
            return annotation instanceof JsonAdapter;
        }
    }

    private static final class Times extends ValueDeserializer<OffsetDateTime> {
        @Override
        public OffsetDateTime deserialize(JsonParser parser, DeserializationContext context) {
            String s = parser.getString();
            return s.length() == 20 && s.charAt(19) == 'Z'
                    ? OffsetDateTime.of(
                            number(s, 0, 4),
                            number(s, 5, 7),
                            number(s, 8, 10),
                            number(s, 11, 13),
                            number(s, 14, 16),
                            number(s, 17, 19),
                            0,
                            java.time.ZoneOffset.UTC)
                    : OffsetDateTime.parse(s);
        }

        private static int number(String text, int from, int to) {
            int number = 0;
            for (int i = from; i < to; i++) {
                number = number * 10 + text.charAt(i) - '0';
            }
            return number;
        }
    }

    private static final class TimesWritten extends ValueSerializer<OffsetDateTime> {
        private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ssX");

        @Override
        public void serialize(OffsetDateTime value, JsonGenerator out, SerializationContext context) {
            out.writeString(SECONDS.format(value));
        }
    }

    private static final class Quantities extends ValueDeserializer<Quantity> {
        @Override
        public Quantity deserialize(JsonParser parser, DeserializationContext context) {
            return Quantity.fromString(parser.getString());
        }
    }

    private static final class QuantitiesWritten extends ValueSerializer<Quantity> {
        @Override
        public void serialize(Quantity value, JsonGenerator out, SerializationContext context) {
            out.writeString(value.toSuffixedString());
        }
    }

    private static final class IntOrStrings extends ValueDeserializer<IntOrString> {
        @Override
        public IntOrString deserialize(JsonParser parser, DeserializationContext context) {
            return parser.currentToken() == JsonToken.VALUE_STRING
                    ? new IntOrString(parser.getString())
                    : new IntOrString(parser.getIntValue());
        }
    }

    private static final class IntOrStringsWritten extends ValueSerializer<IntOrString> {
        @Override
        public void serialize(IntOrString value, JsonGenerator out, SerializationContext context) {
            if (value.isInteger()) {
                out.writeNumber(value.getIntValue());
            } else {
                out.writeString(value.getStrValue());
            }
        }
    }

    private static final String MANAGED = """
            {"manager":"kubectl-create","operation":"Update","apiVersion":"apps/v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1",
            "fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:app":{},"f:tier":{}}},"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},
            "f:revisionHistoryLimit":{},"f:selector":{},"f:strategy":{"f:rollingUpdate":{".":{},"f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},
            "f:template":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"web\\"}":{".":{},"f:image":{},
            "f:imagePullPolicy":{},"f:name":{},"f:resources":{},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},
            "f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}}}""";

    private static final String ONE = """
            {"metadata":{"name":"web-%1$d","namespace":"namespace-%2$d","uid":"6a5b1c80-0000-4000-8000-%3$012d","resourceVersion":"%4$d",
            "generation":3,"creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app":"web-%1$d","tier":"front","app.kubernetes.io/managed-by":"foo"},
            "annotations":{"deployment.kubernetes.io/revision":"2","example.com/checked":"2026-01-01"},
            "ownerReferences":[{"apiVersion":"example.com/v1","kind":"Foo","name":"web-%1$d","uid":"7a5b1c80-0000-4000-8000-%3$012d","controller":true,"blockOwnerDeletion":true}],
            "managedFields":[%5$s]},
            "spec":{"replicas":3,"selector":{"matchLabels":{"app":"web-%1$d"}},"template":{"metadata":{"labels":{"app":"web-%1$d","tier":"front"}},
            "spec":{"containers":[{"name":"web","image":"registry.example.com/web:1.2.%2$d","args":["--port=8080","--v=2"],
            "ports":[{"name":"http","containerPort":8080,"protocol":"TCP"}],
            "env":[{"name":"POD","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}},{"name":"LEVEL","value":"info"}],
            "resources":{"limits":{"cpu":"500m","memory":"256Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},
            "livenessProbe":{"httpGet":{"path":"/healthz","port":"http","scheme":"HTTP"},"initialDelaySeconds":5,"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},
            "volumeMounts":[{"name":"config","mountPath":"/etc/web","readOnly":true}],
            "terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],
            "volumes":[{"name":"config","configMap":{"name":"web-%1$d","defaultMode":420}}],
            "restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler"}},
            "strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%%","maxSurge":1}},"revisionHistoryLimit":10,"progressDeadlineSeconds":600},
            "status":{"observedGeneration":3,"replicas":3,"updatedReplicas":3,"readyReplicas":3,"availableReplicas":3,"conditions":[
            {"type":"Available","status":"True","lastUpdateTime":"2026-01-01T00:00:00Z","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"MinimumReplicasAvailable","message":"Deployment has minimum availability."},
            {"type":"Progressing","status":"True","lastUpdateTime":"2026-01-01T00:00:00Z","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"NewReplicaSetAvailable","message":"ReplicaSet \\"web-%1$d-5d\\" has successfully progressed."}]}}""";

    private static byte[] list(int count) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes("{\"kind\":\"DeploymentList\",\"apiVersion\":\"apps/v1\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":["
                .getBytes(StandardCharsets.UTF_8));
        String managed = MANAGED.replace("\n", "");
        String one = ONE.replace("\n", "");
        for (int i = 0; i < count; i++) {
            out.writeBytes(((i == 0 ? "" : ",") + String.format(Locale.ROOT, one, i, i % 50, i, 1000 + i, managed))
                    .getBytes(StandardCharsets.UTF_8));
        }
        out.writeBytes("]}".getBytes(StandardCharsets.UTF_8));
        return out.toByteArray();
    }

    public static void main(String[] args) throws Exception {
        boolean all = args[0].endsWith("+");
        String name = args[0].replace("+", "");
        byte[] first = list(1);
        long cpu = Cpu.ofProcess();
        Binding binding = name.equals("ours") ? new Ours(all) : new Jackson(name.equals("blackbird"), all);
        V1DeploymentList one = binding.read(first);
        double readMillis = (Cpu.ofProcess() - cpu) / 1e6;
        byte[] written = binding.write(one);
        double bothMillis = (Cpu.ofProcess() - cpu) / 1e6;
        if (args[1].equals("cold")) {
            System.out.printf(Locale.ROOT, "%s\t%.0f\t%.0f%n", args[0], readMillis, bothMillis);
            return;
        }
        if (args[1].equals("show")) {
            System.out.println(new String(first, StandardCharsets.UTF_8));
            System.out.println(new String(written, StandardCharsets.UTF_8));
            return;
        }
        byte[] text = list(Integer.parseInt(args[1]));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        double leastRead = Double.MAX_VALUE;
        double leastWritten = Double.MAX_VALUE;
        long allocated = 0;
        long begun = System.nanoTime();
        for (int round = 0; round < 8 || System.nanoTime() - begun < 15e9; round++) {
            kept = null;
            long bytes = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            long begin = Cpu.ofThread();
            V1DeploymentList decoded = binding.read(text);
            leastRead = Math.min(leastRead, (Cpu.ofThread() - begin) / 1e6);
            allocated = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - bytes;
            kept = decoded;
            begin = Cpu.ofThread();
            for (int i = 0; i < 2_000; i++) {
                binding.write(decoded.getItems().get(i % decoded.getItems().size()));
            }
            leastWritten = Math.min(leastWritten, (Cpu.ofThread() - begin) / 2_000e3);
        }
        System.out.printf(
                Locale.ROOT,
                "%s\t%.1f MB\t%.0f ms\t%.0f MB/s\t%.1f MB allocated\t%.2f us a write%n",
                args[0],
                text.length / 1e6,
                leastRead,
                text.length / 1e3 / leastRead,
                allocated / 1e6,
                leastWritten);
    }
}
