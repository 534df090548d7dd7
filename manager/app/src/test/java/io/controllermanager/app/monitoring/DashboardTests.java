package io.controllermanager.app.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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

    /** Of a single point Grafana draws none. */
    @Test
    void numbersWithASparklineAreAskedForOverTime() throws Exception {
        assertThat(panels("stat")).isNotEmpty().allSatisfy(panel -> {
            boolean sparkline = !"none"
                    .equals(AlertRules.<Map<String, Object>>value(panel, "options")
                            .get("graphMode"));
            assertThat(AlertRules.maps(panel, "targets"))
                    .allSatisfy(target -> assertThat(target).containsEntry("range", sparkline));
        });
    }

    /** What a pattern finds are lines of several controllers, which would all get its colour. */
    @Test
    void noColourIsGivenToSeveralLines() throws Exception {
        assertThat(Dashboard.panels())
                .flatMap(panel -> AlertRules.maps(AlertRules.value(panel, "fieldConfig"), "overrides")
                        .toList())
                .isNotEmpty()
                .filteredOn(override -> override.toString().contains("byRegexp"))
                .allSatisfy(override -> assertThat(override.toString()).doesNotContain("id=color"));
    }

    /** Nothing but zeros Grafana draws against a scale that ends at 100. */
    @Test
    void scalesOfCountsEndAtOneAtLeast() throws Exception {
        assertThat(panels("timeseries"))
                .filteredOn(panel -> panel.toString().contains("unit=short"))
                .isNotEmpty()
                .allSatisfy(panel -> assertThat(panel.toString()).contains("axisSoftMax=1"));
    }

    /** A pod and its address are as long as a third of the page. */
    @Test
    void aProcessIsNamedByItsPodAlone() throws Exception {
        assertThat(Dashboard.panels())
                .flatMap(panel -> AlertRules.maps(panel, "targets").toList())
                .noneMatch(target ->
                        AlertRules.<String>value(target, "legendFormat").contains("instance"));
    }

    private static List<Map<String, Object>> panels(String type) throws IOException {
        return Dashboard.panels().stream()
                .filter(panel -> type.equals(panel.get("type")))
                .toList();
    }
}
