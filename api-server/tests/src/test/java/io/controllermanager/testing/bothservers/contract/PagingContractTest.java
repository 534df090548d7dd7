package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.bothservers.TestedServer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PagingContractTest extends Contract {

    PagingContractTest(TestedServer server) {
        super(server);
    }

    @BeforeEach
    void createSeven() {
        IntStream.range(0, 7).forEach(i -> create("c" + i));
    }

    private Reply page(String token) {
        return api.get(configMaps() + "?limit=3" + (token.isEmpty() ? "" : "&continue=" + token));
    }

    @Test
    void limitsAPage() {
        Reply page = page("").ok();
        assertThat(page.names()).containsExactly("c0", "c1", "c2");
        assertThat(page.at("/metadata/continue")).isNotEmpty();
        assertThat(page.node("/metadata/remainingItemCount").asInt()).isEqualTo(4);
    }

    @Test
    void goesOnToTheEnd() {
        List<String> names = new ArrayList<>();
        String token = "";
        do {
            Reply page = page(token).ok();
            names.addAll(page.names());
            token = page.at("/metadata/continue");
        } while (!token.isEmpty());
        assertThat(names).containsExactly("c0", "c1", "c2", "c3", "c4", "c5", "c6");
    }

    @Test
    void showsOneSnapshotWhileWritersGoOn() {
        Reply first = page("").ok();
        api.delete(configMap("c4")).ok();
        create("c30");
        api.patch(configMap("c5"), Api.MERGE_PATCH, "{'data':{'key':'changed'}}")
                .ok();
        Reply second = page(first.at("/metadata/continue")).ok();
        Reply third = page(second.at("/metadata/continue")).ok();
        assertThat(second.names()).containsExactly("c3", "c4", "c5");
        assertThat(second.at("/items/2/data/key")).isEqualTo("value");
        assertThat(third.names()).containsExactly("c6");
        assertThat(List.of(second.version(), third.version())).containsOnly(first.version());
    }

    @Test
    void hasNoMoreWhenAllFits() {
        Reply page = api.get(configMaps() + "?limit=7").ok();
        assertThat(page.names()).hasSize(7);
        assertThat(page.at("/metadata/continue")).isEmpty();
    }

    @Test
    void countsNothingWithASelector() {
        Reply page = api.get(configMaps() + "?limit=3&labelSelector=!app").ok();
        assertThat(page.names()).hasSize(3);
        assertThat(page.node("/metadata/remainingItemCount").isMissingNode()).isTrue();
    }

    @Test
    void refusesWhatIsNoToken() {
        api.get(configMaps() + "?limit=3&continue=abc").refused(400, "BadRequest");
    }

    @Test
    void refusesATokenWhoseHistoryIsCompacted() {
        // Not ConfigMaps: the real server's cache may still have the snapshot of those.
        String secrets = "/api/v1/namespaces/" + namespace + "/secrets";
        IntStream.range(0, 5)
                .forEach(i -> api.create(secrets, json("{'metadata':{'name':'s%d'}}", i))
                        .ok());
        Reply first = api.get(secrets + "?limit=3").ok();
        api.create(secrets, json("{'metadata':{'name':'s9'}}")).ok();
        server.compact();
        String next = secrets + "?limit=3&continue=";
        Reply refused = api.get(next + first.at("/metadata/continue")).refused(410, "Expired");
        assertThat(refused.message())
                .startsWith("The provided continue parameter is too old to display a consistent list result");
        assertThat(api.get(next + refused.at("/metadata/continue")).ok().names())
                .containsExactly("s3", "s4", "s9");
    }

    @Test
    void knowsNoPagesForVersionZero() {
        eventually(() -> assertThat(api.get(configMaps() + "?resourceVersion=0&limit=3")
                        .ok()
                        .names())
                .hasSize(7));
    }

    @Test
    void pagesThroughAnExactVersion() {
        String version = api.get(configMaps()).ok().version();
        api.delete(configMap("c0")).ok();
        Reply page = api.get(configMaps() + "?limit=3&resourceVersion=" + version + "&resourceVersionMatch=Exact")
                .ok();
        assertThat(page.names()).containsExactly("c0", "c1", "c2");
        assertThat(page(page.at("/metadata/continue")).ok().names()).containsExactly("c3", "c4", "c5");
    }

    @Test
    void keepsToItsSelectorOnAllPages() {
        for (String name : List.of("c1", "c3", "c5")) {
            api.patch(configMap(name), Api.MERGE_PATCH, "{'metadata':{'labels':{'odd':'yes'}}}")
                    .ok();
        }
        String odd = configMaps() + "?limit=2&labelSelector=odd";
        Reply first = api.get(odd).ok();
        assertThat(first.names()).containsExactly("c1", "c3");
        assertThat(api.get(odd + "&continue=" + first.at("/metadata/continue"))
                        .ok()
                        .names())
                .containsExactly("c5");
    }

    @Test
    void takesNoVersionWithAToken() {
        Reply first = page("").ok();
        api.get(configMaps() + "?limit=3&resourceVersion=" + first.version() + "&continue="
                        + first.at("/metadata/continue"))
                .refused(400, "BadRequest");
    }
}
