package io.controllermanager.webhook.internal.migration;

import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinitionVersion;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What is to be done next about what is stored of a type. A decision without state. */
enum MigrationStep {
    /** All is stored in one version, and nothing tells of a migration. */
    NOTHING,
    /** All is stored in one version; the annotation goes. */
    TIDY,
    /** Objects may be stored in another version than new ones: what is to come is noted first. */
    BEGIN,
    /** Nothing yet, until each API server stores in the version that the CRD says. */
    SETTLE,
    /** The next objects are rewritten. */
    PAGE,
    /** All have been rewritten: the other versions are taken out of the CRD's status. */
    FINISH,
    /** Some could not be rewritten: the other versions stay, and all is tried again later. */
    WAIT;

    /** By when each API server has seen the CRD. */
    static final Duration SETTLED = Duration.ofSeconds(10);

    /** When all is tried again after something was refused. */
    static final Duration AGAIN = Duration.ofMinutes(10);

    static MigrationStep of(V1CustomResourceDefinition crd, @Nullable Migration migration, Instant now) {
        String storage = storageVersion(crd);
        if (Migration.storedVersions(crd).stream().allMatch(storage::equals)) {
            return migration == null ? NOTHING : TIDY;
        }
        if (migration == null
                || !migration.to().equals(storage)
                || migration.generation() != Migration.generation(crd)) {
            return BEGIN;
        }
        if (now.isBefore(migration.begun().toInstant().plus(SETTLED))) {
            return SETTLE;
        }
        if (migration.next() != null) {
            return PAGE;
        }
        if (migration.ended() == null) {
            return FINISH;
        }
        return now.isBefore(migration.ended().toInstant().plus(AGAIN)) ? WAIT : BEGIN;
    }

    /** The version that new objects are stored in; each CRD has one. */
    static String storageVersion(V1CustomResourceDefinition crd) {
        return crd.getSpec().getVersions().stream()
                .filter(V1CustomResourceDefinitionVersion::getStorage)
                .map(V1CustomResourceDefinitionVersion::getName)
                .findFirst()
                .orElseThrow();
    }
}
