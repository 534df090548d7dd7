package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static io.controllermanager.testing.bothservers.contract.Shard.parameter;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.bothservers.contract.Watching.Event;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code shardSelector} (KEP-5866) with the feature gate {@code ShardedListAndWatch}. */
@OnBothServers(shardedListAndWatch = true)
class ShardedListAndWatchContractTest extends Contract {

    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
    private static final String METADATA = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

    /**
     * Objects in two shards that meet at the hash of one of them.
     *
     * @param inLow the names of those in the low one, in order
     */
    private record Halves(Shard low, Shard high, List<String> inLow, List<String> inHigh) {}

    ShardedListAndWatchContractTest(TestedServer server) {
        super(server);
    }

    private static List<JsonNode> items(Reply list) {
        return StreamSupport.stream(list.node("/items").spliterator(), false).toList();
    }

    private Halves halves(String collection) {
        List<JsonNode> byHash = items(api.get(collection).ok()).stream()
                .sorted(Comparator.comparing(
                        item -> Shard.hash(item.at("/metadata/uid").asText())))
                .toList();
        int half = byHash.size() / 2;
        String middle = Shard.hash(byHash.get(half).at("/metadata/uid").asText());
        return new Halves(
                new Shard("uid", Shard.FIRST, middle),
                new Shard("uid", middle, Shard.END),
                names(byHash.subList(0, half)),
                names(byHash.subList(half, byHash.size())));
    }

    private static List<String> names(List<JsonNode> items) {
        return items.stream()
                .map(item -> item.at("/metadata/name").asText())
                .sorted()
                .toList();
    }

    private Halves tenConfigMaps() {
        IntStream.range(0, 10).forEach(i -> create("c" + i));
        return halves(configMaps());
    }

    private Reply list(Shard shard) {
        return api.get(configMaps() + "?" + shard.parameter()).ok();
    }

    private static boolean tellsOfShards(Reply list) {
        return list.body().at("/metadata").has("shardInfo");
    }

    @Test
    void listsARangeOfUidsWithoutItsEnd() {
        Halves halves = tenConfigMaps();
        assertThat(list(halves.low()).names()).isEqualTo(halves.inLow()).hasSize(5);
        assertThat(list(halves.high()).names()).isEqualTo(halves.inHigh()).hasSize(5);
    }

    @Test
    void listsSeveralRanges() {
        Halves halves = tenConfigMaps();
        String both = "(" + halves.high() + ")||" + halves.low();
        Reply list = api.get(configMaps() + "?" + parameter(both)).ok();
        assertThat(list.names()).hasSize(10);
        // It is not what was asked, but what was understood.
        assertThat(list.at("/metadata/shardInfo/selector")).isEqualTo(halves.high() + " || " + halves.low());
    }

    @Test
    void listsByNamespace() {
        String other = server.createNamespace();
        api.create(configMaps(), newConfigMap("a", namespace)).ok();
        api.create("/api/v1/namespaces/" + other + "/configmaps", newConfigMap("b", namespace))
                .ok();
        String everywhere = "/api/v1/configmaps?labelSelector=app=" + namespace + "&";
        assertThat(api.get(everywhere + Shard.only("namespace", namespace).parameter())
                        .ok()
                        .names())
                .containsExactly("a");
        assertThat(api.get(everywhere + Shard.only("namespace", other).parameter())
                        .ok()
                        .names())
                .containsExactly("b");
    }

    @Test
    void hashesNoNamespaceAsNothing() {
        String mine = "/api/v1/namespaces?fieldSelector=metadata.name=" + namespace + "&";
        assertThat(api.get(mine + Shard.only("namespace", "").parameter()).ok().names())
                .containsExactly(namespace);
        assertThat(api.get(mine + Shard.only("namespace", namespace).parameter())
                        .ok()
                        .names())
                .isEmpty();
    }

    @Test
    void saysOfWhichShardsAListIsUnlessItsObjectsAreReduced() {
        Halves halves = tenConfigMaps();
        assertThat(list(halves.low()).at("/metadata/shardInfo/selector"))
                .isEqualTo(halves.low().toString());
        assertThat(tellsOfShards(api.get(configMaps()).ok())).isFalse();

        String low = configMaps() + "?" + halves.low().parameter();
        Reply metadata = api.get(low, METADATA).ok();
        assertThat(metadata.names()).isEqualTo(halves.inLow());
        assertThat(tellsOfShards(metadata)).isFalse();
        Reply table = api.get(low, TABLE).ok();
        assertThat(table.node("/rows")).hasSize(5);
        assertThat(tellsOfShards(table)).isFalse();
    }

    @Test
    void filtersBesidesOtherSelectors() {
        Halves halves = tenConfigMaps();
        String low = configMaps() + "?" + halves.low().parameter();
        String name = "&fieldSelector=metadata.name=";
        assertThat(api.get(low + name + halves.inLow().get(0)).ok().names())
                .containsExactly(halves.inLow().get(0));
        assertThat(api.get(low + name + halves.inHigh().get(0)).ok().names()).isEmpty();
        assertThat(api.get(low + "&labelSelector=app").ok().names()).isEmpty();
    }

    @Test
    void pages() {
        Halves halves = tenConfigMaps();
        String low = configMaps() + "?limit=3&" + halves.low().parameter();
        Reply first = api.get(low).ok();
        assertThat(first.names()).isEqualTo(halves.inLow().subList(0, 3));
        // The count knows nothing of shards.
        assertThat(first.node("/metadata/remainingItemCount").asInt()).isEqualTo(7);
        Reply second =
                api.get(low + "&continue=" + first.at("/metadata/continue")).ok();
        assertThat(second.names()).isEqualTo(halves.inLow().subList(3, 5));
        assertThat(second.at("/metadata/continue")).isEmpty();
        assertThat(List.of(first, second)).allMatch(ShardedListAndWatchContractTest::tellsOfShards);
    }

    @Test
    void goesOnToAPageThatMayBeEmpty() {
        create("a");
        create("b");
        Shard ofA = Shard.only("uid", api.get(configMap("a")).ok().uid());
        String page = configMaps() + "?limit=1&" + ofA.parameter();
        Reply first = api.get(page).ok();
        assertThat(first.names()).containsExactly("a");
        Reply second =
                api.get(page + "&continue=" + first.at("/metadata/continue")).ok();
        assertThat(second.names()).isEmpty();
        assertThat(second.at("/metadata/continue")).isEmpty();
    }

    @Test
    void doesNotBindATokenToASelector() {
        Halves halves = tenConfigMaps();
        Reply first =
                api.get(configMaps() + "?limit=1&" + halves.low().parameter()).ok();
        String last = first.names().get(0);
        String next = configMaps() + "?limit=10&continue=" + first.at("/metadata/continue");
        assertThat(api.get(next + "&" + halves.high().parameter()).ok().names())
                .isEqualTo(halves.inHigh().stream()
                        .filter(name -> name.compareTo(last) > 0)
                        .toList());
        assertThat(api.get(next).ok().names())
                .hasSize(9 - Integer.parseInt(last.substring(1)))
                .doesNotContain(last);
    }

    @Test
    void tellsInAWatchOfWhatIsInRange() {
        Halves halves = tenConfigMaps();
        String version = api.get(configMaps()).ok().version();
        String in = halves.inHigh().get(0);
        String out = halves.inLow().get(0);
        try (Watching watch = api.watch(configMaps() + "?watch=true&allowWatchBookmarks=true&resourceVersion=" + version
                + "&" + halves.high().parameter())) {
            api.patch(configMap(out), Api.MERGE_PATCH, "{'data':{'key':'x'}}").ok();
            api.patch(configMap(in), Api.MERGE_PATCH, "{'data':{'key':'x'}}").ok();
            assertThat(watch.next("MODIFIED", in).object().at("/data/key").asText())
                    .isEqualTo("x");
            api.delete(configMap(out)).ok();
            api.delete(configMap(in)).ok();
            assertThat(watch.next("DELETED", in).object().at("/metadata").has("shardInfo"))
                    .isFalse();
        }
    }

    @Test
    void tellsInAWatchOfNewObjectsByTheirNamespace() {
        String other = server.createNamespace();
        String version = api.get(configMaps()).ok().version();
        try (Watching watch = api.watch("/api/v1/configmaps?watch=true&resourceVersion=" + version + "&"
                + Shard.only("namespace", namespace).parameter())) {
            api.create("/api/v1/namespaces/" + other + "/configmaps", newConfigMap("x"))
                    .ok();
            create("a");
            watch.next("ADDED", "a");
        }
    }

    @Test
    void beginsAWatchWithWhatIsInRange() {
        Halves halves = tenConfigMaps();
        assertThat(initialNames(configMaps() + "?" + halves.low().parameter()))
                .containsExactlyInAnyOrderElementsOf(halves.inLow());
    }

    /** The names in the events of a watch until it says that it has told of all that is there. */
    private List<String> initialNames(String path) {
        List<String> names = new ArrayList<>();
        try (Watching watch = api.watch(path
                + "&watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true")) {
            Event event = watch.any();
            while (!event.endsInitialEvents()) {
                assertThat(event.type()).isEqualTo("ADDED");
                names.add(event.name());
                event = watch.any();
            }
            assertThat(event.object().at("/metadata").has("shardInfo")).isFalse();
        }
        return names;
    }

    @Test
    void filtersWatchesOfEventsOnlyBesideOtherSelectors() {
        String events = "/api/v1/namespaces/" + namespace + "/events";
        IntStream.range(0, 4)
                .forEach(i -> api.create(
                                events,
                                json(
                                        "{'metadata':{'name':'e%d','labels':{'app':'a'}},'involvedObject':{'namespace':'%s'}}",
                                        i, namespace))
                        .ok());
        Halves halves = halves(events);
        String low = events + "?" + halves.low().parameter();
        assertThat(api.get(low).ok().names()).isEqualTo(halves.inLow()).hasSize(2);
        assertThat(tellsOfShards(api.get(low).ok())).isTrue();

        assertThat(initialNames(low)).hasSize(4);
        assertThat(initialNames(low.replace("/api/v1/", "/apis/events.k8s.io/v1/")))
                .hasSize(4);
        assertThat(initialNames(low + "&labelSelector=app=a")).containsExactlyInAnyOrderElementsOf(halves.inLow());
        try (Watching watch = api.watch(
                low + "&watch=true&resourceVersion=" + api.get(events).ok().version())) {
            api.delete(events + "/" + halves.inHigh().get(0)).ok();
            watch.next("DELETED", halves.inHigh().get(0));
        }
    }

    @DefiningTest
    void filtersCustomResourcesWithoutSayingSo() {
        String group = namespace + ".example.com";
        api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", json("""
                        {'apiVersion':'apiextensions.k8s.io/v1','kind':'CustomResourceDefinition',
                         'metadata':{'name':'things.%1$s'},
                         'spec':{'group':'%1$s','scope':'Namespaced','names':{'plural':'things','kind':'Thing'},
                          'versions':[{'name':'v1','served':true,'storage':true,
                                       'schema':{'openAPIV3Schema':{'type':'object'}}}]}}""", group))
                .ok();
        String things = "/apis/" + group + "/v1/namespaces/" + namespace + "/things";
        for (String name : List.of("a", "b", "c", "d")) {
            eventually(() -> api.create(
                            things, json("{'apiVersion':'%s/v1','kind':'Thing','metadata':{'name':'%s'}}", group, name))
                    .ok());
        }
        Halves halves = halves(things);
        String low = things + "?" + halves.low().parameter();
        Reply list = api.get(low).ok();
        assertThat(list.names()).isEqualTo(halves.inLow()).hasSize(2);
        assertThat(tellsOfShards(list)).isFalse();
        assertThat(initialNames(low)).containsExactlyInAnyOrderElementsOf(halves.inLow());
        assertThat(tellsOfShards(api.delete(low).ok())).isFalse();
        assertThat(api.get(things).ok().names()).isEqualTo(halves.inHigh());
    }

    @Test
    void deletesWhatIsInRange() {
        Halves halves = tenConfigMaps();
        Reply deleted =
                api.delete(configMaps() + "?" + halves.low().parameter()).ok();
        assertThat(deleted.names()).isEqualTo(halves.inLow());
        assertThat(tellsOfShards(deleted)).isTrue();
        assertThat(api.get(configMaps()).ok().names()).isEqualTo(halves.inHigh());
    }

    @Test
    void refusesWhatIsNoSelectorWhereverItCounts() {
        create("a");
        String wrong = "shardSelector=foo";
        String why = "invalid shard selector: unexpected expression kind 3; expected shardRange() call or || operator";
        assertThat(api.get(configMaps() + "?limit=1&" + wrong).refused(500, "").message())
                .isEqualTo(why);
        assertThat(api.get(configMaps() + "?continue=abc&" + wrong)
                        .refused(500, "")
                        .message())
                .isEqualTo(why);
        assertThat(api.delete(configMaps() + "?" + wrong).refused(500, "").message())
                .isEqualTo(why);
        try (Watching watch = api.watch(configMaps() + "?watch=true&" + wrong)) {
            Event refused = watch.any();
            assertThat(refused.type()).isEqualTo("REFUSED");
            assertThat(refused.object().at("/code").asInt()).isEqualTo(500);
            assertThat(refused.object().at("/message").asText()).isEqualTo(why);
        }
        assertThat(api.get(configMap("a") + "?" + wrong).ok().at("/metadata/name"))
                .isEqualTo("a");
        assertThat(api.get(configMaps() + "?shardSelector=").ok().names()).containsExactly("a");
    }

    /** Words in capitals stand for what {@link #whole} makes of them; a message's star for the rest of it. */
    @ParameterizedTest
    @CsvSource(delimiter = '~', quoteCharacter = '^', textBlock = """
                    ^ ^ ~ empty shard selector is not allowed; omit the parameter for unfiltered lists
                    shardRange( ~ CEL parse error: Syntax error: mismatched input '<EOF>' expecting *
                    RANGE RANGE ~ CEL parse error: Syntax error: mismatched input 'shardRange' expecting *
                    shardRange(UID, ZERO, END ~ CEL parse error: Syntax error: missing ')' at '<EOF>'
                    'a' ~ unexpected expression kind 5*
                    [RANGE] ~ unexpected expression kind 4*
                    {} ~ unexpected expression kind 6*
                    UID ~ unexpected expression kind 7*
                    T{} ~ unexpected expression kind 8*
                    RANGE && RANGE ~ unsupported function "_&&_"; only shardRange() and || are allowed
                    !RANGE ~ unsupported function "!_"*
                    has(UID) ~ unsupported function "has"*
                    RANGE || shardRange(NAMESPACE, ZERO, END) ~ all shard ranges must use the same field, got "UID" and "NAMESPACE"
                    shardRange(UID, ZERO) ~ shardRange() requires exactly 3 arguments, got 2
                    shardRange(f(1), ZERO, END) ~ shardRange() first argument: expected field path (e.g. UID), got expression kind 1
                    shardRange(object.metadata.name, ZERO, END) ~ unsupported field path "object.metadata.name"; supported: UID, NAMESPACE
                    shardRange(.UID, ZERO, END) ~ unsupported field path ".UID"; supported: UID, NAMESPACE
                    shardRange(UID, UID, END) ~ hexStart must be a string literal (e.g. '0xff'), got expression kind 7
                    shardRange(UID, ZERO, 1) ~ hexEnd must be a string literal, got int64
                    shardRange(UID, 1u, END) ~ hexStart must be a string literal, got uint64
                    shardRange(UID, 1.5, END) ~ hexStart must be a string literal, got float64
                    shardRange(UID, b'x', END) ~ hexStart must be a string literal, got []uint8
                    shardRange(UID, true, END) ~ hexStart must be a string literal, got bool
                    shardRange(UID, null, END) ~ hexStart must be a string literal, got structpb.NullValue
                    shardRange(UID, '8000000000000000', END) ~ hexStart must have '0x' prefix, got "8000000000000000"
                    shardRange(UID, '0x', END) ~ hexStart: hex value is required after '0x'
                    shardRange(UID, '0x1', END) ~ hexStart must be a 0x-prefixed 16-digit hex value, got "0x1" (did you mean "0x0000000000000001"?)
                    shardRange(UID, '0x00000000000000Ag', END) ~ hexStart: invalid hex character "A" in "0x00000000000000Ag"
                    shardRange(UID, ZERO, '0x10000000000000001') ~ hexEnd: 17-digit hex value must be END (2^64), got "0x10000000000000001"
                    shardRange(UID, ZERO, '0x100000000000000000') ~ hexEnd: hex value too long (18 chars, max 17): "100000000000000000"
                    shardRange(UID, ZERO, ZERO) ~ shard range start 0x0000000000000000 must be less than end 0x0000000000000000
                    shardRange(UID, END, ZERO) ~ shard range start 0x10000000000000000 must be less than end 0x0000000000000000
                    """)
    void saysWhatIsWrongWithASelector(String selector, String why) {
        String message = api.get(configMaps() + "?" + parameter(whole(selector)))
                .refused(500, "")
                .message();
        String wanted = whole("invalid shard selector: " + why);
        if (wanted.endsWith("*")) {
            assertThat(message).startsWith(wanted.substring(0, wanted.length() - 1));
        } else {
            assertThat(message).isEqualTo(wanted);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "shardRange(UID, \"0x0000000000000000\", r'0x10000000000000000') // as CEL has it",
                "((RANGE))",
                "x.shardRange(UID, ZERO, END)"
            })
    void understandsWhatMeansTheSame(String selector) {
        create("a");
        Reply list = api.get(configMaps() + "?" + parameter(whole(selector))).ok();
        assertThat(list.names()).containsExactly("a");
        assertThat(list.at("/metadata/shardInfo/selector")).isEqualTo(whole("RANGE"));
    }

    private static String whole(String text) {
        return text.replace("RANGE", "shardRange(UID, ZERO, END)")
                .replace("UID", "object.metadata.uid")
                .replace("NAMESPACE", "object.metadata.namespace")
                .replace("ZERO", "'0x" + Shard.FIRST + "'")
                .replace("END", "'0x" + Shard.END + "'");
    }
}
