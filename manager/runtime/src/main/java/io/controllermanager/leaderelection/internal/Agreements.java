package io.controllermanager.leaderelection.internal;

import io.controllermanager.client.Registration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Several anchors, each of which has to agree. */
record Agreements(List<DivisionCheck> all) implements ShardAgreement {

    @Override
    public @Nullable String disagreement() {
        return first(ShardAgreement::disagreement);
    }

    @Override
    public boolean isContradicted() {
        return all.stream().anyMatch(ShardAgreement::isContradicted);
    }

    @Override
    public Registration onAgreement(Runnable listener) {
        List<Registration> each =
                all.stream().map(one -> one.onAgreement(listener)).toList();
        return () -> each.forEach(Registration::close);
    }

    @Override
    public boolean mayHaveObstacle() {
        return all.stream().anyMatch(ShardAgreement::mayHaveObstacle);
    }

    @Override
    public @Nullable String obstacle() {
        return first(ShardAgreement::obstacle);
    }

    private @Nullable String first(Function<ShardAgreement, @Nullable String> problem) {
        return all.stream()
                .<@Nullable String>map(problem)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }
}
