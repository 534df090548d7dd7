package io.controllermanager.informer.faults;

import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.FlowcontrolApiserverV1Api;
import io.kubernetes.client.openapi.apis.RbacAuthorizationV1Api;
import io.kubernetes.client.openapi.models.AuthenticationV1TokenRequest;
import io.kubernetes.client.openapi.models.FlowcontrolV1Subject;
import io.kubernetes.client.openapi.models.RbacV1Subject;
import io.kubernetes.client.openapi.models.V1FlowDistinguisherMethod;
import io.kubernetes.client.openapi.models.V1FlowSchema;
import io.kubernetes.client.openapi.models.V1FlowSchemaSpec;
import io.kubernetes.client.openapi.models.V1LimitResponse;
import io.kubernetes.client.openapi.models.V1LimitedPriorityLevelConfiguration;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import io.kubernetes.client.openapi.models.V1PolicyRulesWithSubjects;
import io.kubernetes.client.openapi.models.V1PriorityLevelConfiguration;
import io.kubernetes.client.openapi.models.V1PriorityLevelConfigurationReference;
import io.kubernetes.client.openapi.models.V1PriorityLevelConfigurationSpec;
import io.kubernetes.client.openapi.models.V1ResourcePolicyRule;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1RoleBinding;
import io.kubernetes.client.openapi.models.V1RoleRef;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import io.kubernetes.client.openapi.models.V1TokenRequestSpec;
import io.kubernetes.client.openapi.models.V1UserSubject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** What only a real API server does: it knows who asks, and how much they may ask. */
final class RealMechanisms {

    private static final String READERS = "readers";
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private RealMechanisms() {}

    static List<Mechanism> all() {
        List<Mechanism> all = new ArrayList<>();
        all.add(Mechanism.of("GOAWAY", RealMechanisms::goAway));
        all.add(Mechanism.refusing("permission taken and given back (403)", RealMechanisms::forbidden));
        all.add(Mechanism.of("token revoked, and another in its file (401)", RealMechanisms::revokedToken));
        all.add(Mechanism.of("client certificate expired, and another in its file (401)", RealMechanisms::expired));
        all.add(Mechanism.of("turned away by priority and fairness (429)", RealMechanisms::turnedAway));
        return all;
    }

    private static void goAway(Scene scene) throws Exception {
        CoreV1Api api = new CoreV1Api(scene.rig().connection().apiClient());
        long before = scene.proxy().accepted();
        int times = scene.times(1, 4);
        AuditLog log = scene.auditLog();
        scene.until("the connection is given up for another", () -> {
            api.readNamespacedConfigMap("none", scene.world().namespace()).executeAsync(new Ignoring<>());
            return scene.proxy().accepted() - before >= times;
        });
        scene.evidence(
                "further connections, none having been cut", scene.proxy().accepted() - before);
        scene.until("the server has noted the requests", () -> log.answers(404) > 0);
        scene.evidence("requests in the server's log", log.answers(404));
    }

    private static void forbidden(Scene scene) throws Exception {
        String user = "reader-" + NUMBERS.incrementAndGet();
        AuditLog log = scene.auditLog();
        Path kubeconfig = Files.writeString(
                scene.world().folder().resolve(user), scene.plane().kubeconfigFor(user));
        RbacV1Subject subject = new RbacV1Subject()
                .kind("User")
                .apiGroup("rbac.authorization.k8s.io")
                .name(user);
        grant(scene, user, subject);
        scene.rig().connect(kubeconfig);
        try {
            NetworkMechanisms.cut(scene, false);
            scene.until("it watches as that user", () -> scene.rig().status().connected());
            done(
                    scene,
                    () -> rbac(scene)
                            .deleteNamespacedRoleBinding(user, scene.world().namespace())
                            .execute());
            cutUntilRefused(scene, 403);
            scene.until(
                    "the missing permission is named",
                    () -> ("" + scene.rig().status().reflectors().get(0).missingPermission()).contains("watch"));
            scene.until("the server has noted it", () -> log.answers(403) > 0);
            scene.pass(scene.length(Duration.ZERO, Duration.ofMinutes(1)));
            grant(scene, user, subject);
            scene.evidence("403 in the server's log", log.answers(403));
            scene.until("it watches again", () -> scene.rig().status().connected());
        } finally {
            asAdministrator(scene);
        }
    }

    private static void revokedToken(Scene scene) throws Exception {
        String name = "token-" + NUMBERS.incrementAndGet();
        AuditLog log = scene.auditLog();
        RbacV1Subject subject = new RbacV1Subject()
                .kind("ServiceAccount")
                .namespace(scene.world().namespace())
                .name(name);
        grant(scene, name, subject);
        Path token = scene.world().folder().resolve(name + ".token");
        Files.writeString(token, newToken(scene, name));
        String administrator = Files.readString(scene.world().kubeconfig());
        Path kubeconfig = scene.world().folder().resolve(name);
        Files.writeString(
                kubeconfig,
                administrator.substring(0, administrator.indexOf("    client-certificate-data")) + "    tokenFile: "
                        + token + "\n");
        scene.rig().connect(kubeconfig);
        try {
            NetworkMechanisms.cut(scene, false);
            scene.until("it watches by that token", () -> scene.rig().status().connected());
            done(
                    scene,
                    () -> scene.world()
                            .api()
                            .deleteNamespacedServiceAccount(name, scene.world().namespace())
                            .execute());
            // The API server believes in a token for up to ten seconds.
            cutUntilRefused(scene, 401);
            scene.until("the server has noted it", () -> log.answers(401) > 0);
            scene.pass(scene.length(Duration.ZERO, Duration.ofMinutes(1)));
            Files.writeString(token, newToken(scene, name));
            scene.evidence("401 in the server's log", log.answers(401));
            scene.until("it watches again", () -> scene.rig().status().connected());
        } finally {
            asAdministrator(scene);
        }
    }

    private static void expired(Scene scene) throws Exception {
        String user = "holder-" + NUMBERS.incrementAndGet();
        AuditLog log = scene.auditLog();
        Path kubeconfig = scene.world().folder().resolve(user);
        Files.writeString(kubeconfig, scene.plane().kubeconfigFor(Duration.ofSeconds(8), user, "system:masters"));
        scene.rig().connect(kubeconfig);
        try {
            NetworkMechanisms.cut(scene, false);
            cutUntilRefused(scene, 401);
            scene.until("the server has noted it", () -> log.answers(401) > 0);
            scene.pass(scene.length(Duration.ZERO, Duration.ofMinutes(1)));
            Files.writeString(kubeconfig, scene.plane().kubeconfigFor(user, "system:masters"));
            scene.evidence("401 in the server's log", log.answers(401));
            scene.until("it watches again", () -> scene.rig().status().connected());
        } finally {
            asAdministrator(scene);
        }
    }

    private static void turnedAway(Scene scene) throws Exception {
        String user = "crowd-" + NUMBERS.incrementAndGet();
        AuditLog log = scene.auditLog();
        Path kubeconfig = Files.writeString(
                scene.world().folder().resolve(user), scene.plane().kubeconfigFor(user));
        grant(
                scene,
                user,
                new RbacV1Subject()
                        .kind("User")
                        .apiGroup("rbac.authorization.k8s.io")
                        .name(user));
        FlowcontrolApiserverV1Api api =
                new FlowcontrolApiserverV1Api(scene.world().api().getApiClient());
        scene.rig().connect(kubeconfig);
        try {
            NetworkMechanisms.cut(scene, false);
            scene.until("it watches as that user", () -> scene.rig().status().connected());
            done(
                    scene,
                    () -> api.createPriorityLevelConfiguration(noShares(user)).execute());
            done(scene, () -> api.createFlowSchema(flow(user)).execute());
            try (Crowd crowd = new Crowd(kubeconfig, scene.world().namespace())) {
                cutUntilRefused(scene, 429);
                int times = scene.times(2, 10);
                // One that has come through between two of the crowd is cut off again.
                scene.until("the server has noted it", () -> {
                    cutOff(scene);
                    return log.answers(429) >= times;
                });
                scene.evidence("429 in the server's log", log.answers(429));
                scene.evidence("429 to others of the crowd", crowd.turnedAway());
            }
            done(scene, () -> api.deleteFlowSchema(user).execute());
            done(scene, () -> api.deletePriorityLevelConfiguration(user).execute());
            scene.until("it watches again", () -> scene.rig().status().connected());
        } finally {
            asAdministrator(scene);
        }
    }

    private static V1PriorityLevelConfiguration noShares(String name) {
        return new V1PriorityLevelConfiguration()
                .metadata(new V1ObjectMeta().name(name))
                .spec(new V1PriorityLevelConfigurationSpec()
                        .type("Limited")
                        .limited(new V1LimitedPriorityLevelConfiguration()
                                .nominalConcurrencyShares(0)
                                .lendablePercent(0)
                                .borrowingLimitPercent(0)
                                .limitResponse(new V1LimitResponse().type("Reject"))));
    }

    private static V1FlowSchema flow(String user) {
        return new V1FlowSchema()
                .metadata(new V1ObjectMeta().name(user))
                .spec(new V1FlowSchemaSpec()
                        .matchingPrecedence(2)
                        .priorityLevelConfiguration(new V1PriorityLevelConfigurationReference().name(user))
                        .distinguisherMethod(new V1FlowDistinguisherMethod().type("ByUser"))
                        .rules(List.of(new V1PolicyRulesWithSubjects()
                                .subjects(List.of(
                                        new FlowcontrolV1Subject().kind("User").user(new V1UserSubject().name(user))))
                                .resourceRules(List.of(new V1ResourcePolicyRule()
                                        .verbs(List.of("*"))
                                        .apiGroups(List.of("*"))
                                        .resources(List.of("*"))
                                        .namespaces(List.of("*")))))));
    }

    /** What has been taken away shows when the next watch is opened, and the server may take a moment to know of it. */
    private static void cutUntilRefused(Scene scene, int code) {
        long before = scene.proxy().cuts();
        scene.until("it is refused with " + code, () -> {
            cutOff(scene);
            return ("" + scene.rig().status().lastError()).contains("HTTP " + code);
        });
        scene.evidence("connections cut", scene.proxy().cuts() - before);
    }

    private static void cutOff(Scene scene) {
        if (scene.rig().status().connected()) {
            scene.proxy().cut();
        }
    }

    private static void asAdministrator(Scene scene) {
        scene.rig().connect(scene.world().kubeconfig());
        scene.proxy().cut();
    }

    private static String newToken(Scene scene, String name) throws Exception {
        String namespace = scene.world().namespace();
        CoreV1Api api = scene.world().api();
        done(
                scene,
                () -> api.createNamespacedServiceAccount(
                                namespace, new V1ServiceAccount().metadata(new V1ObjectMeta().name(name)))
                        .execute());
        AuthenticationV1TokenRequest request = new AuthenticationV1TokenRequest()
                .spec(new V1TokenRequestSpec().audiences(List.of()).expirationSeconds(3_600L));
        return String.valueOf(scene.world()
                .asked(() -> api.createNamespacedServiceAccountToken(name, namespace, request)
                        .execute())
                .getStatus()
                .getToken());
    }

    /** Has it done, if it has not been done by an earlier try whose answer was lost. */
    private static <R> void done(Scene scene, World.Question<R> write) throws Exception {
        try {
            scene.world().asked(write);
        } catch (ApiException e) {
            if (e.getCode() != 409 && e.getCode() != 404) {
                throw e;
            }
        }
    }

    private static RbacAuthorizationV1Api rbac(Scene scene) {
        return new RbacAuthorizationV1Api(scene.world().api().getApiClient());
    }

    private static void grant(Scene scene, String name, RbacV1Subject subject) throws Exception {
        String namespace = scene.world().namespace();
        V1Role role = new V1Role()
                .metadata(new V1ObjectMeta().name(READERS))
                .rules(List.of(new V1PolicyRule()
                        .apiGroups(List.of(""))
                        .resources(List.of("configmaps"))
                        .verbs(List.of("get", "list", "watch"))));
        V1RoleBinding binding = new V1RoleBinding()
                .metadata(new V1ObjectMeta().name(name))
                .roleRef(new V1RoleRef()
                        .apiGroup("rbac.authorization.k8s.io")
                        .kind("Role")
                        .name(READERS))
                .subjects(List.of(subject));
        done(scene, () -> rbac(scene).createNamespacedRole(namespace, role).execute());
        done(
                scene,
                () -> rbac(scene)
                        .createNamespacedRoleBinding(namespace, binding)
                        .execute());
    }
}
