package io.controllermanager.app.rights;

import static io.controllermanager.app.rights.Stage.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.rights.Proof.Group;
import io.kubernetes.client.openapi.ApiException;

/**
 * What is asked for when somebody else asks the pods: who that is, and whether that one may. The answers are remembered, so
 * that each time it is somebody new.
 */
final class EndpointWork implements Work {

    private static final String METRICS = "/actuator/prometheus";

    /** Where those who read metrics may not look. */
    private static final String ELSEWHERE = "/actuator/info";

    private final Stage stage;
    private final Readers readers;

    EndpointWork(Stage stage, Readers readers) {
        this.stage = stage;
        this.readers = readers;
    }

    @Override
    public void round(String name) throws Exception {
        String token = readers.nextToken();
        soon("metrics are read", () -> assertThat(status(METRICS, token)).isEqualTo(200));
        if (stage.release().authenticates()) {
            assertThat(status(METRICS, "")).isEqualTo(401);
            assertThat(status(ELSEWHERE, token)).isEqualTo(403);
        }
    }

    @Override
    public boolean needs(Right right) {
        return right.group().equals("authentication.k8s.io") || right.group().equals("authorization.k8s.io");
    }

    @Override
    public Proof proof(Right right) {
        String[] token = {""};
        boolean whoThatIs = right.group().equals("authentication.k8s.io");
        return Proof.of(
                        right,
                        Group.WRITES,
                        () -> status(METRICS, token[0]),
                        "metrics cannot be read",
                        () -> assertThat(status(METRICS, token[0])).isEqualTo(503),
                        () -> assertThat(status(METRICS, token[0])).isEqualTo(200))
                .prepared(() -> {
                    token[0] = readers.nextToken();
                    if (!whoThatIs) {
                        // Then it is known whose token it is.
                        assertThat(status(ELSEWHERE, token[0])).isEqualTo(403);
                    }
                });
    }

    private int status(String path, String token) {
        return stage.pod().get(path, token).statusCode();
    }

    /** Service accounts that may read metrics and nothing else. */
    interface Readers {

        /** A token of one that has not been seen before. */
        String nextToken() throws ApiException;
    }
}
