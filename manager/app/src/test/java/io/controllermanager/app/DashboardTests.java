package io.controllermanager.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** What Grafana would not complain of, but people would. */
class DashboardTests {

    @Test
    void eachPanelSaysWhatItShowsAndInWhichUnit() throws Exception {
        assertThat(Dashboard.panels()).hasSizeGreaterThan(30).allSatisfy(panel -> {
            assertThat(AlertRules.<String>value(panel, "title")).isNotBlank();
            assertThat(AlertRules.<String>value(panel, "description")).endsWith(".");
            assertThat(panel.toString()).contains("unit=");
            assertThat(panel.get("datasource")).isEqualTo(Map.of("type", "prometheus", "uid", "${datasource}"));
        });
    }

    @Test
    void panelsHaveTheirOwnPlaceAndNumber() throws Exception {
        Map<String, Object> dashboard = new Yaml().load(Files.readString(Dashboard.FILE));
        Set<Object> ids = new HashSet<>();
        Set<List<Integer>> cells = new HashSet<>();
        AlertRules.maps(dashboard, "panels").forEach(panel -> {
            assertThat(ids.add(panel.get("id")))
                    .as("id of " + panel.get("title"))
                    .isTrue();
            Map<String, Integer> place = AlertRules.value(panel, "gridPos");
            int left = AlertRules.<Integer>value(place, "x");
            int top = AlertRules.<Integer>value(place, "y");
            for (int x = left; x < left + AlertRules.<Integer>value(place, "w"); x++) {
                for (int y = top; y < top + AlertRules.<Integer>value(place, "h"); y++) {
                    assertThat(x).isLessThan(24);
                    assertThat(cells.add(List.of(x, y)))
                            .as("nothing else where " + panel.get("title") + " is")
                            .isTrue();
                }
            }
        });
        assertThat(dashboard)
                .containsEntry("uid", "controller-manager")
                .containsKeys("schemaVersion", "version", "title");
    }
}
