package io.controllermanager.testing.bothservers.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.bothservers.TestedServer;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** {@code shardSelector} (KEP-5866) without the feature gate {@code ShardedListAndWatch}, as is the default: it is nothing. */
class ShardSelectorIgnoredContractTest extends Contract {

    /** The first selects nothing, the second is no selector. */
    static final List<String> SELECTORS =
            List.of(new Shard("uid", Shard.FIRST, "0".repeat(15) + "1").parameter(), "shardSelector=foo");

    ShardSelectorIgnoredContractTest(TestedServer server) {
        super(server);
    }

    @BeforeEach
    void createTwo() {
        create("a");
        create("b");
    }

    @ParameterizedTest
    @FieldSource("SELECTORS")
    void listsEverything(String selector) {
        Reply list = api.get(configMaps() + "?" + selector).ok();
        assertThat(list.names()).containsExactly("a", "b");
        assertThat(list.node("/metadata").has("shardInfo")).isFalse();
        Reply page = api.get(configMaps() + "?limit=1&" + selector).ok();
        assertThat(page.names()).containsExactly("a");
        assertThat(page.node("/metadata/remainingItemCount").asInt()).isEqualTo(1);
    }

    @ParameterizedTest
    @FieldSource("SELECTORS")
    void watchesEverything(String selector) {
        String version = api.get(configMaps()).ok().version();
        try (Watching watch = api.watch(configMaps() + "?watch=true&resourceVersion=" + version + "&" + selector)) {
            create("c");
            watch.next("ADDED", "c");
        }
    }

    @ParameterizedTest
    @FieldSource("SELECTORS")
    void deletesEverything(String selector) {
        api.delete(configMaps() + "?" + selector).ok();
        assertThat(api.get(configMaps()).ok().names()).isEmpty();
    }
}
