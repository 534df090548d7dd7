package io.controllermanager.maven;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the goals say when they fail. */
final class Messages {

    private Messages() {}

    /**
     * The command that writes a module's files, from where Maven was started. Such a module alone: Maven knows the plugin by its
     * short name only where the first module that it builds declares it.
     *
     * @param given the command of a project that needs one of its own, null if it needs none
     * @param root where Maven was started
     * @param module the module's folder
     */
    static String generate(@Nullable String given, Path root, Path module) {
        if (given != null) {
            return given;
        }
        String path = root.relativize(module).toString().replace('\\', '/');
        return "mvn " + (path.isEmpty() ? "" : "-pl " + path + " ") + "process-classes controller-manager:generate";
    }

    /** What to do instead of a change that breaks stored objects. */
    static String waysOut(String generate) {
        return "Keep what is there and add a field beside it, or change it in a new version and write a Converter between the two;"
                + " without one, each version that is served has to take and keep what is stored in another. Once no stored object is broken, run\n"
                + generate
                + " -Dcontroller-manager.allow-breaking-changes=true";
    }

    /** What breaks if one file is changed. */
    static String broken(String folder, FileChange change) {
        return folder + "/" + change.name() + " would break objects that are stored:\n  "
                + String.join("\n  ", change.breaks());
    }

    /**
     * How files differ from what the classes say.
     *
     * @param generate the command that writes them
     */
    static String drift(String folder, List<FileChange> changes, String generate) {
        StringBuilder message = new StringBuilder();
        boolean breaks = false;
        for (FileChange change : changes) {
            message.append(folder)
                    .append('/')
                    .append(change.name())
                    .append(" is not what the classes say:\n")
                    .append(change.difference())
                    .append('\n');
            if (!change.breaks().isEmpty()) {
                message.append(broken(folder, change)).append('\n');
                breaks = true;
            }
        }
        return message.append(breaks ? waysOut(generate) : "Run this and commit the result:\n" + generate)
                .toString();
    }
}
