package io.controllermanager.maven;

import io.controllermanager.maven.GeneratedFolder.Generated;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.maven.artifact.DependencyResolutionRequiredException;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Resource;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.project.MavenProject;
import org.jspecify.annotations.Nullable;

/** A goal that compares generated files with those that are there; what it does then is its own. */
abstract class GeneratedFilesMojo extends AbstractMojo {

    /**
     * Where CRDs are. Outside of the module it may hold those of other modules too: what no class makes any more is left there, for
     * you to delete.
     */
    @Parameter(property = "controller-manager.crd-directory", defaultValue = "${project.basedir}/config/crd")
    @SuppressWarnings("NullAway.Init") // Maven sets it.
    private File crdDirectory;

    /** Where the rights of controllers are. */
    @Parameter(
            property = "controller-manager.rights-directory",
            defaultValue = "${project.basedir}/src/main/resources/META-INF/controller-manager/rbac")
    @SuppressWarnings("NullAway.Init")
    private File rightsDirectory;

    /** Where the manifests of webhooks are. */
    @Parameter(property = "controller-manager.webhook-directory", defaultValue = "${project.basedir}/config/webhook")
    @SuppressWarnings("NullAway.Init")
    private File webhookDirectory;

    /** What to run to write the files, shown when a goal fails. Needed only where the plugin is built by the same project. */
    @Parameter(property = "controller-manager.command")
    private @Nullable String command;

    /**
     * Where a copy of the module's CRDs is, such as in a folder of a chart. None unless given. The CRDs of a library are yours to copy,
     * without their first line, which says that they are generated.
     */
    @Parameter
    private @Nullable File crdCopyDirectory;

    /** Where a copy of the manifests of webhooks is, such as in a folder of a chart. None unless given. */
    @Parameter
    private @Nullable File webhookCopyDirectory;

    /**
     * Where an application has a copy of what each of its controllers declares, those of its libraries too, such as a folder of
     * a chart. Each .yaml in it counts as such a copy, unless the goal writes other files there too. None unless given.
     */
    @Parameter
    private @Nullable File rightsCopyDirectory;

    /**
     * The manifest of a Role or ClusterRole for all controllers of an application: what follows its line {@code rules:} is made.
     * None unless given.
     */
    @Parameter
    private @Nullable File role;

    @Parameter(defaultValue = "${project.build.sourceEncoding}", readonly = true)
    @SuppressWarnings("NullAway.Init")
    private String encoding;

    @Parameter(defaultValue = "${project}", readonly = true, required = true)
    @SuppressWarnings("NullAway.Init")
    private MavenProject project;

    @Parameter(defaultValue = "${session}", readonly = true, required = true)
    @SuppressWarnings("NullAway.Init")
    private MavenSession session;

    @Override
    public final void execute() throws MojoExecutionException, MojoFailureException {
        Map<Path, List<Generator>> generators = new LinkedHashMap<>();
        add(generators, crdDirectory.toPath(), new CrdGenerator(crdDirectory.toPath(), getLog()::warn));
        if (crdCopyDirectory != null) {
            add(generators, crdCopyDirectory.toPath(), new CrdGenerator(crdCopyDirectory.toPath(), told -> {}));
        }
        add(generators, rightsDirectory.toPath(), new RightsGenerator());
        add(generators, rightsDirectory.toPath(), new WebhookRightsGenerator());
        add(generators, webhookDirectory.toPath(), new WebhookGenerator(project.getArtifactId()));
        if (webhookCopyDirectory != null) {
            add(generators, webhookCopyDirectory.toPath(), new WebhookGenerator(project.getArtifactId()));
        }
        if (rightsCopyDirectory != null) {
            add(generators, rightsCopyDirectory.toPath(), new RightsCopyGenerator());
        }
        if (role != null) {
            Path file = role.toPath();
            add(generators, file.resolveSibling(""), new RoleGenerator(file));
        }
        try (URLClassLoader loader = new URLClassLoader(
                        urls(project::getCompileClasspathElements), getClass().getClassLoader());
                URLClassLoader runtime = new URLClassLoader(urls(project::getRuntimeClasspathElements), null)) {
            CompiledModule module = new CompiledModule(
                    Path.of(project.getBuild().getOutputDirectory()),
                    loader,
                    runtime,
                    project.getCompileSourceRoots().stream().map(Path::of).toList(),
                    encoding == null ? Charset.defaultCharset() : Charset.forName(encoding));
            Map<String, Exception> failures = new LinkedHashMap<>();
            for (Map.Entry<Path, List<Generator>> entry : generators.entrySet()) {
                try {
                    settle(module, entry.getKey(), new MergedGenerator(entry.getValue()));
                } catch (IllegalArgumentException | MojoFailureException e) {
                    failures.putIfAbsent(e.getMessage(), e);
                }
            }
            if (!failures.isEmpty()) {
                Iterator<Exception> causes = failures.values().iterator();
                MojoFailureException failure =
                        new MojoFailureException(String.join("\n", failures.keySet()), causes.next());
                causes.forEachRemaining(failure::addSuppressed);
                throw failure;
            }
        } catch (IOException e) {
            throw new MojoExecutionException("Cannot read the module's class path", e);
        }
    }

    private void settle(CompiledModule module, Path path, MergedGenerator generator) throws MojoFailureException {
        GeneratedFolder folder = new GeneratedFolder(path, generated(path, generator));
        Map<String, String> generated = generator.generate(module);
        Map<String, String> committed = folder.read(generated.keySet());
        List<FileChange> changes = FileChange.between(committed, generated, generator);
        getLog().info(generated.size() + " files in " + shown(folder) + ", of which " + changes.size() + " differ");
        settle(folder, changes);
    }

    /** Adds a generator to those of its folder, however its path is written. */
    static void add(Map<Path, List<Generator>> generators, Path folder, Generator generator) {
        generators
                .computeIfAbsent(folder.toAbsolutePath().normalize(), path -> new ArrayList<>())
                .add(generator);
    }

    private Generated generated(Path folder, MergedGenerator generator) {
        if (generator.onlyCopies()) {
            return Generated.ALL;
        }
        return folder.startsWith(project.getBasedir().toPath()) ? Generated.MARKED : Generated.NAMED;
    }

    /** Does what the goal does about files that are not what the classes say. */
    abstract void settle(GeneratedFolder folder, List<FileChange> changes) throws MojoFailureException;

    /** The command that writes the files. */
    final String command() {
        return Messages.generate(
                command,
                Path.of(session.getExecutionRootDirectory()),
                project.getBasedir().toPath());
    }

    /** The folder as seen from the module. */
    final String shown(GeneratedFolder folder) {
        Path base = project.getBasedir().toPath();
        return folder.folder().startsWith(base)
                ? base.relativize(folder.folder()).toString()
                : folder.folder().toString();
    }

    /** The copy among the module's classes, where resources have been copied already; null if the folder is no resource. */
    final @Nullable GeneratedFolder packaged(GeneratedFolder folder) {
        for (Resource resource : project.getResources()) {
            Path from = Path.of(resource.getDirectory());
            if (folder.folder().startsWith(from)) {
                return new GeneratedFolder(
                        Path.of(project.getBuild().getOutputDirectory()).resolve(from.relativize(folder.folder())),
                        folder.generated());
            }
        }
        return null;
    }

    /** One of the module's class paths. */
    @FunctionalInterface
    private interface ClassPath {
        List<String> elements() throws DependencyResolutionRequiredException;
    }

    private static URL[] urls(ClassPath classPath) throws MojoExecutionException {
        List<URL> urls = new ArrayList<>();
        try {
            for (String element : classPath.elements()) {
                urls.add(Path.of(element).toUri().toURL());
            }
        } catch (DependencyResolutionRequiredException | MalformedURLException e) {
            throw new MojoExecutionException("Cannot tell the module's class path", e);
        }
        return urls.toArray(URL[]::new);
    }
}
