package io.controllermanager.test;

import static io.controllermanager.test.KubernetesAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.reconciler.Conditions;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.controllermanager.reconciler.TypedController;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What docs/runbooks/ChildrenWithoutOwner.md says: children that come from a backup or from another tool. */
class RestoredChildrenTest {

    private static final String NAMESPACE = "default";
    private static final String NAME = "g";

    private final ApiServer server =
            ApiServer.builder().manifests("classpath:greetings.yaml").start();
    private final ResourceClient<Greeting> greetings = new ResourceClient<>(server.client(), Greeting.TYPE);
    private final ResourceClient<V1ConfigMap> configMaps =
            new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
    private final ResourceClient<V1Secret> secrets = new ResourceClient<>(server.client(), ResourceTypes.SECRET);
    private final ResourceClient<V1ServiceAccount> accounts =
            new ResourceClient<>(server.client(), ResourceTypes.SERVICE_ACCOUNT);

    /** A text that is owned, a password that is made once and torn down, and an account that is retained. */
    @Reconciles(Greeting.class)
    private record Operator(Consumer<ControllerDescription<Greeting>> further) implements ObjectReconciler<Greeting> {

        @Override
        public void describe(ControllerDescription<Greeting> d) {
            d.owns(ResourceTypes.SECRET)
                    .teardown()
                    .owns(ResourceTypes.SERVICE_ACCOUNT)
                    .retained()
                    .adopts(child -> true)
                    .owns(ResourceTypes.CONFIG_MAP);
            further.accept(d);
        }

        @Override
        public Outcome reconcile(Greeting greeting, Reconciliation<Greeting> r) throws ApiException {
            r.create(new V1Secret());
            r.apply(new V1ServiceAccount());
            r.apply(new V1ConfigMap().data(Map.of("text", greeting.spec().text())));
            return Outcome.ready("Made", "all is there");
        }
    }

    @AfterEach
    void close() {
        server.close();
    }

    private RunningManager run(Consumer<ControllerDescription<Greeting>> further) {
        return RunningManager.start(server, TypedController.descriptor(new Operator(further)));
    }

    private RunningManager run() {
        return run(d -> {});
    }

    /** As {@code kubectl get -o yaml | kubectl apply} does, which keeps owner references. */
    @Test
    void childrenWithTheUidOfAFormerOwnerAreDeletedByTheCollectorAndMadeAnew() throws ApiException {
        V1ConfigMap backup;
        try (RunningManager host = run()) {
            greetings.create(new Greeting(NAME, NAME, "hello"));
            host.converges();
            backup = configMaps.get(NAMESPACE, NAME);
            assertThat(backup).isControlledBy(greetings.get(NAMESPACE, NAME));
            greetings.delete(NAMESPACE, NAME);
            await().until(() -> configMaps.get(NAMESPACE, NAME) == null);
        }
        backup.getMetadata().uid(null).resourceVersion(null);

        configMaps.create(backup);
        assertThat(configMaps.get(NAMESPACE, NAME)).isNull();

        Greeting next = greetings.create(new Greeting(NAME, NAME, "hello"));
        // It takes the collector a while here.
        backup.getMetadata().addFinalizersItem("example.com/slow");
        String old = configMaps.create(backup).getMetadata().getUid();
        try (RunningManager host = run()) {
            awaitReason("NameTaken");
            configMaps.patch(NAMESPACE, NAME, new Patch.Merge("{\"metadata\":{\"finalizers\":null}}"));
            awaitReason("Made");
            host.settles();
        }
        assertThat(configMaps.get(NAMESPACE, NAME)).isControlledBy(next);
        assertThat(configMaps.get(NAMESPACE, NAME).getMetadata().getUid()).isNotEqualTo(old);
    }

    /** As Velero does, which drops uids, owner references and finalizers. */
    @ParameterizedTest(name = "children first {0}, controller running {1}")
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void whatIsWipedAndImportedConverges(boolean childrenFirst, boolean running) throws ApiException {
        try (RunningManager host = run()) {
            greetings.create(new Greeting(NAME, NAME, "hello"));
            host.settles();
        }
        List<KubernetesObject> backup = new ArrayList<>(List.of(
                configMaps.get(NAMESPACE, NAME),
                secrets.get(NAMESPACE, NAME),
                accounts.get(NAMESPACE, NAME),
                greetings.get(NAMESPACE, NAME)));
        wipe();
        if (!childrenFirst) {
            Collections.reverse(backup);
        }

        List<String> restored = new ArrayList<>();
        if (running) {
            try (RunningManager host = run()) {
                for (KubernetesObject object : backup) {
                    restored.addAll(restore(object));
                    host.converges();
                }
                host.settles();
            }
        } else {
            for (KubernetesObject object : backup) {
                restored.addAll(restore(object));
            }
            try (RunningManager host = run()) {
                host.settles();
            }
        }

        Greeting owner = greetings.get(NAMESPACE, NAME);
        assertThat(configMaps.get(NAMESPACE, NAME)).isControlledBy(owner);
        // A controller that sees its object first has made the children itself, and the restore has skipped them.
        assertThat(restored).hasSize(running && !childrenFirst ? 1 : backup.size());
        for (KubernetesObject child :
                List.of(configMaps.get(NAMESPACE, NAME), secrets.get(NAMESPACE, NAME), accounts.get(NAMESPACE, NAME))) {
            assertThat(restored.contains(child.getMetadata().getUid())).isEqualTo(restored.size() > 1);
        }
        try (RunningManager host = run()) {
            greetings.delete(NAMESPACE, NAME);
            host.converges();
        }
        assertThat(configMaps.get(NAMESPACE, NAME)).isNull();
        assertThat(secrets.get(NAMESPACE, NAME)).isNull();
        assertThat(accounts.get(NAMESPACE, NAME)).isNotNull();
    }

    @Test
    @SuppressWarnings("try") // The controller works by itself.
    void whatHelmHasMadeIsTakenOverWhereTheDescriptionSaysSo() throws ApiException {
        V1ConfigMap byHelm = new V1ConfigMap()
                .metadata(new V1ObjectMeta()
                        .namespace(NAMESPACE)
                        .name(NAME)
                        .putLabelsItem("app.kubernetes.io/managed-by", "Helm"))
                .data(Map.of("text", "by Helm", "more", "of Helm"));
        String uid = configMaps.create(byHelm).getMetadata().getUid();
        Greeting greeting = greetings.create(new Greeting(NAME, NAME, "hello"));
        try (RunningManager host = run()) {
            awaitReason("NameTaken");
        }
        assertThat(configMaps.get(NAMESPACE, NAME).getData()).containsEntry("text", "by Helm");

        try (RunningManager host = run(d -> d.adopts(RestoredChildrenTest::isOfHelm))) {
            awaitReason("Made");
            host.settles();
        }

        V1ConfigMap takenOver = configMaps.get(NAMESPACE, NAME);
        assertThat(takenOver).isControlledBy(greeting);
        assertThat(takenOver.getMetadata().getUid()).isEqualTo(uid);
        assertThat(takenOver.getData()).isEqualTo(Map.of("text", "hello", "more", "of Helm"));
    }

    private static boolean isOfHelm(KubernetesObject child) {
        Map<String, String> labels =
                Objects.requireNonNullElse(child.getMetadata().getLabels(), Map.of());
        return "Helm".equals(labels.get("app.kubernetes.io/managed-by"));
    }

    private void wipe() throws ApiException {
        greetings.patch(NAMESPACE, NAME, new Patch.Merge("{\"metadata\":{\"finalizers\":null}}"));
        greetings.delete(NAMESPACE, NAME);
        secrets.delete(NAMESPACE, NAME);
        accounts.delete(NAMESPACE, NAME);
        assertThat(configMaps.get(NAMESPACE, NAME)).isNull();
    }

    /** The uid of what is made; nothing if it is there. */
    private List<String> restore(KubernetesObject object) throws ApiException {
        V1ObjectMeta old = object.getMetadata();
        V1ObjectMeta metadata = new V1ObjectMeta()
                .namespace(old.getNamespace())
                .name(old.getName())
                .labels(old.getLabels())
                .annotations(old.getAnnotations());
        try {
            KubernetesObject made;
            if (object instanceof V1ConfigMap configMap) {
                made = configMaps.create(configMap.metadata(metadata));
            } else if (object instanceof V1Secret secret) {
                made = secrets.create(secret.metadata(metadata));
            } else if (object instanceof V1ServiceAccount account) {
                made = accounts.create(account.metadata(metadata));
            } else {
                Greeting greeting = (Greeting) object;
                greeting.setMetadata(metadata);
                made = greetings.create(greeting);
            }
            return List.of(made.getMetadata().getUid());
        } catch (ApiException e) {
            assertThat(e.getCode()).isEqualTo(409);
            return List.of();
        }
    }

    private void awaitReason(String reason) {
        await().until(() -> {
            V1Condition ready = Conditions.of(greetings.get(NAMESPACE, NAME), "Ready");
            return ready != null && reason.equals(ready.getReason());
        });
    }
}
