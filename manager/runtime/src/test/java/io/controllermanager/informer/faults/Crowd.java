package io.controllermanager.informer.faults;

import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** Others who ask as the same user at the same time, so that what may be asked at once is used up. */
final class Crowd implements AutoCloseable {

    private static final int SIZE = 3;

    private final AtomicLong turnedAway = new AtomicLong();
    private volatile boolean closed;

    Crowd(Path kubeconfig, String namespace) throws IOException {
        CoreV1Api api = new CoreV1Api(
                ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(new StringReader(Files.readString(kubeconfig))))
                        .build());
        for (int i = 0; i < SIZE; i++) {
            Thread thread = new Thread(() -> ask(api, namespace), "crowd-" + i);
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void ask(CoreV1Api api, String namespace) {
        while (!closed) {
            try {
                api.listNamespacedConfigMap(namespace).execute();
            } catch (ApiException e) {
                if (e.getCode() == 429) {
                    turnedAway.incrementAndGet();
                }
            }
        }
    }

    /** How many of its requests were answered with 429. */
    long turnedAway() {
        return turnedAway.get();
    }

    @Override
    public void close() {
        closed = true;
    }
}
