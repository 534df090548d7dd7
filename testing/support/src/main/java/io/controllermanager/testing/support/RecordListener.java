package io.controllermanager.testing.support;

import java.time.Clock;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Writes the {@link TestRecord}: a line for each class of the outermost level, when all in it has ended. */
public final class RecordListener implements TestExecutionListener {

    private final Optional<TestRecord> record = TestRecord.configured();
    private final Set<String> failed = ConcurrentHashMap.newKeySet();
    private volatile Optional<TestPlan> plan = Optional.empty();

    @Override
    public void testPlanExecutionStarted(TestPlan started) {
        plan = Optional.of(started);
    }

    @Override
    public void executionFinished(TestIdentifier node, TestExecutionResult result) {
        if (record.isEmpty()) {
            return;
        }
        if (result.getStatus() != Status.SUCCESSFUL) {
            failed.add(outermostClass(node));
        }
        Optional<String> name = TestRecord.className(node.getSource());
        if (name.isPresent() && outermostClass(node).equals(node.getUniqueId())) {
            record.get().add(Clock.systemUTC().instant(), !failed.contains(node.getUniqueId()), name.get());
        }
    }

    /** The id of the class that has this node in it, or the node's own if there is none. */
    private String outermostClass(TestIdentifier node) {
        String outermost = node.getUniqueId();
        for (Optional<TestIdentifier> at = Optional.of(node); at.isPresent(); at = parent(at.get())) {
            if (TestRecord.className(at.get().getSource()).isPresent()) {
                outermost = at.get().getUniqueId();
            }
        }
        return outermost;
    }

    private Optional<TestIdentifier> parent(TestIdentifier node) {
        return plan.flatMap(tests -> tests.getParent(node));
    }
}
