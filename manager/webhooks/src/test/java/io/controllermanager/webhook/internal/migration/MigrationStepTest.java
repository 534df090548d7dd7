package io.controllermanager.webhook.internal.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinitionSpec;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinitionStatus;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinitionVersion;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MigrationStepTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:10:00Z");

    private static V1CustomResourceDefinition crd(String storage, @Nullable String stored, @Nullable String migration) {
        V1CustomResourceDefinition crd = new V1CustomResourceDefinition()
                .metadata(new V1ObjectMeta().name("shelves.example.com").generation(3L))
                .spec(new V1CustomResourceDefinitionSpec()
                        .versions(List.of(version("v1", storage), version("v2", storage))));
        if (stored != null) {
            crd.status(new V1CustomResourceDefinitionStatus().storedVersions(List.of(stored.split(" "))));
        }
        if (migration != null) {
            crd.getMetadata().setAnnotations(Map.of(Migration.ANNOTATION, migration));
        }
        return crd;
    }

    private static V1CustomResourceDefinitionVersion version(String name, String storage) {
        return new V1CustomResourceDefinitionVersion().name(name).served(true).storage(name.equals(storage));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', nullValues = "-", textBlock = """
            v1 | v1    | -                                                                                | NOTHING
            v1 | -     | -                                                                                | NOTHING
            v2 | v2    | {"to":"v2","generation":3,"begun":"2026-01-01T00:00:00Z","seen":3,"refused":0,"examples":[]}                                   | TIDY
            v2 | v1 v2 | -                                                                                | BEGIN
            v1 | v1 v2 | -                                                                                | BEGIN
            v1 | v1 v2 | {"to":"v2","generation":3,"begun":"2026-01-01T00:00:00Z","next":"","seen":0,"refused":0,"examples":[]}                         | BEGIN
            v2 | v1 v2 | garbage                                                                          | BEGIN
            v2 | v1 v2 | {}                                                                               | BEGIN
            v2 | v1 v2 | []                                                                               | BEGIN
            v2 | v1 v2 | {"to":"v2","generation":3,"begun":"2026-01-01T00:00:00Z","next":"","seen":0,"refused":0,"examples":[]}                         | PAGE
            v2 | v1 v2 | {"to":"v2","generation":3,"begun":"2026-01-01T00:09:51Z","next":"","seen":0,"refused":0,"examples":[]} | SETTLE
            v2 | v1 v2 | {"to":"v2","generation":2,"begun":"2026-01-01T00:00:00Z","next":"b","seen":0,"refused":0,"examples":[]} | BEGIN
            v2 | v1 v2 | {"to":"v2","generation":3,"begun":"2026-01-01T00:00:00Z","next":"abc","seen":200,"refused":1,"examples":["a: b"]}              | PAGE
            v2 | v1 v2 | {"to":"v2","generation":3,"begun":"2026-01-01T00:00:00Z","seen":300,"refused":0,"examples":[]}                                 | FINISH
            v2 | v1 v2 | {"to":"v2","generation":3,"begun":"2026-01-01T00:00:00Z","seen":300,"refused":1,"examples":["a"],"ended":"2026-01-01T00:00:01Z"} | WAIT
            v2 | v1 v2 | {"to":"v2","generation":3,"begun":"2026-01-01T00:00:00Z","seen":300,"refused":1,"examples":["a"],"ended":"2026-01-01T00:00:00Z"} | BEGIN
            """)
    void followsFromTheDefinition(
            String storage, @Nullable String stored, @Nullable String annotation, MigrationStep step) {
        V1CustomResourceDefinition crd = crd(storage, stored, annotation);

        assertThat(MigrationStep.of(crd, Migration.of(crd), NOW)).isEqualTo(step);
    }

    @Test
    void whatIsNotedIsReadAgain() {
        Migration migration = Migration.begun(crd("v2", "v1 v2", null), NOW)
                .after(200, List.of("a: no", "b: no"), "token", 100L, NOW)
                .after(100, List.of(), null, null, NOW);

        assertThat(Migration.of(crd("v2", "v1 v2", migration.text()))).isEqualTo(migration);
        assertThat(migration.seen()).isEqualTo(300);
        assertThat(migration.refused()).isEqualTo(2);
        assertThat(migration.examples()).containsExactly("a: no", "b: no");
        assertThat(migration.ended()).isEqualTo(NOW.atOffset(java.time.ZoneOffset.UTC));
    }

    @Test
    void whatIsNotedStaysSmall() {
        Migration migration = Migration.begun(crd("v2", "v1 v2", null), NOW);
        for (int i = 0; i < 100; i++) {
            migration = migration.after(1, List.of("x".repeat(10_000)), "t".repeat(200), 5L, NOW);
        }

        assertThat(migration.text().length()).isLessThan(6_000);
        assertThat(migration.refused()).isEqualTo(100);
    }
}
