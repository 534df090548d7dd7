package io.controllermanager.app.monitoring;

import io.controllermanager.app.support.Manifests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.Yaml;

/** The dashboard as it is shipped. */
final class Dashboard {

    static final Path FILE =
            Manifests.configDirectory().resolveSibling("charts/controller-manager/files/dashboard.json");

    private Dashboard() {}

    /** All panels but the rows that head them. JSON is YAML, too. */
    static List<Map<String, Object>> panels() throws IOException {
        return AlertRules.maps(new Yaml().load(Files.readString(FILE)), "panels")
                .filter(panel -> !"row".equals(panel.get("type")))
                .toList();
    }
}
