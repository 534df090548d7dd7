package io.controllermanager.client.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A cluster, user or context of a kubeconfig.
 *
 * @param source the kubeconfig, for messages
 * @param name how messages call it, such as {@code kubeconfig /etc/a: user "me"}
 * @param values its fields; paths are absolute
 */
record KubeconfigEntry(String source, String name, Map<String, Object> values) {

    /** A field's text, null if it has none. */
    @Nullable
    String string(String field) {
        return values.get(field) instanceof String text ? text : null;
    }

    /**
     * A field's list, empty if it has none.
     *
     * @throws ApiAccessException if it is no list
     */
    List<String> strings(String field) {
        return strings(values.get(field), field + " ");
    }

    List<String> strings(@Nullable Object value, String what) {
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof List<?> list)) {
            throw new ApiAccessException(name + ": " + what + value + " is no list");
        }
        return list.stream().map(String::valueOf).toList();
    }

    /**
     * What stands in the field {@code what-data} as base64, else in the file that the field {@code what} names; null if
     * neither is there.
     *
     * @throws ApiAccessException if it cannot be read
     */
    byte @Nullable [] data(String what) {
        String data = string(what + "-data");
        try {
            if (data != null && !data.isEmpty()) {
                return Base64.getMimeDecoder().decode(data);
            }
            String file = string(what);
            return file == null || file.isEmpty() ? null : Files.readAllBytes(Path.of(file));
        } catch (IllegalArgumentException e) {
            throw new ApiAccessException(source + ": " + what + "-data is not base64", e);
        } catch (IOException e) {
            throw new ApiAccessException(source + ": cannot read " + what + " " + string(what) + ": " + reason(e), e);
        }
    }

    /** The JDK's message for a file that is not there is its name. */
    private static String reason(IOException e) {
        return e instanceof NoSuchFileException ? "there is no such file" : FailureMessage.words(e);
    }
}
