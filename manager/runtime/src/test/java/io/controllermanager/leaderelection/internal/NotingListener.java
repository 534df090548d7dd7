package io.controllermanager.leaderelection.internal;

import java.util.List;

/** Notes who has acquired and lost, such as {@code a acquired}; on whatever thread it is told. */
class NotingListener implements LeadershipListener {

    private final String name;
    private final List<String> notices;

    NotingListener(String name, List<String> notices) {
        this.name = name;
        this.notices = notices;
    }

    @Override
    public void onAcquired() {
        notices.add(name + " acquired");
    }

    @Override
    public void onLost() {
        notices.add(name + " lost");
    }
}
