package io.controllermanager.readiness;

/** What runs Pods: readiness as kstatus tells it of Kubernetes' own workloads. */
final class Workloads {

    private Workloads() {}

    static Readiness deployment(ObjectState deployment) {
        if ("ProgressDeadlineExceeded".equals(deployment.condition("Progressing", "reason"))) {
            return deployment.failed(
                    "ProgressDeadlineExceeded", deployment.message("Progressing", "makes no progress"));
        }
        long wanted = deployment.number(1, "spec", "replicas");
        long all = deployment.number(0, "status", "replicas");
        long updated = deployment.number(0, "status", "updatedReplicas");
        long available = deployment.number(0, "status", "availableReplicas");
        if (updated < wanted) {
            return few(deployment, updated, wanted, "updated");
        }
        if (all > updated) {
            return deployment.progressing("ReplicasEnding", "has " + (all - updated) + " old replicas to end");
        }
        if (available < wanted) {
            return few(deployment, available, wanted, "available");
        }
        if (deployment.number(0, "status", "readyReplicas") < wanted) {
            return few(deployment, deployment.number(0, "status", "readyReplicas"), wanted, "ready");
        }
        return "False".equals(deployment.status("Available"))
                ? deployment.progressing("NotAvailable", deployment.message("Available", "is not available"))
                : deployment.ready();
    }

    static Readiness replicaSet(ObjectState set) {
        if (set.is("ReplicaFailure")) {
            return set.progressing("ReplicaFailure", set.message("ReplicaFailure", "cannot make its Pods"));
        }
        return replicas(set, "availableReplicas", "available");
    }

    static Readiness statefulSet(ObjectState set) {
        Readiness replicas = replicas(set, "readyReplicas", "ready");
        if (!replicas.isReady()
                || set.text("", "spec", "updateStrategy", "type").equals("OnDelete")) {
            return replicas;
        }
        long wanted = set.number(1, "spec", "replicas");
        long partition = set.number(0, "spec", "updateStrategy", "rollingUpdate", "partition");
        long updated = set.number(0, "status", "updatedReplicas");
        if (partition > 0) {
            long due = Math.max(0, wanted - partition);
            return updated < due ? few(set, updated, due, "updated") : replicas;
        }
        return set.text("", "status", "currentRevision").equals(set.text("", "status", "updateRevision"))
                ? replicas
                : few(set, updated, wanted, "updated");
    }

    /** Whether as many replicas as wanted are counted in a field of the status, and no more are there. */
    private static Readiness replicas(ObjectState set, String field, String what) {
        long wanted = set.number(1, "spec", "replicas");
        long counted = set.number(0, "status", field);
        long all = set.number(0, "status", "replicas");
        if (counted < wanted) {
            return few(set, counted, wanted, what);
        }
        return all > wanted
                ? set.progressing("ReplicasEnding", "has " + (all - wanted) + " replicas to end")
                : set.ready();
    }

    static Readiness daemonSet(ObjectState set) {
        long wanted = set.number(0, "status", "desiredNumberScheduled");
        long updated = set.number(0, "status", "updatedNumberScheduled");
        long available = set.number(0, "status", "numberAvailable");
        long ready = set.number(0, "status", "numberReady");
        if (updated < wanted) {
            return few(set, updated, wanted, "updated");
        }
        if (available < wanted) {
            return few(set, available, wanted, "available");
        }
        return ready < wanted ? few(set, ready, wanted, "ready") : set.ready();
    }

    static Readiness job(ObjectState job) {
        if (job.is("Complete")) {
            return Readiness.ready("JobComplete", "the Job is complete");
        }
        if (job.is("Failed")) {
            return job.failed("Failed", job.message("Failed", "has failed"));
        }
        if (job.is("Suspended")) {
            return job.progressing("Suspended", "is suspended");
        }
        long wanted = job.number(job.number(1, "spec", "parallelism"), "spec", "completions");
        return job.counted(
                "NotComplete", job.number(0, "status", "succeeded") + " of " + wanted + " completions are done");
    }

    static Readiness pod(ObjectState pod) {
        return switch (pod.text("Pending", "status", "phase")) {
            case "Succeeded" -> Readiness.ready("PodSucceeded", "the Pod has succeeded");
            case "Failed" -> pod.failed("Failed", "has failed");
            default ->
                pod.is("Ready")
                        ? pod.ready()
                        : pod.progressing(
                                "NotReady",
                                "False".equals(pod.status("PodScheduled"))
                                        ? pod.message("PodScheduled", "has no node yet")
                                        : pod.message("Ready", "is not ready"));
        };
    }

    private static Readiness few(ObjectState object, long some, long all, String what) {
        return object.counted("NotReady", some + " of " + all + " replicas are " + what);
    }
}
