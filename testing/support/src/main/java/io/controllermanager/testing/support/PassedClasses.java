package io.controllermanager.testing.support;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.launcher.PostDiscoveryFilter;

/** Leaves out the classes that passed before, by the {@link TestRecord}. */
public final class PassedClasses implements PostDiscoveryFilter {

    private final Set<String> passed =
            TestRecord.configured().map(TestRecord::passed).orElse(Set.of());

    /** JUnit asks for the leaves of the tree, and prunes what is empty then. */
    @Override
    public FilterResult apply(TestDescriptor node) {
        return FilterResult.includedIf(
                Stream.iterate(Optional.of(node), Optional::isPresent, at -> at.flatMap(TestDescriptor::getParent))
                        .flatMap(Optional::stream)
                        .map(TestDescriptor::getSource)
                        .map(TestRecord::className)
                        .flatMap(Optional::stream)
                        .noneMatch(passed::contains),
                () -> "has not passed yet",
                () -> "has passed, by the record");
    }
}
