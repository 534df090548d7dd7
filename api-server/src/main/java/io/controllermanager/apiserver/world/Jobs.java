package io.controllermanager.apiserver.world;

import static io.controllermanager.apiserver.world.Part.count;

import io.controllermanager.apiserver.validation.Schedule;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;

/** The controllers of Jobs and CronJobs. Failed Pods are replaced without a back-off, and have no index. */
final class Jobs {

    private Jobs() {}

    private static boolean isFinished(Part job) {
        return job.has("Complete") || job.has("Failed");
    }

    static void job(Part job) {
        int ttl = job.tree.at("/spec/ttlSecondsAfterFinished").asInt(-1);
        String end = job.has("Complete") ? "Complete" : "Failed";
        if (!isFinished(job)) {
            run(job);
        } else if (ttl >= 0 && job.isPast(job.since(end).plusSeconds(ttl))) {
            job.world.delete(job);
        }
    }

    private static void run(Part job) {
        List<Part> pods = job.children("pods");
        List<Part> active = pods.stream().filter(Part::isActive).toList();
        // What was counted once counts, also when the Pod is gone.
        int succeeded = Math.max(job.number("/status/succeeded"), count(pods, pod -> pod.isIn("Succeeded")));
        int failed = Math.max(job.number("/status/failed"), count(pods, pod -> pod.isIn("Failed")));
        int restarted = Part.total(active, "/status/containerStatuses/0/restartCount");
        int limit = job.number("/spec/backoffLimit");
        boolean fails = job.has("FailureTarget") || failed > limit || (restarted > 0 && restarted >= limit);
        if (fails && !job.has("FailureTarget")) {
            // Noted before its Pods go, which would tell of it; what runs counts as failed.
            job.set("FailureTarget", true, "BackoffLimitExceeded");
            job.count("failed", failed + active.size());
            job.world.save(job);
            return;
        }
        boolean suspended = job.spec().path("suspend").asBoolean();
        int parallelism = job.number("/spec/parallelism");
        // Without completions one success is enough: then what runs ends, and nothing takes its place.
        int open = succeeded > 0 ? active.size() : Math.max(1, parallelism);
        int missing = job.spec().path("completions").asInt(open + succeeded) - succeeded;
        job.scale(active, suspended || fails ? 0 : Math.max(0, Math.min(parallelism, missing)));
        job.status.put("startTime", job.status.path("startTime").asText(job.stamp()));
        job.count("succeeded", succeeded);
        job.count("failed", failed);
        job.count("active", active.size());
        job.count("ready", count(active, Part::isReady));
        if (suspended || job.has("Suspended")) {
            job.set("Suspended", suspended, suspended ? "JobSuspended" : "JobResumed");
        }
        if (suspended) {
            job.status.remove("startTime");
        } else if (fails) {
            job.set("Failed", true, "BackoffLimitExceeded");
        } else if (missing <= 0) {
            job.set("SuccessCriteriaMet", true, "CompletionsReached");
            job.set("Complete", true, "CompletionsReached");
            job.status.put("completionTime", job.stamp());
        }
    }

    static void cronJob(Part cron) {
        List<Part> jobs = cron.children("jobs.batch");
        List<Part> active = jobs.stream().filter(job -> !isFinished(job)).toList();
        forget(cron, jobs, "Complete", cron.number("/spec/successfulJobsHistoryLimit"));
        forget(cron, jobs, "Failed", cron.number("/spec/failedJobsHistoryLimit"));
        cron.status.remove("active");
        active.forEach(job -> cron.status.withArray("active").add(job.reference()));
        Instant time = cron.spec().path("suspend").asBoolean() ? Instant.MIN : scheduled(cron);
        String policy = cron.text("/spec/concurrencyPolicy");
        if (time.isAfter(Instant.MIN) && (active.isEmpty() || !policy.equals("Forbid"))) {
            cron.status.put("lastScheduleTime", time.toString());
            cron.world.save(cron);
            if (policy.equals("Replace")) {
                active.forEach(cron.world::delete);
            }
            String name = cron.name() + "-" + time.getEpochSecond() / 60;
            cron.world.create(cron.child("batch/v1", "Job", name, cron.tree.at("/spec/jobTemplate")));
        }
    }

    /** Deletes the Jobs that came to an end before the last few. */
    private static void forget(Part cron, List<Part> jobs, String end, int limit) {
        List<Part> ended = jobs.stream().filter(job -> job.has(end)).toList();
        ended.stream().limit(Math.max(0, ended.size() - limit)).forEach(cron.world::delete);
    }

    /** The newest time for which a Job is to be started now; {@link Instant#MIN} if there is none, or no schedule. */
    private static Instant scheduled(Part cron) {
        try {
            Instant last = Instant.MIN;
            ZoneId zone = ZoneId.of(cron.tree.at("/spec/timeZone").asText("UTC"));
            Instant created = cron.time("/metadata/creationTimestamp", cron.world.now());
            Instant since = cron.time("/status/lastScheduleTime", created);
            // A month at most, so that a clock that leaps takes no long time.
            int deadline = cron.spec().path("startingDeadlineSeconds").asInt(31 * 24 * 3600);
            Instant first = cron.world.now().minusSeconds(deadline);
            Schedule schedule = Schedule.of(cron.text("/spec/schedule"));
            Instant next = schedule.next(since.isBefore(first) ? first : since, zone);
            for (; cron.isPast(next); next = schedule.next(next, zone)) {
                last = next;
            }
            return last;
        } catch (RuntimeException e) {
            return Instant.MIN;
        }
    }
}
