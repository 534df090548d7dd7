package io.controllermanager.testing.controlplane;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** What go.mod says. */
final class GoModule {

    private GoModule() {}

    static String versionOf(String module) throws IOException {
        try (InputStream file =
                Objects.requireNonNull(ControlPlane.class.getResourceAsStream("binaries/go.mod"), "go.mod")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(String::strip)
                    .filter(line -> line.startsWith(module + " v"))
                    .map(line -> line.substring(module.length() + 1))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
