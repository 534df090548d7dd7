package io.controllermanager.testing.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Scanner;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

class PortsTest {

    private static final Path RANGE = Path.of("/proc/sys/net/ipv4/ip_local_port_range");

    @Test
    @EnabledIf("kernelLeavesRoom")
    void keepsOutOfTheRangeOfOutgoingConnections() throws IOException {
        int first = firstEphemeralPort();

        assertThat(IntStream.range(0, 100).map(attempt -> Ports.free())).allMatch(port -> port < first);
    }

    static boolean kernelLeavesRoom() throws IOException {
        return RANGE.toFile().exists() && firstEphemeralPort() > 21_000;
    }

    private static int firstEphemeralPort() throws IOException {
        try (var file = new Scanner(RANGE, StandardCharsets.UTF_8)) {
            return file.nextInt();
        }
    }
}
