package io.controllermanager.apiserver.resource;

import io.controllermanager.apiserver.cel.Rules;
import io.controllermanager.apiserver.schema.Schema;
import io.controllermanager.apiserver.schema.Validator;
import io.controllermanager.apiserver.webhook.ConversionWebhook;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One resource in one version.
 *
 * @param storage the collection that holds its objects, shared by all versions
 * @param storageVersion the version in which they are kept
 * @param subresources those that are served here
 * @param keptByStatus paths that a write of the status leaves as they were
 * @param keptByUpdate those that any other update leaves as they were
 * @param validator judges custom resources; null for built-in types
 * @param rules judge custom resources too; null where the CRD has none
 * @param fields what field selectors may name beside the name and the namespace, each with the ways to its value: paths,
 *     or a text in brackets, with {@code |} between them, of which the first that leads to something counts
 * @param immutable paths that no update may change, some with {@code =} and what is said then
 * @param schemaName under which OpenAPI has its schema
 * @param inert what the real server does by such an object and this one does not; empty where there is nothing
 * @param deprecation what whoever uses it is warned of; empty where it is not deprecated
 * @param review whether its objects are sent to be answered, and never stored
 * @param schemas of all versions of a custom type, by their names, with those that are not served; empty for a built-in one
 * @param converter between the versions of a custom type; null where they differ in nothing but what they know
 */
public record ResourceType(
        String group,
        String version,
        String kind,
        String listKind,
        String plural,
        String singular,
        boolean namespaced,
        List<String> shortNames,
        List<String> categories,
        String storage,
        String storageVersion,
        List<String> subresources,
        @Nullable Scale scale,
        Set<Trait> traits,
        List<String> keptByStatus,
        List<String> keptByUpdate,
        Schema schema,
        @Nullable Validator validator,
        @Nullable Rules rules,
        Map<String, String> fields,
        List<String> immutable,
        List<Column> columns,
        String schemaName,
        String inert,
        String deprecation,
        boolean review,
        Map<String, Schema> schemas,
        @Nullable ConversionWebhook converter) {

    public String apiVersion() {
        return apiVersion(group, version);
    }

    public static String apiVersion(String group, String version) {
        return group.isEmpty() ? version : group + "/" + version;
    }

    /** The path of its version. */
    public String path() {
        return (group.isEmpty() ? "/api/" : "/apis/") + apiVersion();
    }

    /** The path of one object. */
    public String path(String namespace, String name) {
        return path() + (namespaced ? "/namespaces/" + namespace + "/" : "/") + plural + "/" + name;
    }

    public boolean isCustom() {
        return validator != null;
    }

    public boolean has(Trait trait) {
        return traits.contains(trait);
    }

    /** The media types in which a patch may come. */
    public List<String> patches() {
        return Stream.of("json-patch+json", "merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml")
                .filter(patch -> !isCustom() || !patch.startsWith("strategic"))
                .map("application/"::concat)
                .toList();
    }

    /** Whether all objects can be deleted at once. */
    public boolean deletesCollections() {
        return !is("", "namespaces");
    }

    /** {@code plural.group}. */
    public String groupResource() {
        return inGroup(plural);
    }

    /** A name with the group behind it. */
    public String inGroup(String its) {
        return group.isEmpty() ? its : its + "." + group;
    }

    public boolean is(String itsGroup, String itsPlural) {
        return group.equals(itsGroup) && plural.equals(itsPlural);
    }
}
