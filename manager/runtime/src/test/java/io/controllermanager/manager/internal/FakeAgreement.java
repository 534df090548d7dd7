package io.controllermanager.manager.internal;

import io.controllermanager.leaderelection.internal.ShardAgreement;
import org.jspecify.annotations.Nullable;

/** What a test says of whether others divide the controller alike. */
final class FakeAgreement implements ShardAgreement {

    volatile @Nullable String obstacle;
    volatile boolean agrees = true;
    private volatile Runnable listener = () -> {};

    void change(boolean newAgrees) {
        agrees = newAgrees;
        listener.run();
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
    public void onAgreement(Runnable newListener) {
        listener = newListener;
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
