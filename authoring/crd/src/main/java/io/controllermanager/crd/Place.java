package io.controllermanager.crd;

import java.util.ArrayList;
import java.util.List;

/**
 * Where in a type something stands.
 *
 * @param root the class with {@code @CustomResource}
 * @param path the way there in JSON, such as {@code .spec.ports[]}; empty at the root
 * @param around the classes that it is part of, outermost first
 */
record Place(Class<?> root, String path, List<Class<?>> around) {

    static Place of(Class<?> root) {
        return new Place(root, "", List.of());
    }

    Place field(String name) {
        return new Place(root, path + "." + name, around);
    }

    Place item() {
        return new Place(root, path + "[]", around);
    }

    Place value() {
        return new Place(root, path + "{}", around);
    }

    /** The same place, with all further ones inside the class. A class within itself has no schema without references. */
    Place inside(Class<?> type) {
        if (around.contains(type)) {
            throw invalid(type.getName()
                    + " contains itself, and a CRD's schema cannot; declare the field as Object to take any value");
        }
        List<Class<?>> more = new ArrayList<>(around);
        more.add(type);
        return new Place(root, path, List.copyOf(more));
    }

    InvalidTypeException invalid(String what) {
        return new InvalidTypeException(root.getName() + (path.isEmpty() ? "" : ": " + path) + ": " + what);
    }
}
