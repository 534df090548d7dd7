package io.controllermanager.crd;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Reads the documentation comments of Java sources with the JDK's parser. Nothing is compiled. */
public final class SourceComments {

    private SourceComments() {}

    /**
     * The comments of all sources in some folders. A folder that is not there holds none; what does not parse is left out, as
     * the compiler reports it anyway.
     *
     * @throws UncheckedIOException if a folder cannot be read
     * @throws IllegalStateException if the program runs on a JRE, which has no compiler
     */
    public static Comments of(Collection<Path> folders, Charset encoding) {
        List<Path> sources = folders.stream().flatMap(SourceComments::sources).toList();
        if (sources.isEmpty()) {
            return Comments.NONE;
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IllegalStateException(
                    "Documentation comments are read with a JDK's compiler, which this JRE has not");
        }
        Map<String, String> texts = new HashMap<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, Locale.ROOT, encoding)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null,
                    files,
                    diagnostic -> {},
                    List.of("-proc:none"),
                    null,
                    files.getJavaFileObjectsFromPaths(sources));
            DocTrees trees = DocTrees.instance(task);
            for (CompilationUnitTree unit : task.parse()) {
                new Scanner(trees, texts).scan(unit, null);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read the sources in " + folders, e);
        }
        return new Comments(texts);
    }

    private static Stream<Path> sources(Path folder) {
        if (!Files.isDirectory(folder)) {
            return Stream.empty();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read the sources in " + folder, e);
        }
    }

    private static final class Scanner extends TreePathScanner<@Nullable Void, @Nullable String> {

        private final DocTrees trees;
        private final Map<String, String> texts;

        Scanner(DocTrees trees, Map<String, String> texts) {
            this.trees = trees;
            this.texts = texts;
        }

        /** The argument is the binary name of the class around, null outside of any. */
        @Override
        public @Nullable Void visitClass(ClassTree type, @Nullable String around) {
            String name = around == null ? packagePrefix() + type.getSimpleName() : around + "$" + type.getSimpleName();
            DocCommentTree comment = trees.getDocCommentTree(getCurrentPath());
            if (comment != null) {
                put(name, comment.getFullBody());
                for (DocTree tag : comment.getBlockTags()) {
                    if (tag instanceof ParamTree param && !param.isTypeParameter()) {
                        put(name + "#" + param.getName(), param.getDescription());
                    }
                }
            }
            for (Tree member : type.getMembers()) {
                if (member instanceof ClassTree) {
                    scan(member, name);
                } else if (member instanceof VariableTree field) {
                    DocCommentTree said = trees.getDocCommentTree(new TreePath(getCurrentPath(), member));
                    if (said != null) {
                        put(name + "#" + field.getName(), said.getFullBody());
                    }
                }
            }
            return null;
        }

        private String packagePrefix() {
            CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
            return unit.getPackageName() == null ? "" : unit.getPackageName() + ".";
        }

        private void put(String name, List<? extends DocTree> comment) {
            String text = new PlainText(trees).of(comment);
            if (!text.isEmpty()) {
                texts.put(name, text);
            }
        }
    }
}
