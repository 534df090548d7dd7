package io.controllermanager.testing.controlplane;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The one directory that holds all a control plane writes.
 *
 * @param root readable by its owner alone, for it holds private keys
 */
record PlaneDirectory(Path root) {

    static PlaneDirectory createIn(Path parent) {
        try {
            Files.createDirectories(parent);
            PlaneDirectory directory =
                    new PlaneDirectory(Files.createTempDirectory(parent.toAbsolutePath(), "control-plane-"));
            Files.createDirectory(directory.processIds());
            return directory;
        } catch (IOException e) {
            throw new ControlPlaneException("No directory could be made in " + parent + ".", e);
        }
    }

    /** Holds one empty file for each process of the plane, named after its id. */
    Path processIds() {
        return path("pids");
    }

    Path path(String name) {
        return root.resolve(name);
    }

    Path log(String program) {
        return path(program + ".log");
    }

    Path write(String name, String text) {
        try {
            return Files.writeString(path(name), text);
        } catch (IOException e) {
            throw new ControlPlaneException(path(name) + " could not be written.", e);
        }
    }
}
