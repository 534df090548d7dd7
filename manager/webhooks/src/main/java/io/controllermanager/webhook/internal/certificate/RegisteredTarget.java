package io.controllermanager.webhook.internal.certificate;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.controllermanager.client.Patch;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.webhook.internal.certificate.BundleTargets.Target;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A target as the API server has it. What it lacks, and the patch that brings it, are pure functions of this.
 *
 * @param target which
 * @param object what the API server has
 */
record RegisteredTarget(Target target, JsonObject object) {

    private static final Logger log = LoggerFactory.getLogger(RegisteredTarget.class);

    private static final Gson JSON = new Gson();
    private static final String CLIENT_CONFIG = "clientConfig";

    /**
     * One place where the object says how we are called.
     *
     * @param path of it, as JSON patches have it
     * @param webhook the name of the webhook in a configuration; null in a CRD
     */
    private record Place(String path, @Nullable String webhook, JsonObject client) {}

    /** None in a CRD that is not converted by a webhook: we never say that it is. */
    private List<Place> places() {
        List<Place> places = new ArrayList<>();
        if (object.get("webhooks") instanceof JsonArray webhooks) {
            for (int i = 0; i < webhooks.size(); i++) {
                JsonObject webhook = webhooks.get(i).getAsJsonObject();
                places.add(new Place(
                        "/webhooks/" + i + "/" + CLIENT_CONFIG,
                        webhook.get("name").getAsString(),
                        webhook.getAsJsonObject(CLIENT_CONFIG)));
            }
        } else if (isConverted()
                && object.getAsJsonObject("spec").getAsJsonObject("conversion").get("webhook")
                        instanceof JsonObject webhook
                && webhook.get(CLIENT_CONFIG) instanceof JsonObject client) {
            places.add(new Place("/spec/conversion/webhook/" + CLIENT_CONFIG, null, client));
        }
        return places;
    }

    /** Whether it is a webhook configuration, or a CRD that is converted by a webhook. */
    boolean isConverted() {
        return !(object.get("spec") instanceof JsonObject spec)
                || (spec.get("conversion") instanceof JsonObject conversion
                        && "Webhook".equals(text(conversion, "strategy")));
    }

    /**
     * Whether a place does not trust one of the authorities, or does not lead to us. One that trusts more is left as it is: what
     * is there besides leaves with the next change.
     *
     * @param url where we are reached; null if by the Service
     */
    boolean lacks(Collection<X509Certificate> authorities, @Nullable URI url) {
        return places().stream()
                .anyMatch(place -> !trusted(place.client).containsAll(authorities)
                        || (url != null && !urlOf(place.client, url).equals(text(place.client, "url"))));
    }

    /** All whom one of its places trusts. */
    Set<X509Certificate> trusted() {
        Set<X509Certificate> all = new LinkedHashSet<>();
        places().forEach(place -> all.addAll(trusted(place.client)));
        return all;
    }

    private static Set<X509Certificate> trusted(JsonObject client) {
        String bundle = text(client, "caBundle");
        try {
            return new LinkedHashSet<>(
                    Pem.certificates(new String(Base64.getDecoder().decode(bundle), StandardCharsets.UTF_8)));
        } catch (IllegalArgumentException e) {
            log.debug("A caBundle cannot be read, and is written anew: {}", FailureMessage.words(e));
            return Set.of();
        }
    }

    /** The path that it has, at our address. */
    private static String urlOf(JsonObject client, URI url) {
        String path = client.get("service") instanceof JsonObject service
                ? text(service, "path")
                : URI.create(text(client, "url")).getPath();
        return url.toString().replaceAll("/+$", "") + path;
    }

    private static String text(JsonObject object, String member) {
        JsonElement value = object.get(member);
        return value == null || value.isJsonNull() ? "" : value.getAsString();
    }

    /**
     * What brings the authorities there, unless the object has changed since: server-side apply of the bundle and nothing else, or
     * with a URL, which takes the place of what is not ours, a JSON patch.
     *
     * @param bundle the authorities in PEM
     */
    Patch patch(String bundle, @Nullable URI url, String fieldManager) {
        return url == null ? apply(Pem.base64(bundle), fieldManager) : replace(Pem.base64(bundle), url);
    }

    private Patch apply(String bundle, String fieldManager) {
        Map<String, Object> trust = Map.of("caBundle", bundle);
        List<Map<String, Object>> webhooks = places().stream()
                .map(place -> Map.of("name", String.valueOf(place.webhook), CLIENT_CONFIG, trust))
                .toList();
        Map<String, Object> conversion = Map.of("conversion", Map.of("webhook", Map.of(CLIENT_CONFIG, trust)));
        boolean isCrd = object.has("spec");
        Map<String, Object> applied = Map.of(
                "apiVersion",
                target.type().apiVersion(),
                "kind",
                target.type().kind(),
                "metadata",
                Map.of("name", target.name(), "resourceVersion", version()),
                isCrd ? "spec" : "webhooks",
                isCrd ? conversion : webhooks);
        return new Patch.Apply(JSON.toJson(applied), fieldManager, true);
    }

    private Patch replace(String bundle, URI url) {
        return unlessChanged(places().stream().map(place -> operation(place.path, client(place.client, bundle, url))));
    }

    /**
     * What makes nobody the owner of the bundles, null if we own none. Whoever installs the object by server-side apply could not
     * take away a webhook, or the conversion, of which we own a field: the rest would stay, and be invalid.
     */
    @Nullable
    Patch disown(String fieldManager) {
        JsonElement managers =
                object.has("metadata") ? object.getAsJsonObject("metadata").get("managedFields") : null;
        // The API server takes an empty list for one that is not given.
        if (managers instanceof JsonArray entries && entries.size() > 1) {
            for (int i = 0; i < entries.size(); i++) {
                if (fieldManager.equals(text(entries.get(i).getAsJsonObject(), "manager"))) {
                    return unlessChanged(Stream.of(Map.of("op", "remove", "path", "/metadata/managedFields/" + i)));
                }
            }
        }
        return null;
    }

    private Patch unlessChanged(Stream<Map<String, Object>> operations) {
        // Not a test: the API server answers 409 to another version, and does not tell a failed test from a bad patch.
        Map<String, Object> version = operation("/metadata/resourceVersion", version());
        return new Patch.Json(
                JSON.toJson(Stream.concat(Stream.of(version), operations).toList()));
    }

    private static Map<String, Object> operation(String path, Object value) {
        return Map.of("op", "replace", "path", path, "value", value);
    }

    private static Map<String, String> client(JsonObject present, String bundle, URI url) {
        return Map.of("url", urlOf(present, url), "caBundle", bundle);
    }

    private String version() {
        return text(object.getAsJsonObject("metadata"), "resourceVersion");
    }

    /** What a missing one is made of, with our address and these authorities. */
    static JsonObject made(Target target, String bundle, URI url) {
        JsonObject object = ApiJson.tree(target.made()).getAsJsonObject();
        for (JsonElement webhook : object.getAsJsonArray("webhooks")) {
            JsonObject present = webhook.getAsJsonObject().getAsJsonObject(CLIENT_CONFIG);
            webhook.getAsJsonObject().add(CLIENT_CONFIG, JSON.toJsonTree(client(present, Pem.base64(bundle), url)));
        }
        return object;
    }
}
