package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.internal.KeyMemories;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Collection;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NameClaimsTest {

    private static final Request ONE = new Request("ns", "one");
    private static final Request TWO = new Request("ns", "two");

    private final KeyMemories memories = new KeyMemories();
    private final NameClaims claims = new NameClaims();

    @BeforeEach
    void keep() {
        claims.keepIn(memories);
    }

    @Test
    void aChildConcernsThoseThatWaitForItsName() {
        claims.add(ONE, ResourceTypes.CONFIG_MAP, new Request("ns", "child"));
        claims.add(TWO, ResourceTypes.CONFIG_MAP, new Request("ns", "child"));
        assertThat(concernedBy("child")).containsExactlyInAnyOrder(ONE, TWO);
        assertThat(concernedBy("other")).isEmpty();

        claims.add(ONE, ResourceTypes.CONFIG_MAP, new Request("ns", "other"));
        assertThat(concernedBy("child")).containsExactly(TWO);
        assertThat(concernedBy("other")).containsExactly(ONE);
        claims.remove(ONE);
        assertThat(concernedBy("other")).isEmpty();
    }

    @Test
    void whoIsForgottenWaitsNoMore() {
        claims.add(ONE, ResourceTypes.CONFIG_MAP, new Request("ns", "child"));
        memories.forget(ONE);
        assertThat(concernedBy("child")).isEmpty();
    }

    @Test
    void whoIsForgottenWithAShardWaitsNoMoreAndMayWaitAgain() {
        claims.add(ONE, ResourceTypes.CONFIG_MAP, new Request("ns", "child"));
        claims.add(TWO, ResourceTypes.CONFIG_MAP, new Request("ns", "child"));
        memories.forget(ONE::equals);
        assertThat(concernedBy("child")).containsExactly(TWO);
        memories.forget(key -> true);
        assertThat(concernedBy("child")).isEmpty();
        claims.add(ONE, ResourceTypes.CONFIG_MAP, new Request("ns", "child"));
        assertThat(concernedBy("child")).containsExactly(ONE);
    }

    private Collection<Request> concernedBy(String child) {
        return claims.mapper(ResourceTypes.CONFIG_MAP)
                .map(new V1ConfigMap()
                        .metadata(new V1ObjectMeta().namespace("ns").name(child)));
    }
}
