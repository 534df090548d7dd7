package io.controllermanager.spring.actuate.info;

import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/** Adds {@code versions}, by what they are of, and {@code startedAt}, the time when the JVM started. */
public final class VersionsInfoContributor implements InfoContributor {

    private static final String CLIENT_JAVA = "/META-INF/maven/io.kubernetes/client-java-api/pom.properties";
    private static final String STARTER =
            "/META-INF/maven/io.controllermanager/controller-manager-spring-boot-starter/pom.properties";

    private final Supplier<@Nullable String> kubernetes;
    private final Map<String, String> own = new LinkedHashMap<>();
    private final Instant startedAt =
            Instant.ofEpochMilli(ManagementFactory.getRuntimeMXBean().getStartTime());

    /**
     * Reads the libraries' versions.
     *
     * @param application the application's own version, null if it is not known
     * @param kubernetes the API server's version, null while it is not known
     */
    public VersionsInfoContributor(@Nullable String application, Supplier<@Nullable String> kubernetes) {
        this.kubernetes = kubernetes;
        put("application", application);
        put("controllerManager", versionIn(STARTER, VersionsInfoContributor.class));
        put("clientJava", versionIn(CLIENT_JAVA, ApiClient.class));
        own.put("springBoot", SpringBootVersion.getVersion());
        own.put("java", Runtime.version().toString());
    }

    @Override
    public void contribute(Info.Builder builder) {
        Map<String, String> versions = new LinkedHashMap<>();
        String known = kubernetes.get();
        if (known != null) {
            versions.put("kubernetes", known);
        }
        versions.putAll(own);
        builder.withDetail("versions", versions).withDetail("startedAt", startedAt);
    }

    private void put(String of, @Nullable String version) {
        if (version != null) {
            own.put(of, version);
        }
    }

    /** What a jar says that Maven has made; null where classes come from a folder. */
    private static @Nullable String versionIn(String resource, Class<?> beside) {
        try (InputStream pom = beside.getResourceAsStream(resource)) {
            if (pom == null) {
                return null;
            }
            Properties properties = new Properties();
            properties.load(pom);
            return properties.getProperty("version");
        } catch (IOException e) {
            return null;
        }
    }
}
