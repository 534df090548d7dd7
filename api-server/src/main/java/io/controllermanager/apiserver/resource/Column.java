package io.controllermanager.apiserver.resource;

/**
 * A column of kubectl's tables.
 *
 * @param name its title
 * @param type such as string, integer or date
 * @param description what it says
 * @param priority above 0 for what only {@code -o wide} shows
 * @param path a JSONPath; of a built-in type it may say more, as the table of them explains
 */
public record Column(String name, String type, String format, String description, int priority, String path) {

    /** Reads the short form of the built-in table. */
    static Column parse(String text) {
        String[] parts = text.split("=", 2);
        boolean wide = parts[0].startsWith("!");
        String[] title = (wide ? parts[0].substring(1) : parts[0]).split(":", 2);
        String type = title.length > 1 ? title[1] : "string";
        String format = title[0].equals("Name") ? "name" : "";
        return new Column(title[0], type, format, "", wide ? 1 : 0, parts[1]);
    }
}
