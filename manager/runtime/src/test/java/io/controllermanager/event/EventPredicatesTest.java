package io.controllermanager.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.labels.EqualityMatcher;
import io.kubernetes.client.util.labels.LabelSelector;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class EventPredicatesTest {

    static Stream<EventPredicate<V1ConfigMap>> all() {
        return Stream.of(
                EventPredicates.resourceVersionChanged(),
                EventPredicates.generationChanged(),
                EventPredicates.labelsChanged(),
                EventPredicates.annotationsChanged());
    }

    @ParameterizedTest
    @MethodSource("all")
    void letEverythingThroughThatIsNoUpdate(EventPredicate<V1ConfigMap> predicate) {
        V1ConfigMap object = object(metadata -> {});
        assertThat(predicate.test(new ResourceEvent.Created<>(object, true))).isTrue();
        assertThat(predicate.test(new ResourceEvent.Deleted<>(object, false))).isTrue();
        assertThat(predicate.test(new ResourceEvent.Generic<>(object))).isTrue();
    }

    @ParameterizedTest
    @MethodSource("all")
    void skipAResync(EventPredicate<V1ConfigMap> predicate) {
        V1ConfigMap object = object(metadata -> metadata.resourceVersion("7")
                .generation(3L)
                .labels(Map.of("a", "b"))
                .annotations(Map.of("c", "d")));
        assertThat(predicate.test(new ResourceEvent.Updated<>(object, object))).isFalse();
    }

    @Test
    void tellAChangeOfTheirOwnPartFromOthers() {
        V1ConfigMap before = object(metadata -> metadata.resourceVersion("1").generation(1L));
        ResourceEvent<V1ConfigMap> status = new ResourceEvent.Updated<>(
                before, object(m -> m.resourceVersion("2").generation(1L)));
        ResourceEvent<V1ConfigMap> spec = new ResourceEvent.Updated<>(
                before, object(m -> m.resourceVersion("2").generation(2L)));
        ResourceEvent<V1ConfigMap> labels = new ResourceEvent.Updated<>(
                before, object(m -> m.resourceVersion("2").generation(1L).labels(Map.of("a", "b"))));
        ResourceEvent<V1ConfigMap> annotations = new ResourceEvent.Updated<>(
                before, object(m -> m.resourceVersion("2").generation(1L).annotations(Map.of("a", "b"))));

        assertPasses(EventPredicates.resourceVersionChanged(), status, true);
        assertPasses(EventPredicates.generationChanged(), status, false);
        assertPasses(EventPredicates.generationChanged(), spec, true);
        assertPasses(EventPredicates.generationChanged(), labels, false);
        assertPasses(EventPredicates.labelsChanged(), labels, true);
        assertPasses(EventPredicates.labelsChanged(), annotations, false);
        assertPasses(EventPredicates.annotationsChanged(), annotations, true);
        assertPasses(EventPredicates.annotationsChanged(), labels, false);
    }

    @Test
    void letObjectsWithoutGenerationThrough() {
        V1ConfigMap before = object(metadata -> metadata.resourceVersion("1"));
        V1ConfigMap after = object(metadata -> metadata.resourceVersion("2"));
        assertPasses(EventPredicates.generationChanged(), new ResourceEvent.Updated<>(before, after), true);
    }

    @Test
    void takeNoLabelsForEmptyLabels() {
        V1ConfigMap before = object(metadata -> metadata.labels(null));
        V1ConfigMap after = object(metadata -> metadata.labels(Map.of()));
        assertPasses(EventPredicates.labelsChanged(), new ResourceEvent.Updated<>(before, after), false);
    }

    @Test
    void combine() {
        EventPredicate<V1ConfigMap> yes = event -> true;
        EventPredicate<V1ConfigMap> no = event -> false;
        ResourceEvent<V1ConfigMap> event = new ResourceEvent.Generic<>(object(metadata -> {}));
        assertPasses(yes.and(no), event, false);
        assertPasses(yes.or(no), event, true);
        assertPasses(EventPredicates.or(no, yes), event, true);
        assertPasses(EventPredicates.or(no, no), event, false);
        assertPasses(EventPredicates.not(no), event, true);
        assertPasses(yes.negate(), event, false);
    }

    @Test
    void selectByLabelsWhatMatchesOrMatchedBefore() {
        EventPredicate<V1ConfigMap> mine =
                EventPredicates.labels(LabelSelector.and(EqualityMatcher.equal("team", "mine")));
        V1ConfigMap none = object(metadata -> {});
        V1ConfigMap matching = object(metadata -> metadata.labels(Map.of("team", "mine")));
        V1ConfigMap other = object(metadata -> metadata.labels(Map.of("team", "other")));

        assertPasses(mine, new ResourceEvent.Created<>(matching, true), true);
        assertPasses(mine, new ResourceEvent.Created<>(other, true), false);
        assertPasses(mine, new ResourceEvent.Deleted<>(none, true), false);
        assertPasses(mine, new ResourceEvent.Updated<>(matching, other), true);
        assertPasses(mine, new ResourceEvent.Updated<>(other, matching), true);
        assertPasses(mine, new ResourceEvent.Updated<>(other, none), false);
    }

    @Test
    void selectByNamespaceAndBothOfTwo() {
        EventPredicate<V1ConfigMap> here = EventPredicates.namespaces(Set.of("here"));
        ResourceEvent<V1ConfigMap> inside =
                new ResourceEvent.Created<>(object(metadata -> metadata.namespace("here")), false);
        assertPasses(here, inside, true);
        assertPasses(here, new ResourceEvent.Created<>(object(metadata -> metadata.namespace("there")), false), false);
        assertPasses(here, new ResourceEvent.Created<>(object(metadata -> metadata.namespace(null)), false), false);
        assertPasses(EventPredicates.and(here, event -> false), inside, false);
        assertPasses(EventPredicates.and(here, event -> true), inside, true);
    }

    private static void assertPasses(
            EventPredicate<V1ConfigMap> predicate, ResourceEvent<V1ConfigMap> event, boolean expected) {
        assertThat(predicate.test(event)).isEqualTo(expected);
    }

    private static V1ConfigMap object(Consumer<V1ObjectMeta> change) {
        V1ObjectMeta metadata = new V1ObjectMeta().namespace("default").name("one");
        change.accept(metadata);
        return new V1ConfigMap().metadata(metadata);
    }
}
