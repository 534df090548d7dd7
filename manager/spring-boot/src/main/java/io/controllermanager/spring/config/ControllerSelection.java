package io.controllermanager.spring.config;

import java.util.Collection;
import java.util.List;

/**
 * Which controllers are on, in the meaning of kube-controller-manager's {@code --controllers}: {@code *} all that are on
 * by default, {@code foo} that one, {@code -foo} not that one. A controller's own name decides, wherever it stands (the
 * first of {@code foo} and {@code -foo}); only where neither is listed does {@code *} count. Taken from
 * k8s.io/controller-manager, {@code IsControllerEnabled}.
 *
 * @param entries the list's entries, without blanks around them
 */
public record ControllerSelection(List<String> entries) {

    public ControllerSelection {
        entries = entries.stream()
                .map(String::strip)
                .filter(entry -> !entry.isEmpty())
                .toList();
    }

    /** Whether the list switches a controller on. */
    public boolean includes(String name, boolean onByDefault) {
        boolean all = false;
        for (String entry : entries) {
            if (entry.equals(name)) {
                return true;
            }
            if (entry.equals("-" + name)) {
                return false;
            }
            all |= entry.equals("*");
        }
        return all && onByDefault;
    }

    /** The names in the list, with or without {@code -}, that are none of the known ones. */
    public List<String> unknown(Collection<String> known) {
        return entries.stream()
                .filter(entry -> !entry.equals("*"))
                .map(entry -> entry.startsWith("-") ? entry.substring(1) : entry)
                .filter(name -> !known.contains(name))
                .distinct()
                .toList();
    }
}
