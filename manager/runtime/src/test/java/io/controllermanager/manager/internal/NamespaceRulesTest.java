package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.request.ErrorKind;
import io.controllermanager.client.internal.request.Obstacle;
import io.controllermanager.client.internal.request.Permission;
import io.controllermanager.controller.ControllerDescriptor;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamespaceRulesTest {

    private final FakeInformer<V1ConfigMap> informer = new FakeInformer<>(ResourceTypes.CONFIG_MAP);

    private static ControllerRegistration controller(String name) {
        return ControllerRegistration.of(ControllerDescriptor.named(name)
                .forType(ResourceTypes.CONFIG_MAP)
                .reconciler(request -> new Result(false))
                .build());
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            # index,                   is of no use to the controller "mine" across namespaces
            controller-manager/owner,  true
            other/host,                true
            other/by/host,             true
            mine/host,                 false
            host,                      false
            other,                     false
            by/host,                   false
            otherwise/host,            false
            example.com/host,          false
            /host,                     false
            """)
    void anIndexIsAnothersOnlyIfItBeginsWithAnothersName(String index, boolean within) {
        informer.addIndexers(Map.of(index, map -> List.of()));

        assertThat(NamespaceRules.staysWithin(
                        controller("mine"), List.of(controller("mine"), controller("other")), List.of(informer)))
                .isEqualTo(within);
    }

    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            # synced, lacks, in the way,           only rights
            true,     -,     -,                    true
            true,     -,     FORBIDDEN a,          true
            true,     -,     OTHER a,              true
            false,    -,     -,                    false
            false,    -,     FORBIDDEN -,          true
            false,    -,     OTHER -,              false
            false,    -,     FORBIDDEN - OTHER -,  false
            false,    b,     FORBIDDEN b,          true
            false,    b,     FORBIDDEN b OTHER a,  true
            false,    b,     FORBIDDEN a,          false
            false,    b,     OTHER b,              false
            false,    a b,   FORBIDDEN b,          false
            false,    a b,   FORBIDDEN a OTHER b,  false
            """)
    void whatLacksForAnotherReasonThanARightIsToldApart(
            boolean synced, @Nullable String lacks, @Nullable String inTheWay, boolean onlyRights) {
        informer.synced(synced);
        informer.lacks(lacks == null ? Set.of() : Set.of(lacks.split(" ")));
        String[] words = inTheWay == null ? new String[0] : inTheWay.split(" ");
        Obstacle[] obstacles = new Obstacle[words.length / 2];
        Arrays.setAll(
                obstacles,
                i -> new Obstacle(
                        ErrorKind.valueOf(words[2 * i]),
                        new Permission("list", "configmaps", words[2 * i + 1].equals("-") ? null : words[2 * i + 1]),
                        "HTTP"));
        informer.inTheWay(obstacles);

        assertThat(NamespaceRules.lacksOnlyRights(informer)).isEqualTo(onlyRights);
    }
}
