package io.controllermanager.testing.controlplane;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.stream.Stream;

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

    /** Copies a directory with all that is in it in the place of another, if there is one. */
    void copy(String from, String to) {
        try {
            if (Files.exists(path(to))) {
                try (Stream<Path> old = Files.walk(path(to)).sorted(Comparator.reverseOrder())) {
                    for (Path file : (Iterable<Path>) old::iterator) {
                        Files.delete(file);
                    }
                }
            }
            try (Stream<Path> all = Files.walk(path(from))) {
                for (Path file : (Iterable<Path>) all::iterator) {
                    Files.copy(file, path(to).resolve(path(from).relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        } catch (IOException e) {
            throw new ControlPlaneException(path(from) + " could not be copied.", e);
        }
    }

    Path write(String name, String text) {
        try {
            return Files.writeString(path(name), text);
        } catch (IOException e) {
            throw new ControlPlaneException(path(name) + " could not be written.", e);
        }
    }
}
