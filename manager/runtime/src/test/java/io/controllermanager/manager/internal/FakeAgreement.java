package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.leaderelection.internal.ShardAgreement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** What a test says of whether others divide the controller alike. */
final class FakeAgreement implements ShardAgreement {

    volatile @Nullable String obstacle;
    volatile boolean agrees = true;
    final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    void change(boolean newAgrees) {
        agrees = newAgrees;
        listeners.forEach(Runnable::run);
    }

    @Override
    public @Nullable String disagreement() {
        return agrees ? null : "the anchor says otherwise";
    }

    @Override
    public boolean isContradicted() {
        return !agrees;
    }

    @Override
    public Registration onAgreement(Runnable listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    @Override
    public boolean mayHaveObstacle() {
        return true;
    }

    @Override
    public @Nullable String obstacle() {
        return obstacle;
    }
}
