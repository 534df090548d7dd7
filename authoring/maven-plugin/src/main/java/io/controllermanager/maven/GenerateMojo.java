package io.controllermanager.maven;

import java.util.ArrayList;
import java.util.List;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.plugins.annotations.ResolutionScope;

/**
 * Writes the CRDs of the module's classes with {@code @CustomResource}, the rights of its controllers with {@code
 * @Reconciles}, and the rights and manifests of its webhooks. A change that breaks stored objects is refused, and no file of
 * its folder is written then.
 */
@Mojo(
        name = "generate",
        defaultPhase = LifecyclePhase.PROCESS_CLASSES,
        requiresDependencyResolution = ResolutionScope.COMPILE_PLUS_RUNTIME,
        threadSafe = true)
public final class GenerateMojo extends GeneratedFilesMojo {

    /** Whether to write also what breaks stored objects, for types of which none are stored. */
    @Parameter(property = "controller-manager.allow-breaking-changes", defaultValue = "false")
    private boolean allowBreakingChanges;

    @Override
    void settle(GeneratedFolder folder, List<FileChange> changes) throws MojoFailureException {
        List<String> refused = new ArrayList<>();
        for (FileChange change : changes) {
            if (!allowBreakingChanges && !change.breaks().isEmpty()) {
                refused.add(Messages.broken(shown(folder), change));
            }
        }
        if (!refused.isEmpty()) {
            throw new MojoFailureException(String.join("\n", refused) + "\n" + Messages.waysOut(command()));
        }
        for (FileChange change : changes) {
            folder.make(change);
            GeneratedFolder packaged = packaged(folder);
            if (packaged != null) {
                packaged.make(change);
            }
            getLog().info((change.generated() == null ? "Deleted " : "Wrote ") + shown(folder) + "/" + change.name());
        }
    }
}
