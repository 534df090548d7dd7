package io.controllermanager.app.install;

import com.google.gson.JsonParser;
import io.controllermanager.app.support.Programs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The Prometheus operator's CRDs, from its Go module, which Go keeps in its own cache. */
final class PrometheusOperator {

    private static final String MODULE = "github.com/prometheus-operator/prometheus-operator@v0.85.0";

    private PrometheusOperator() {}

    /** The CRDs of the kinds that the chart knows. */
    static List<Path> crds() throws IOException, InterruptedException {
        String answer = Programs.run(Path.of("go"), List.of("mod", "download", "-json", MODULE))
                .expectOut();
        Path module = Path.of(
                JsonParser.parseString(answer).getAsJsonObject().get("Dir").getAsString());
        return List.of("servicemonitors", "podmonitors", "prometheusrules").stream()
                .map(kind -> module.resolve("example/prometheus-operator-crd/monitoring.coreos.com_" + kind + ".yaml"))
                .toList();
    }
}
