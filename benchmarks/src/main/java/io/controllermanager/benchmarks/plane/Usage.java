package io.controllermanager.benchmarks.plane;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What a process has used since it was launched.
 *
 * @param cpuSeconds processor time
 * @param peakMebibytes its largest resident set
 */
public record Usage(double cpuSeconds, long peakMebibytes) {

    /** Of a process that runs, until now. */
    public static Usage of(Process process) throws IOException {
        double cpu = process.info().totalCpuDuration().orElse(Duration.ZERO).toMillis() / 1000.0;
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status"))) {
            if (line.startsWith("VmHWM:")) {
                return new Usage(cpu, Long.parseLong(line.replaceAll("\\D", "")) / 1024);
            }
        }
        throw new IOException("no VmHWM for process " + process.pid());
    }
}
