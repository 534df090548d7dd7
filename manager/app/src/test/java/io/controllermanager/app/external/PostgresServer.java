package io.controllermanager.app.external;

import static org.awaitility.Awaitility.await;

import io.controllermanager.testing.controlplane.Ports;
import io.controllermanager.testing.support.SystemPrograms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL with a cluster of its own, which can be stopped and started. It refuses to run as root: the user {@code postgres},
 * which Debian's package makes, runs it then.
 */
public final class PostgresServer implements AutoCloseable {

    private static final String USER = "postgres";

    private final Path directory;
    private final Path data;
    private final int port = Ports.free();
    private @Nullable Process process;

    private PostgresServer(Path directory) {
        this.directory = directory;
        this.data = directory.resolve("data");
    }

    /** Makes a cluster in an empty folder, which may be given away to another user. */
    public static PostgresServer start(Path directory) throws IOException, InterruptedException {
        if (isRoot()) {
            Files.setOwner(
                    directory,
                    directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(USER));
        }
        PostgresServer server = new PostgresServer(directory);
        Process initdb = server.run(
                SystemPrograms.INITDB, "-D", server.data.toString(), "-U", USER, "--auth=trust", "--no-sync");
        if (initdb.waitFor() != 0) {
            throw new IllegalStateException(server.log());
        }
        server.start();
        return server;
    }

    /** Starts it again. */
    public void start() throws IOException {
        Process started = run(
                SystemPrograms.POSTGRES,
                "-D",
                data.toString(),
                "-p",
                String.valueOf(port),
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories=",
                "-c",
                "fsync=off");
        process = started;
        await("PostgreSQL answers")
                .failFast(() -> {
                    if (!started.isAlive()) {
                        throw new IllegalStateException(log());
                    }
                })
                .ignoreExceptionsInstanceOf(SQLException.class)
                .until(() -> {
                    try (Connection connection = connect()) {
                        return connection.isValid(1);
                    }
                });
    }

    /** Ends it in the midst of what it does. */
    public void kill() {
        Objects.requireNonNull(process).destroyForcibly().onExit().join();
    }

    /** Where it is, for its one user, who needs no password. */
    public String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?connectTimeout=10&socketTimeout=10&user=" + USER;
    }

    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url());
    }

    private Process run(SystemPrograms program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        if (isRoot()) {
            command.addAll(List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--clear-groups"));
        }
        command.add(program.path().toString());
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("log").toFile()))
                .start();
    }

    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }

    private String log() throws IOException {
        return Files.readString(directory.resolve("log"));
    }

    @Override
    public void close() {
        kill();
    }
}
