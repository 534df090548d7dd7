package io.controllermanager.reconciler;

import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.EventSource;
import io.controllermanager.controller.EventSource.Relation;
import io.controllermanager.controller.PolicyRules;
import io.controllermanager.event.EventPredicates;
import io.controllermanager.event.RequestMapper;
import io.controllermanager.event.RequestMappers;
import io.controllermanager.informer.Selection;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** The types of a controller's children, as its description says them: what is watched and which rights that takes. */
final class ChildTypes {

    private final String controller;
    private final ResourceType<?> ownerType;
    private final List<ChildRules<?>> types = new ArrayList<>();
    private Map<String, String> labels = Map.of();
    private boolean prunes;

    ChildTypes(String controller, ResourceType<?> ownerType) {
        this.controller = controller;
        this.ownerType = ownerType;
    }

    void add(Selection<?> selection) {
        for (ChildRules<?> other : types) {
            if (other.type().equals(selection.type())) {
                throw new IllegalArgumentException("controller \"" + controller + "\" owns " + selection
                        + ", but it owns " + other.selection() + " already");
            }
        }
        types.add(ChildRules.of(selection));
    }

    /** Changes what is said of the type that was added last. */
    void last(UnaryOperator<ChildRules<?>> change) {
        if (types.isEmpty()) {
            throw new IllegalStateException("controller \"" + controller
                    + "\": owns(...) must come before what is said of the type that it names");
        }
        types.add(change.apply(types.remove(types.size() - 1)));
    }

    void labels(Map<String, String> newLabels) {
        labels = Map.copyOf(newLabels);
    }

    void prunes() {
        prunes = true;
    }

    boolean mayPrune() {
        return prunes;
    }

    boolean anyTornDown() {
        return types.stream().anyMatch(rules -> rules.tornDown(ownerType));
    }

    /** What shows on children that they are. */
    ChildLink link() {
        return new ChildLink(controller, ownerType, labels);
    }

    /** With the labels by which the caches select. */
    List<ChildRules<?>> rules() {
        return types.stream().<ChildRules<?>>map(this::labelled).toList();
    }

    private <C extends KubernetesObject> ChildRules<C> labelled(ChildRules<C> rules) {
        Selection<C> children = rules.selection();
        if (labels.isEmpty()) {
            return rules;
        }
        Selection<C> labelled = children.labelled(labels);
        return rules.with(
                children.labelSelector().isEmpty()
                        ? labelled
                        : new Selection<>(
                                children.type(),
                                children.namespaces(),
                                children.labelSelector() + "," + labelled.labelSelector(),
                                children.fieldSelector(),
                                children.transform()));
    }

    /** Adds what brings in the owners of children, and those who wait for a child's name. */
    void addSources(List<EventSource<?>> sources, NameClaims claims) {
        rules().forEach(rules -> addSources(sources, claims, rules));
    }

    private <C extends KubernetesObject> void addSources(
            List<EventSource<?>> sources, NameClaims claims, ChildRules<C> rules) {
        boolean linked = rules.linked(ownerType);
        // Whoever waits for a name is in its namespace, unless it is in none.
        Relation near = ownerType.scope() == ResourceType.Scope.NAMESPACED ? Relation.NEIGHBOUR : Relation.WATCHED;
        Relation relation = rules.namespaces() != null || rules.reachesFurther(ownerType) ? Relation.ELSEWHERE : near;
        sources.add(new EventSource<>(
                rules.selection(),
                linked ? owner() : RequestMappers.controllingOwner(ownerType),
                EventPredicates.resourceVersionChanged(),
                linked ? relation : Relation.OWNED));
        sources.add(new EventSource<>(
                rules.selection(), claims.mapper(rules.type()), NameClaims::mayHaveChangedHands, relation));
    }

    /** One whose type has become one without owner references may still have one. */
    private <C extends KubernetesObject> RequestMapper<C> owner() {
        RequestMapper<C> byReference = RequestMappers.controllingOwner(ownerType);
        ChildLink link = link();
        return child -> {
            Request owner = link.ownerOf(child);
            return owner == null ? byReference.map(child) : Set.of(owner);
        };
    }

    List<V1PolicyRule> rights() {
        List<V1PolicyRule> rights = new ArrayList<>();
        if (!types.stream().allMatch(rules -> rules.linked(ownerType))) {
            // The admission plugin OwnerReferencesPermissionEnforcement asks for it where blockOwnerDeletion is set.
            rights.add(PolicyRules.ofSubresource(ownerType, "finalizers", "update"));
        }
        if (types.stream().anyMatch(rules -> rules.adopts() != null)) {
            // Whoever adopts a child reads first whether it is still there itself.
            rights.add(PolicyRules.of(ownerType, "get"));
        }
        for (ChildRules<?> rules : types) {
            rights.add(PolicyRules.of(rules.type(), "get", "create", "patch"));
            if (prunes || rules.tornDown(ownerType)) {
                rights.add(PolicyRules.of(rules.type(), "delete"));
            }
        }
        return rights;
    }
}
