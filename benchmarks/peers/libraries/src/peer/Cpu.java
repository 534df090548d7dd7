package peer;

import java.lang.management.ManagementFactory;

/** Processor time, since other processes may have the machine meanwhile. */
public final class Cpu {

    private Cpu() {}

    /** Nanoseconds that this thread has had. */
    public static long ofThread() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** Nanoseconds that this JVM has had, with those of its compilers and collector. */
    public static long ofProcess() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }
}
