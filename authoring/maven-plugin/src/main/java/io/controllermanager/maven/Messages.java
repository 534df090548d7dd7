package io.controllermanager.maven;

import java.util.List;

/** What the goals say when they fail. */
final class Messages {

    static final String WAYS_OUT = """
            Leave the old version as it is and make the change in a new one, a class of its own. If no objects are stored, run
            controller-manager:generate with -Dcontroller-manager.allow-breaking-changes=true.""";

    private Messages() {}

    /** What breaks if one file is changed. */
    static String broken(String folder, FileChange change) {
        return folder + "/" + change.name() + " would break objects that are stored:\n  "
                + String.join("\n  ", change.breaks());
    }

    /** How files differ from what the classes say. */
    static String drift(String folder, List<FileChange> changes) {
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
        return message.append(
                        breaks
                                ? WAYS_OUT
                                : "Run mvn process-classes controller-manager:generate in this module and commit the result.")
                .toString();
    }
}
