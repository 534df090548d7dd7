package io.controllermanager.webhook.autoconfigure;

import org.springframework.context.LifecycleProcessor;

/** Starts nothing. */
final class NoLifecycle implements LifecycleProcessor {

    @Override
    public void onRefresh() {}

    @Override
    public void onClose() {}

    @Override
    public void start() {}

    @Override
    public void stop() {}

    @Override
    public boolean isRunning() {
        return false;
    }
}
