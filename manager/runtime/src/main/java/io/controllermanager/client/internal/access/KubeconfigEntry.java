package io.controllermanager.client.internal.access;

import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.transport.ApiAccessException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A cluster, user or context of a kubeconfig. A field of another type than kubectl expects is an error, without the value,
 * which may be secret.
 *
 * @param name how messages call it, such as {@code kubeconfig /etc/a: user "me"}
 * @param values its fields; paths are absolute
 */
record KubeconfigEntry(String name, Map<String, Object> values) {

    /** A field's text, null if it has none or an empty one. */
    @Nullable
    String string(String field) {
        String text = typed(values.get(field), String.class, field, "text; a number, a date or true needs quotes");
        return text == null || text.isEmpty() ? null : text;
    }

    /** Whether a field is true. */
    boolean flag(String field) {
        return Boolean.TRUE.equals(typed(values.get(field), Boolean.class, field, "true or false, without quotes"));
    }

    /** A field's list, empty if it has none. */
    List<String> strings(String field) {
        return strings(values.get(field), field);
    }

    /** A field's lists by name, empty if it has none. */
    Map<String, List<String>> lists(String field) {
        Map<String, List<String>> lists = new LinkedHashMap<>();
        Map<?, ?> map = typed(values.get(field), Map.class, field, "a map of lists");
        if (map != null) {
            map.forEach((key, list) -> lists.put(String.valueOf(key), strings(list, field + " " + key)));
        }
        return lists;
    }

    private List<String> strings(@Nullable Object value, String what) {
        List<?> list = typed(value, List.class, what, "a list of texts");
        return list == null
                ? List.of()
                : list.stream()
                        .map(each -> String.valueOf(typed(each, String.class, what, "a list of texts")))
                        .toList();
    }

    private <T> @Nullable T typed(@Nullable Object value, Class<T> type, String what, String expected) {
        refuse(value != null && !type.isInstance(value), what + " must be " + expected);
        return type.cast(value);
    }

    /** The same without a field. */
    KubeconfigEntry without(String field) {
        Map<String, Object> others = new LinkedHashMap<>(values);
        others.remove(field);
        return new KubeconfigEntry(name, others);
    }

    /** An error about this entry. */
    ApiAccessException wrong(String message) {
        return new ApiAccessException(name + ": " + message);
    }

    /** Fails if something is wrong. */
    void refuse(boolean wrong, String message) {
        if (wrong) {
            throw wrong(message);
        }
    }

    /** Whether there is what {@link #data} reads; it must not be there twice. */
    boolean one(String what) {
        boolean inline = string(what + "-data") != null;
        boolean file = string(what) != null;
        refuse(inline && file, what + " and " + what + "-data are both given, one is allowed");
        return inline || file;
    }

    /**
     * What stands in the field {@code what-data} as base64, else in the file that the field {@code what} names; null if
     * neither is there.
     *
     * @throws ApiAccessException if it cannot be read
     */
    byte @Nullable [] data(String what) {
        String data = string(what + "-data");
        String file = string(what);
        try {
            if (data != null) {
                return Base64.getDecoder().decode(data.replaceAll("\\s", ""));
            }
            return file == null ? null : Files.readAllBytes(Path.of(file));
        } catch (IllegalArgumentException e) {
            throw wrong(what + "-data is not base64");
        } catch (IOException e) {
            // The JDK's message for a file that is not there is its name.
            String reason = e instanceof NoSuchFileException ? "there is no such file" : FailureMessage.words(e);
            throw new ApiAccessException(name + ": cannot read " + what + " " + file + ": " + reason, e);
        }
    }

    /** Without the values. */
    @Override
    public String toString() {
        return name;
    }
}
