package io.controllermanager.app.install;

import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import io.kubernetes.client.util.Yaml;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * What a controller says, in its own folder, that it may do.
 *
 * @param text {@code META-INF/controller-manager/rbac/<name>.yaml}
 */
record DeclaredRights(String text) {

    private static final String FILES = "classpath*:META-INF/controller-manager/rbac/*.yaml";
    private static final String RULES = "\nrules:\n";

    /** Those of all controllers that the executable depends on, by name. */
    static Map<String, DeclaredRights> all() throws IOException {
        Map<String, DeclaredRights> all = new TreeMap<>();
        for (Resource file : new PathMatchingResourcePatternResolver().getResources(FILES)) {
            String name = Objects.requireNonNull(file.getFilename()).replace(".yaml", "");
            all.put(name, new DeclaredRights(file.getContentAsString(StandardCharsets.UTF_8)));
        }
        return all;
    }

    /** The rules alone, as they are written. */
    String rulesText() {
        int start = text.indexOf(RULES);
        if (start < 0) {
            throw new AssertionError("No rules in: " + text);
        }
        return text.substring(start + RULES.length());
    }

    List<V1PolicyRule> rules() {
        return Yaml.loadAs("rules:\n" + rulesText(), V1ClusterRole.class).getRules();
    }

    /** Whether {@code *} in the list of controllers includes it. */
    boolean enabledByDefault() {
        Map<String, Object> content = new org.yaml.snakeyaml.Yaml(new SafeConstructor(new LoaderOptions())).load(text);
        return !Boolean.FALSE.equals(content.get("enabledByDefault"));
    }
}
