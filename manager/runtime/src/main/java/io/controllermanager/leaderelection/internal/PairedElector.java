package io.controllermanager.leaderelection.internal;

import io.controllermanager.client.internal.request.ResourceVersions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Competes for a Lease and for the one that was in its place before, and leads while this process holds both. So it never works
 * beside a process that knows only one of them. Of any two Leases all processes take the same one first, so that none waits for
 * another that waits for it. A process asks for the first one only, where Leases spread over processes; the second follows.
 */
final class PairedElector extends LeaderElector {

    private final LeaderElector former;
    private final LeaderElector first;
    private final LeaderElector second;

    /** Sends nothing before the start. */
    PairedElector(
            LeaderElectionConfig config,
            LeaderElectionConfig formerConfig,
            ElectionParts parts,
            LeaseBalance ofFirst,
            LeaseBalance ofSecond) {
        super(config, parts, isFirst(config, formerConfig) ? ofFirst : ofSecond);
        boolean own = isFirst(config, formerConfig);
        this.former = new LeaderElector(formerConfig, parts, own ? ofSecond : ofFirst);
        this.first = own ? this : former;
        this.second = own ? former : this;
    }

    private static boolean isFirst(LeaderElectionConfig one, LeaderElectionConfig other) {
        return one.lease().compareTo(other.lease()) < 0;
    }

    @Override
    public void start(LeadershipListener listener) {
        second.leaveAlone(true);
        boolean own = first == this;
        Runnable acquired = () -> secondAcquired(listener);
        super.start(listener, own ? this::firstAcquired : acquired, own ? this::firstLost : listener::onLost);
        former.start(listener, own ? acquired : this::firstAcquired, own ? listener::onLost : this::firstLost);
    }

    /** A term of the second one that is older is over, however soon after the loss this comes. */
    private void firstAcquired() {
        second.take(ElectionStep::resign);
        second.leaveAlone(false);
    }

    private void firstLost() {
        second.leaveAlone(true);
        second.take(ElectionStep::resign);
    }

    /** It was on its way when the first one was lost, or else nobody would tell of that. */
    private void secondAcquired(LeadershipListener listener) {
        listener.onAcquired();
        if (!isLeading()) {
            second.take(ElectionStep::resign);
        }
    }

    @Override
    public synchronized void stop() {
        super.stop();
        former.stop();
    }

    @Override
    public boolean isLeading() {
        return super.isLeading() && former.isLeading();
    }

    /** Both numbers only rise, and so their sum is another for each pair. */
    @Override
    public long term() {
        long own = super.term();
        long other = former.term();
        return own < 0 || other < 0 ? -1 : own + other;
    }

    /** The second one first: this process must not take it again while it gives the first one away. */
    @Override
    public boolean resign() {
        boolean led = isLeading();
        second.leaveAlone(true);
        second.take(ElectionStep::resign);
        first.take(ElectionStep::resign);
        return led;
    }

    @Override
    public void keep() {
        first.balance.handOverEnded(first.config().leaseName());
    }

    @Override
    public void standAside(boolean now) {
        first.leaveAlone(now);
    }

    @Override
    public void retryNow() {
        super.retryNow();
        former.retryNow();
    }

    @Override
    public void prepare() {
        super.prepare();
        former.prepare();
    }

    @Override
    public LeaseBalance balance() {
        return first.balance;
    }

    @Override
    LeaderElector first() {
        return first;
    }

    @Override
    public List<LeaderElector> leases() {
        return List.of(this, former);
    }

    /** What was written by the holders before of either. */
    @Override
    public Map<String, String> handOverNotes() {
        Map<String, String> notes = new TreeMap<>(super.handOverNotes());
        former.handOverNotes().forEach((type, version) -> notes.merge(type, version, ResourceVersions::later));
        return notes;
    }

    @Override
    public LeadershipStatus status() {
        return super.status().with(former.status(), isLeading());
    }

    @Override
    public boolean healthy(Duration tolerance) {
        return super.healthy(tolerance) && former.healthy(tolerance);
    }
}
