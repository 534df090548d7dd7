package io.controllermanager.docs;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * A class as somebody edits it: its head, and its members by name. Imports are not part of it.
 *
 * @param head all before the brace, with comments and annotations; empty for members alone
 * @param members their texts with comments, by what they are: a method's name has the number of its parameters
 */
record JavaSource(String head, Map<String, String> members) {

    private static final Pattern TYPE = Pattern.compile("(?m)^(public |final )*(class|interface|record|enum) \\w+");
    private static final Pattern PREAMBLE = Pattern.compile("(?m)^(package|import) .*\\R");
    private static final Pattern ELISION = Pattern.compile("(?m)^\\s*…\\s*$");

    /** What a file or a block of code has. A line with … has no meaning here: what is not shown stays. */
    static JavaSource of(String text) {
        String code = ELISION.matcher(PREAMBLE.matcher(text).replaceAll("")).replaceAll("");
        boolean whole = TYPE.matcher(code).find();
        return parse(whole ? code : "class Members {\n" + code + "}\n", whole);
    }

    private static JavaSource parse(String code, boolean whole) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavacTask task =
                (JavacTask) compiler.getTask(null, null, null, List.of("-proc:none"), null, List.of(file(code)));
        try {
            CompilationUnitTree unit = task.parse().iterator().next();
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            ClassTree type = (ClassTree) unit.getTypeDecls().get(0);
            int brace = code.indexOf('{', code.indexOf(" " + type.getSimpleName() + " "));
            Map<String, String> members = new LinkedHashMap<>();
            int from = brace + 1;
            for (Tree member : type.getMembers()) {
                int to = (int) positions.getEndPosition(unit, member);
                if (to > from) { // What the compiler adds has no place of its own.
                    members.put(name(member), code.substring(from, to));
                    from = to;
                }
            }
            return new JavaSource(whole ? code.substring(0, brace) : "", members);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String name(Tree member) {
        if (member instanceof MethodTree method) {
            return "method " + method.getName() + "/" + method.getParameters().size();
        }
        return member instanceof VariableTree field
                ? "field " + field.getName()
                : "type " + ((ClassTree) member).getSimpleName();
    }

    private static JavaFileObject file(String code) {
        return new SimpleJavaFileObject(URI.create("string:///Block.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return code;
            }
        };
    }

    /** This with the members of a block in the place of those of the same name, and its head if it has one. */
    JavaSource with(JavaSource block) {
        Map<String, String> merged = new LinkedHashMap<>(members);
        merged.putAll(block.members);
        return new JavaSource(block.head.isEmpty() ? head : block.head, merged);
    }

    /** The file, fields first. */
    String text() {
        return head + "{\n"
                + members.entrySet().stream()
                        .sorted((one, other) -> Boolean.compare(isMethod(one.getKey()), isMethod(other.getKey())))
                        .map(Map.Entry::getValue)
                        .collect(Collectors.joining())
                + "\n}\n";
    }

    private static boolean isMethod(String name) {
        return name.startsWith("method ");
    }

    /** What it says, however it is laid out, ordered and commented. */
    Map<String, String> meaning() {
        Map<String, String> meaning = new TreeMap<>();
        meaning.put("", bare(head));
        members.forEach((name, text) -> meaning.put(name, bare(text)));
        return meaning;
    }

    private static String bare(String text) {
        return Page.normalise(text.replaceAll("(?s)/\\*.*?\\*/|(?m)//.*$", ""));
    }
}
