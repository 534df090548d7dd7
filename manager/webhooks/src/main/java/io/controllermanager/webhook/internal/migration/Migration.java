package io.controllermanager.webhook.internal.migration;

import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.controllermanager.client.internal.json.ApiJson;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How far the migration of a type is: the annotation of its CRD, which every replica sees and the next leader goes on from.
 *
 * @param to the version that objects are rewritten in
 * @param generation that of the CRD when it began: with another one, objects may have been stored in another version meanwhile
 * @param begun when it began
 * @param next where the next page begins, as the API server says it; empty for the first, null once there is none
 * @param seen how many objects have been looked at
 * @param left how many are still to come, null if the API server does not say
 * @param refused how many could not be rewritten
 * @param examples the first few of those, each with the reason
 * @param ended when the last page was over, if some were refused; null otherwise
 */
public record Migration(
        String to,
        long generation,
        OffsetDateTime begun,
        @Nullable String next,
        int seen,
        @Nullable Long left,
        int refused,
        List<String> examples,
        @Nullable OffsetDateTime ended) {

    /** The annotation. */
    public static final String ANNOTATION = "controller-manager.io/storage-migration";

    private static final int EXAMPLES = 10;
    private static final int LONGEST_EXAMPLE = 500;

    /** One that has not looked at an object yet. */
    static Migration begun(V1CustomResourceDefinition crd, Instant now) {
        return new Migration(
                MigrationStep.storageVersion(crd),
                generation(crd),
                now.atOffset(ZoneOffset.UTC),
                "",
                0,
                null,
                0,
                List.of(),
                null);
    }

    /** That of a CRD, null if there is none, or none that can be read. */
    public static @Nullable Migration of(V1CustomResourceDefinition crd) {
        Map<String, String> annotations = crd.getMetadata().getAnnotations();
        String text = annotations == null ? null : annotations.get(ANNOTATION);
        if (text == null) {
            return null;
        }
        try {
            Migration read = ApiJson.read(JsonParser.parseString(text), ApiJson.adapter(Migration.class));
            return read.to == null || read.begun == null || read.examples == null ? null : read;
        } catch (JsonParseException | IllegalStateException e) {
            return null;
        }
    }

    /** The versions that objects of a CRD may be stored in. */
    public static List<String> storedVersions(V1CustomResourceDefinition crd) {
        return crd.getStatus() == null
                ? List.of()
                : Objects.requireNonNullElse(crd.getStatus().getStoredVersions(), List.of());
    }

    static long generation(V1CustomResourceDefinition crd) {
        return Objects.requireNonNullElse(crd.getMetadata().getGeneration(), 0L);
    }

    String text() {
        return ApiJson.tree(this).toString();
    }

    /** After one more page. */
    Migration after(int objects, List<String> refusals, @Nullable String newNext, @Nullable Long newLeft, Instant now) {
        List<String> some = Stream.concat(
                        examples.stream(),
                        refusals.stream().map(one -> one.substring(0, Math.min(one.length(), LONGEST_EXAMPLE))))
                .limit(EXAMPLES)
                .toList();
        int all = refused + refusals.size();
        OffsetDateTime end = newNext == null && all > 0 ? now.atOffset(ZoneOffset.UTC) : null;
        return new Migration(to, generation, begun, newNext, seen + objects, newLeft, all, some, end);
    }

    /** With the next page where the API server says that what is left begins, since it does not know the old place any more. */
    Migration from(String newNext) {
        return new Migration(to, generation, begun, newNext, seen, left, refused, examples, null);
    }
}
