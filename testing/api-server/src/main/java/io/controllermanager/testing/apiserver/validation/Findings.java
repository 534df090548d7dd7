package io.controllermanager.testing.apiserver.validation;

import io.controllermanager.testing.apiserver.http.StatusException.Cause;
import java.util.ArrayList;
import java.util.List;

/** What is wrong with an object, in the words of apimachinery's field errors; values are shown as JSON. */
final class Findings {

    final List<Cause> causes = new ArrayList<>();

    void required(String field, String why) {
        add("Required", "Required value" + (why.isEmpty() ? "" : ": " + why), field);
    }

    void invalid(String field, Object value, String why) {
        add("Invalid", "Invalid value: " + value + ": " + why, field);
    }

    void duplicate(String field, Object value) {
        add("Duplicate", "Duplicate value: " + value, field);
    }

    void forbidden(String field, String why) {
        add("Forbidden", "Forbidden: " + why, field);
    }

    void tooLong(String field, int most) {
        add("TooLong", "Too long: may not be more than " + most + " bytes", field);
    }

    void add(String reason, String message, String field) {
        causes.add(new Cause("FieldValue" + reason, message, field));
    }
}
