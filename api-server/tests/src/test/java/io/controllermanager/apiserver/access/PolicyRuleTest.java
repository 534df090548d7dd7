package io.controllermanager.apiserver.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.apiserver.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kubernetes' evaluation of single rules. */
class PolicyRuleTest {

    /** What is asked for is verb, group, resource, subresource and name, {@code _} for an empty one. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            apiGroups: [apps], resources: [deployments], verbs: [get]                             | get apps deployments _ a           | true
            apiGroups: [apps], resources: [deployments], verbs: [get]                             | list apps deployments _ _          | false
            apiGroups: [apps], resources: [deployments], verbs: [get]                             | get _ deployments _ a              | false
            apiGroups: [apps], resources: [deployments], verbs: [get]                             | get apps replicasets _ a           | false
            apiGroups: [apps], resources: [deployments], verbs: [get]                             | get apps deployments scale a       | false
            apiGroups: [apps], resources: [deployments/scale], verbs: [get]                       | get apps deployments scale a       | true
            apiGroups: [apps], resources: [deployments/scale], verbs: [get]                       | get apps deployments _ a           | false
            apiGroups: [apps], resources: [deployments/scale], verbs: [get]                       | get apps deployments status a      | false
            apiGroups: [apps], resources: ['*/scale'], verbs: [get]                               | get apps deployments scale a       | true
            apiGroups: [apps], resources: ['*/scale'], verbs: [get]                               | get apps deployments _ a           | false
            apiGroups: [apps], resources: ['*/scale'], verbs: [get]                               | get apps deployments upscale a     | false
            apiGroups: [apps], resources: ['deployments/*'], verbs: [get]                         | get apps deployments scale a       | false
            apiGroups: [apps], resources: ['*'], verbs: [get]                                     | get apps deployments scale a       | true
            apiGroups: ['*'], resources: [deployments], verbs: [get]                              | get apps deployments _ a           | true
            apiGroups: ['*'], resources: [deployments], verbs: [get]                              | get _ deployments _ a              | true
            apiGroups: [apps], resources: [deployments], verbs: ['*']                             | deletecollection apps deployments _ _ | true
            apiGroups: [apps, ''], resources: [pods, deployments], verbs: [list, get]             | get apps deployments _ a           | true
            apiGroups: [''], resources: [pods], verbs: [get]                                      | get _ pods _ a                     | true
            apiGroups: [], resources: [pods], verbs: [get]                                        | get _ pods _ a                     | false
            resources: [pods], verbs: [get]                                                       | get _ pods _ a                     | false
            apiGroups: [''], resources: [pods], verbs: [get], resourceNames: [a, b]               | get _ pods _ b                     | true
            apiGroups: [''], resources: [pods], verbs: [get], resourceNames: [a, b]               | get _ pods _ c                     | false
            apiGroups: [''], resources: [pods], verbs: [list], resourceNames: [a]                 | list _ pods _ _                    | false
            apiGroups: [''], resources: [pods], verbs: [list], resourceNames: [a]                 | list _ pods _ a                    | true
            apiGroups: [''], resources: [pods], verbs: [list], resourceNames: []                  | list _ pods _ _                    | true
            apiGroups: [''], resources: [pods], verbs: [list], resourceNames: ['*']               | list _ pods _ a                    | false
            apiGroups: ['*'], resources: ['*'], verbs: ['*']                                      | impersonate _ users _ jane         | true
            nonResourceURLs: ['*'], verbs: ['*']                                                  | get _ pods _ a                     | false
            """)
    void allowsObjects(String rule, String asked, boolean allowed) throws IOException {
        String[] parts = asked.replace("_", "").split(" ", -1);
        assertThat(rule(rule)
                        .allows(new Attributes(
                                User.ANONYMOUS, parts[0], parts[1], parts[2], parts[3], "default", parts[4], "/any")))
                .isEqualTo(allowed);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            nonResourceURLs: [/metrics], verbs: [get]                    | get  | /metrics         | true
            nonResourceURLs: [/metrics], verbs: [get]                    | post | /metrics         | false
            nonResourceURLs: [/metrics], verbs: ['*']                    | post | /metrics         | true
            nonResourceURLs: [/metrics], verbs: [get]                    | get  | /metrics/        | false
            nonResourceURLs: [/metrics], verbs: [get]                    | get  | /metrics/cadvisor | false
            nonResourceURLs: ['/metrics/*'], verbs: [get]                | get  | /metrics/cadvisor | true
            nonResourceURLs: ['/metrics/*'], verbs: [get]                | get  | /metrics         | false
            nonResourceURLs: ['/metrics*'], verbs: [get]                 | get  | /metrics         | true
            nonResourceURLs: ['/metrics**'], verbs: [get]                | get  | /metrics/a       | true
            nonResourceURLs: ['*'], verbs: [get]                         | get  | /anything        | true
            nonResourceURLs: [/healthz, /metrics], verbs: [get]          | get  | /metrics         | true
            apiGroups: ['*'], resources: ['*'], verbs: ['*']             | get  | /metrics         | false
            """)
    void allowsPaths(String rule, String verb, String path, boolean allowed) throws IOException {
        assertThat(rule(rule).allows(new Attributes(User.ANONYMOUS, verb, "", "", "", "", "", path)))
                .isEqualTo(allowed);
    }

    private static PolicyRule rule(String rule) throws IOException {
        return PolicyRule.ofRole(Json.readYaml(("rules: [{" + rule + "}]").getBytes(StandardCharsets.UTF_8)))
                .get(0);
    }
}
