package io.controllermanager.spring.application;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * What an application is called and its version: by {@code META-INF/build-info.properties}, which the goal {@code
 * build-info} of Spring Boot's Maven plugin writes, else by the manifest of its jar.
 *
 * @param name for people
 * @param version null if neither says it
 */
record ApplicationVersion(String name, @Nullable String version) {

    static ApplicationVersion of(Class<?> application) {
        Properties info = new Properties();
        try (InputStream file = application.getResourceAsStream("/META-INF/build-info.properties")) {
            if (file != null) {
                info.load(file);
            }
        } catch (IOException e) {
            // As if it were not there.
        }
        return new ApplicationVersion(
                info.getProperty("build.artifact", application.getSimpleName()),
                info.getProperty("build.version", application.getPackage().getImplementationVersion()));
    }

    @Override
    public String toString() {
        return name + " " + (version == null ? "unknown" : version);
    }
}
