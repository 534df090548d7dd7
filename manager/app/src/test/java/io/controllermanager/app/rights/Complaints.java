package io.controllermanager.app.rights;

import java.util.List;

/** What a process has to complain of, by its log in JSON. */
final class Complaints {

    private Complaints() {}

    /**
     * Its lines at WARN and above, but for those that say that the API server is slow, as it is on a busy machine, or has yet to
     * make the storage of a type that is just installed.
     */
    static List<String> of(String log) {
        return log.lines()
                .filter(line -> line.contains("\"WARN\"") || line.contains("\"ERROR\""))
                .filter(line -> !line.contains("cannot be reached"))
                .filter(line -> !line.contains("API server not reached"))
                .filter(line -> !line.contains("API server cannot be asked now"))
                .filter(line -> !line.contains("storage is (re)initializing"))
                .toList();
    }
}
