package io.controllermanager.webhook.internal;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.webhook.internal.certificate.BundleTargets;
import io.controllermanager.webhook.internal.certificate.CertificateSettings;
import io.controllermanager.webhook.internal.certificate.CertificateTimes;
import io.controllermanager.webhook.internal.serving.BadRequestException;
import io.controllermanager.webhook.internal.serving.ServerSettings;
import io.controllermanager.webhook.internal.serving.WebhookHandler;
import io.controllermanager.webhook.internal.serving.WebhookServing;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1MutatingWebhookConfiguration;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ValidatingWebhookConfiguration;
import io.kubernetes.client.util.Config;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.LoggerFactory;

/**
 * A process that serves webhooks which allow everything and change nothing but the version. It prints its port once it is ready, and
 * is told by lines to lead or to stop.
 */
public final class WebhookProcess {

    private WebhookProcess() {}

    /**
     * Runs until it is told to stop.
     *
     * @param arguments the file of a kubeconfig, a namespace, the name, a CRD, and how many seconds bundles settle
     */
    public static void main(String[] arguments) throws Exception {
        ((ch.qos.logback.classic.Logger) LoggerFactory.getLogger("ROOT")).setLevel(ch.qos.logback.classic.Level.INFO);
        AtomicBoolean leads = new AtomicBoolean();
        SystemTimer timer = new SystemTimer("timer");
        ApiConnection connection = ApiConnection.builder(Clock.system(), timer)
                .apiClient(Config.fromConfig(arguments[0]))
                .build();
        CertificateTimes usual = CertificateTimes.DEFAULTS;
        WebhookServing serving = new WebhookServing(
                new ServerSettings(0, null, Set.of(), Duration.ofSeconds(5)),
                port -> new CertificateSettings(
                        arguments[2],
                        arguments[1],
                        new CertificateSettings.Source.Own(),
                        true,
                        new BundleTargets(Set.of(arguments[3]), configurations(arguments[2]), null),
                        new CertificateTimes(
                                usual.authorityLifetime(),
                                usual.authorityAhead(),
                                usual.leafLifetime(),
                                usual.leafAhead(),
                                Duration.ofSeconds(Long.parseLong(arguments[4])),
                                usual.patience())),
                new Everything(),
                connection,
                leads::get,
                Clock.system(),
                timer,
                new SimpleMeterRegistry());
        serving.start();
        if (!serving.readiness().isEmpty()) {
            throw new IllegalStateException(serving.readiness().toString());
        }
        System.out.println("port " + serving.port());
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null && !line.equals("stop"); line = in.readLine()) {
                leads.set(line.equals("lead"));
            }
        }
        serving.close();
        connection.close();
        timer.close();
        System.exit(0);
    }

    static List<KubernetesObject> configurations(String name) {
        return List.of(
                new V1ValidatingWebhookConfiguration()
                        .apiVersion("admissionregistration.k8s.io/v1")
                        .kind("ValidatingWebhookConfiguration")
                        .metadata(new V1ObjectMeta().name(name)),
                new V1MutatingWebhookConfiguration()
                        .apiVersion("admissionregistration.k8s.io/v1")
                        .kind("MutatingWebhookConfiguration")
                        .metadata(new V1ObjectMeta().name(name)));
    }

    /** Allows and converts everything. */
    static final class Everything implements WebhookHandler {

        @Override
        public Set<String> paths() {
            return Set.of("/convert", "/validate", "/mutate");
        }

        @Override
        public byte[] answer(String path, InputStream body) throws BadRequestException {
            JsonObject review;
            try (InputStreamReader reader = new InputStreamReader(body, StandardCharsets.UTF_8)) {
                review = JsonParser.parseReader(reader).getAsJsonObject();
            } catch (IOException e) {
                throw new BadRequestException("The body cannot be read.");
            }
            JsonObject request = review.remove("request").getAsJsonObject();
            JsonObject response = new JsonObject();
            response.add("uid", request.get("uid"));
            if (path.equals("/convert")) {
                JsonArray objects = request.getAsJsonArray("objects");
                for (JsonElement object : objects) {
                    object.getAsJsonObject().add("apiVersion", request.get("desiredAPIVersion"));
                }
                response.add("convertedObjects", objects);
                response.add("result", JsonParser.parseString("{\"status\": \"Success\"}"));
            } else {
                response.addProperty("allowed", true);
            }
            review.add("response", response);
            return review.toString().getBytes(StandardCharsets.UTF_8);
        }
    }
}
