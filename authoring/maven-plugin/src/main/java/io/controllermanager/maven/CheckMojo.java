package io.controllermanager.maven;

import java.util.List;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.ResolutionScope;

/**
 * Fails the build if the CRDs, rights and manifests that are there are not those of the module's classes. It writes nothing.
 * Its phase is the last before the tests, which apply these files. An earlier one would stop {@code process-classes
 * controller-manager:generate},
 * which mends what it finds, and {@code spring-boot:test-run}, with which an author tries out a change.
 */
@Mojo(
        name = "check",
        defaultPhase = LifecyclePhase.PROCESS_TEST_CLASSES,
        requiresDependencyResolution = ResolutionScope.COMPILE_PLUS_RUNTIME,
        threadSafe = true)
public final class CheckMojo extends GeneratedFilesMojo {

    @Override
    void settle(GeneratedFolder folder, List<FileChange> changes) throws MojoFailureException {
        if (!changes.isEmpty()) {
            throw new MojoFailureException(Messages.drift(shown(folder), changes, command()));
        }
    }
}
