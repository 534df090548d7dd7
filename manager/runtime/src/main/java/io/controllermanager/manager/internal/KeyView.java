package io.controllermanager.manager.internal;

import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.internal.Controller;
import io.controllermanager.controller.internal.Shard;
import io.controllermanager.controller.internal.journal.Journal;
import io.controllermanager.controller.internal.journal.ReconcileRecord;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What operators see of a controller's keys. Any thread may call. */
record KeyView(HostedController hosted, Journal journal) {

    KeyExplanation explain(Request key) {
        hosted.registration().descriptor().checkKey(key);
        Journal.TimeLine known = journal.of(hosted.name(), key);
        return new KeyExplanation(
                hosted.name(),
                Keys.shown(key),
                wait(key, known.records().isEmpty() ? null : known.records().get(0))
                        .sentence(),
                known.records(),
                known.quiet(),
                known.quietAt());
    }

    private KeyWait wait(Request key, @Nullable ReconcileRecord last) {
        ControllerStatus status = hosted.view().status();
        Controller ours = hosted.stopped() ? null : hosted.runner().controller();
        Shard shard = ours == null ? null : ours.shardOf(key);
        int number = shard == null ? 0 : shard.number();
        ShardWork work = hosted.shards().get(number);
        KubernetesObject object = hosted.sources().held(key);
        List<String> finalizers = object == null || object.getMetadata().getDeletionTimestamp() == null
                ? null
                : object.getMetadata().getFinalizers();
        return new KeyWait(
                hosted.name(),
                Keys.shown(key),
                status.state(),
                status.detail(),
                hosted.isDivided() && shard != null ? number : null,
                work.holder(),
                work.isHeld(),
                // A key without a shard is nobody's: what is said of its object comes first.
                shard == null || shard.isOpen(),
                hosted.sources().lackOf(key),
                ours == null ? null : ours.pausedBy(key),
                ours == null ? null : ours.place(key),
                status.workers(),
                last,
                finalizers);
    }
}
