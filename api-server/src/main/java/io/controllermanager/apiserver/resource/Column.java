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
        int equals = text.indexOf('=');
        boolean wide = text.startsWith("!");
        String[] nameAndType = text.substring(wide ? 1 : 0, equals).split(":", 2);
        String name = nameAndType[0];
        return new Column(
                name,
                nameAndType.length > 1 ? nameAndType[1] : "string",
                name.equals("Name") ? "name" : "",
                "",
                wide ? 1 : 0,
                text.substring(equals + 1));
    }
}
