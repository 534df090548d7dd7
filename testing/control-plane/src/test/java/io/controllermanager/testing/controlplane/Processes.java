package io.controllermanager.testing.controlplane;

/** What the operating system says about processes. */
final class Processes {

    private Processes() {}

    /**
     * Whether it runs. One that is dead and waits for its parent to notice has no command any more: in containers
     * whose first process is no init, nobody notices orphans.
     */
    static boolean isRunning(long id) {
        return ProcessHandle.of(id).flatMap(process -> process.info().command()).isPresent();
    }
}
