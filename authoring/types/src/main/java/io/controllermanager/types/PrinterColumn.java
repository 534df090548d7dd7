package io.controllermanager.types;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A column of {@code kubectl get}. Columns stand in the order of their annotations. The age comes last by itself, as kubectl
 * shows it of types without columns.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Repeatable(PrinterColumn.List.class)
public @interface PrinterColumn {

    /** The heading. */
    String name();

    /** Where the value is in an object, such as {@code .spec.host} or {@code .status.conditions[?(@.type=="Ready")].status}. */
    String jsonPath();

    /**
     * {@code string}, {@code integer}, {@code number}, {@code boolean} or {@code date} (shown as an age). Unless given it follows
     * from the Java type at the path.
     */
    String type() default "";

    /** The OpenAPI format of the value, such as {@code int64}; none unless given. */
    String format() default "";

    /** What the column shows. */
    String description() default "";

    /** 0 for a column that is always there, more for one that {@code -o wide} shows. */
    int priority() default 0;

    /** Several columns; Java makes it. */
    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    @interface List {

        /** The columns. */
        PrinterColumn[] value();
    }
}
