package io.controllermanager.apiserver.world;

import static io.controllermanager.apiserver.world.MovingCluster.BATCH;
import static io.controllermanager.apiserver.world.MovingCluster.CORE;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jobs and CronJobs. */
class JobsTest {

    private static final String JOB = BATCH + "jobs/j";
    private static final String CRON = BATCH + "cronjobs/c";

    private final MovingCluster cluster = new MovingCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    private static String spec(String policy) {
        return "'template': {'spec': {'restartPolicy': '" + policy
                + "', 'containers': [{'name': 'main', 'image': 'i:1'}]}}";
    }

    private void create(String spec) {
        cluster.create(BATCH + "jobs", "{'metadata': {'name': 'j'}, 'spec': {" + spec + spec("Never") + "}}");
    }

    private void createCron(String spec) {
        cluster.create(
                BATCH + "cronjobs",
                "{'metadata': {'name': 'c'}, 'spec': {" + spec + "'jobTemplate': {'spec': {" + spec("Never") + "}}}}");
    }

    @Test
    void complete() {
        create("'completions': 3, 'parallelism': 2, ");

        JsonNode status = cluster.status(JOB);
        assertThat(status.path("succeeded").asInt()).isEqualTo(3);
        assertThat(status.has("active")).isFalse();
        assertThat(status.path("completionTime").asText()).isEqualTo("2026-01-01T00:00:30Z");
        assertThat(cluster.condition(JOB, "SuccessCriteriaMet")).isEqualTo("True CompletionsReached");
        assertThat(cluster.condition(JOB, "Complete")).isEqualTo("True CompletionsReached");
        assertThat(cluster.each(CORE + "pods?labelSelector=job-name=j", "/status/phase"))
                .containsExactly("Succeeded", "Succeeded", "Succeeded");
    }

    @Test
    void completeAfterSomeFailures() {
        cluster.server.world().when(Step.COMPLETE, "Job", "j").failing(2);
        create("");
        assertThat(cluster.status(JOB).path("failed").asInt()).isEqualTo(2);
        assertThat(cluster.status(JOB).path("succeeded").asInt()).isEqualTo(1);
        assertThat(cluster.condition(JOB, "Complete")).isEqualTo("True CompletionsReached");
    }

    @Test
    void failBeyondTheirLimit() {
        cluster.server.world().when(Step.COMPLETE, "Job", "j").failing(100);
        create("'backoffLimit': 2, ");
        assertThat(cluster.status(JOB).path("failed").asInt()).isEqualTo(3);
        assertThat(cluster.condition(JOB, "FailureTarget")).isEqualTo("True BackoffLimitExceeded");
        assertThat(cluster.condition(JOB, "Failed")).isEqualTo("True BackoffLimitExceeded");
    }

    @Test
    void failBeyondTheLimitOfRestarts() {
        cluster.server.world().when(Step.COMPLETE, "Job", "j").failing(3);
        cluster.create(
                BATCH + "jobs", "{'metadata': {'name': 'j'}, 'spec': {'backoffLimit': 2, " + spec("OnFailure") + "}}");
        assertThat(cluster.condition(JOB, "Failed")).isEqualTo("True BackoffLimitExceeded");
        assertThat(cluster.status(JOB).has("succeeded")).isFalse();
        assertThat(cluster.status(JOB).path("failed").asInt()).isEqualTo(1);
        assertThat(cluster.names(CORE + "pods")).isEmpty();
    }

    @Test
    void failWhoseContainersRestartBeforeTheyAreReady() {
        cluster.server.world().when(Step.READY, "Job", "j").failing(3);
        cluster.server.world().when(Step.COMPLETE, "Job", "j").never();
        cluster.create(
                BATCH + "jobs", "{'metadata': {'name': 'j'}, 'spec': {'backoffLimit': 2, " + spec("OnFailure") + "}}");
        assertThat(cluster.condition(JOB, "Failed")).isEqualTo("True BackoffLimitExceeded");
        assertThat(cluster.names(CORE + "pods")).isEmpty();
    }

    @Test
    void succeedWhoseContainersRestartLessOftenThanTheirLimit() {
        cluster.server.world().when(Step.COMPLETE, "Job", "j").failing(1);
        cluster.create(
                BATCH + "jobs",
                "{'metadata': {'name': 'j'}, 'spec': {'completions': 3, 'backoffLimit': 2, " + spec("OnFailure")
                        + "}}");
        assertThat(cluster.condition(JOB, "Complete")).isEqualTo("True CompletionsReached");
        assertThat(cluster.condition(JOB, "Failed")).isEmpty();
    }

    @Test
    void goOnWhileNothingRunsAndNothingHasSucceeded() {
        create("'parallelism': 0, ");
        assertThat(cluster.condition(JOB, "Complete")).isEmpty();

        cluster.patch(JOB, "{'spec': {'parallelism': 1}}");
        assertThat(cluster.condition(JOB, "Complete")).isEqualTo("True CompletionsReached");
    }

    @Test
    void replaceNoPodsAfterASuccessWhereTheyDoNotCountThem() {
        cluster.server.world().when(Step.COMPLETE, "Job", "j").failing(1);
        create("'parallelism': 3, ");
        assertThat(cluster.status(JOB).path("failed").asInt()).isEqualTo(1);
        assertThat(cluster.status(JOB).path("succeeded").asInt()).isEqualTo(2);
        assertThat(cluster.condition(JOB, "Complete")).isEqualTo("True CompletionsReached");
    }

    @Test
    void waitWhileTheyAreSuspended() {
        create("'suspend': true, ");
        assertThat(cluster.condition(JOB, "Suspended")).isEqualTo("True JobSuspended");
        assertThat(cluster.names(CORE + "pods")).isEmpty();

        cluster.patch(JOB, "{'spec': {'suspend': false}}");
        assertThat(cluster.condition(JOB, "Complete")).isEqualTo("True CompletionsReached");
        assertThat(cluster.condition(JOB, "Suspended")).isEqualTo("False JobResumed");
    }

    @Test
    void goSomeTimeAfterTheirEnd() {
        create("'ttlSecondsAfterFinished': 60, ");
        cluster.advance(Duration.ofSeconds(59));
        assertThat(cluster.names(BATCH + "jobs")).containsExactly("j");

        cluster.advance(Duration.ofSeconds(1));
        assertThat(cluster.names(BATCH + "jobs")).isEmpty();
        assertThat(cluster.names(CORE + "pods")).isEmpty();
    }

    @Test
    void leaveTheirPodsWhereNoPolicyIsGiven() {
        cluster.server.world().when(Step.COMPLETE, "Job", "j").never();
        create("");
        cluster.delete(JOB);
        assertThat(cluster.names(BATCH + "jobs")).isEmpty();
        assertThat(cluster.each(CORE + "pods", "/metadata/ownerReferences/0/name"))
                .containsExactly("");
    }

    @Test
    void takeTheirPodsWithThemInTheBackground() {
        cluster.server.world().when(Step.COMPLETE, "Job", "j").never();
        create("");
        cluster.delete(JOB + "?propagationPolicy=Background");
        assertThat(cluster.names(CORE + "pods")).isEmpty();
    }

    @Test
    void areStartedByACronJob() {
        createCron("'schedule': '*/5 * * * *', ");
        assertThat(cluster.names(BATCH + "jobs")).isEmpty();
        assertThat(cluster.server.runWorld()).isEqualTo(Duration.ofSeconds(270));

        cluster.advance(Duration.ofMinutes(5));

        // Minutes since 1970.
        assertThat(cluster.names(BATCH + "jobs")).containsExactly("c-29453765");
        JsonNode status = cluster.status(CRON);
        assertThat(status.path("lastScheduleTime").asText()).isEqualTo("2026-01-01T00:05:00Z");
        assertThat(status.has("active")).isFalse();
    }

    @Test
    void areKeptUpToALimit() {
        createCron("'schedule': '* * * * *', 'successfulJobsHistoryLimit': 2, ");
        for (int minute = 0; minute < 5; minute++) {
            cluster.advance(Duration.ofMinutes(1));
            cluster.get(CRON);
        }
        assertThat(cluster.names(BATCH + "jobs")).containsExactly("c-29453764", "c-29453765");
    }

    @Test
    void areNotStartedBesideOthersWhereThatIsForbidden() {
        Rule rule = cluster.server.world().when(Step.COMPLETE, "CronJob", "c").never();
        createCron("'schedule': '* * * * *', 'concurrencyPolicy': 'Forbid', ");
        cluster.advance(Duration.ofMinutes(1));
        cluster.get(CRON);
        cluster.advance(Duration.ofMinutes(1));
        assertThat(cluster.names(BATCH + "jobs")).containsExactly("c-29453761");
        assertThat(cluster.status(CRON).at("/active/0/name").asText()).isEqualTo("c-29453761");

        rule.after(Duration.ZERO);
        assertThat(cluster.names(BATCH + "jobs")).containsExactly("c-29453761", "c-29453762");
    }

    @Test
    void replaceOthersWhereTheyAreTo() {
        cluster.server.world().when(Step.COMPLETE, "CronJob", "c").never();
        createCron("'schedule': '* * * * *', 'concurrencyPolicy': 'Replace', ");
        cluster.advance(Duration.ofMinutes(1));
        cluster.get(CRON);
        cluster.advance(Duration.ofMinutes(1));
        assertThat(cluster.names(BATCH + "jobs")).containsExactly("c-29453762");
    }

    @Test
    void areNotStartedTooLateOrWhileSuspended() {
        createCron("'schedule': '0 * * * *', 'startingDeadlineSeconds': 60, 'suspend': true, ");
        cluster.advance(Duration.ofMinutes(62));
        cluster.get(CRON);
        cluster.patch(CRON, "{'spec': {'suspend': false}}");
        assertThat(cluster.names(BATCH + "jobs")).isEmpty();

        cluster.advance(Duration.ofMinutes(58));
        assertThat(cluster.names(BATCH + "jobs")).hasSize(1);
    }
}
