package io.controllermanager.manager.internal;

import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.internal.Controller;
import io.controllermanager.controller.internal.Shard;
import io.controllermanager.controller.internal.journal.Journal;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.List;

/** What operators see of a controller's keys. Any thread may call. */
record KeyView(HostedController hosted, HostParts parts) {

    KeyExplanation explain(Request key) {
        hosted.registration().descriptor().checkKey(key);
        Journal.TimeLine known = parts.journal().of(hosted.name(), key);
        return new KeyExplanation(
                hosted.name(),
                Keys.shown(key),
                wait(key, known).sentence(),
                known.records(),
                known.quiet(),
                known.quietAt());
    }

    private KeyWait wait(Request key, Journal.TimeLine known) {
        ControllerStatus status = hosted.view().status();
        Controller ours = hosted.stopped() ? null : hosted.runner().controller();
        Shard shard = ours == null ? null : ours.shardOf(key);
        int number = shard == null ? 0 : shard.number();
        ShardWork work = hosted.shards().get(number);
        // A key without a shard is nobody's: what is said of its object comes first.
        boolean worksHere = shard == null || shard.isOpen();
        String detail = status.detail();
        if (status.state() == ControllerState.RUNNING && worksHere && !ControllerView.REQUEUEING.equals(detail)) {
            detail = hosted.view().inTheWayOf(key);
        } else if (hosted.isDivided() && !worksHere) {
            detail = hosted.view().shards().get(number).detail();
        }
        KubernetesObject object = hosted.sources().held(key);
        List<String> finalizers = object == null || object.getMetadata().getDeletionTimestamp() == null
                ? null
                : object.getMetadata().getFinalizers();
        return new KeyWait(
                hosted.name(),
                Keys.shown(key),
                status.state(),
                detail,
                hosted.isDivided() && shard != null ? number : null,
                hosted.isDivided() && shard == null ? null : work.holder(),
                work.isHeld(),
                worksHere,
                hosted.view().lackOf(key),
                ours == null ? null : ours.pausedBy(key),
                ours == null ? null : ours.place(key),
                status.workers(),
                known,
                finalizers,
                object == null ? null : parts.annotations().reconcileAt());
    }
}
