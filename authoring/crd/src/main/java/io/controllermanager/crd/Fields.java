package io.controllermanager.crd;

import com.google.gson.annotations.SerializedName;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a class that Gson reads and writes: those of its superclasses first, none that are static or transient.
 *
 * @param field the field
 * @param name its name in JSON
 * @param variables what the type variables of the class that declares it stand for
 * @param file what the file of that class says
 * @param constructed whether a constructor of the class that is read fills in what JSON lacks
 */
record Fields(Field field, String name, Map<TypeVariable<?>, TypeUse> variables, ClassFile file, boolean constructed) {

    /** Those of a class as it is used somewhere, for the values of its type variables. */
    static List<Fields> of(Class<?> type, Map<TypeVariable<?>, TypeUse> variables, Place place) {
        boolean constructed = Stream.of(type.getDeclaredConstructors())
                .anyMatch(made -> made.getParameterCount() == 0
                        || made.toString().endsWith("kotlin.jvm.internal.DefaultConstructorMarker)"));
        return of(type, variables, constructed, place);
    }

    private static List<Fields> of(
            Class<?> type, Map<TypeVariable<?>, TypeUse> variables, boolean constructed, Place place) {
        List<Fields> fields = new ArrayList<>();
        ClassFile file = ClassFile.of(type, place);
        Class<?> parent = type.getSuperclass();
        if (parent != null && parent != Object.class && parent != Record.class) {
            TypeUse use = TypeUse.of(type.getAnnotatedSuperclass(), file.nullable("", place), "", variables);
            fields.addAll(of(parent, use.variables(), constructed, place));
        }
        for (Field field : type.getDeclaredFields()) {
            int modifiers = field.getModifiers();
            if (!Modifier.isStatic(modifiers) && !Modifier.isTransient(modifiers) && !field.isSynthetic()) {
                SerializedName given = field.getAnnotation(SerializedName.class);
                String name = given == null ? field.getName() : given.value();
                fields.add(new Fields(field, name, variables, file, constructed));
            }
        }
        return fields;
    }

    /** The type, with the annotations of the field, of its getter and, in Kotlin, of the parameter that declares it. */
    TypeUse use(Place at) {
        Set<String> nullable = file.nullable(field.getName(), at);
        List<AnnotatedElement> elements = new ArrayList<>(List.of(field, field.getAnnotatedType()));
        for (Method getter : getters()) {
            elements.addAll(List.of(getter, getter.getAnnotatedReturnType()));
            if (file.nullable(getter.getName() + "()", at).contains("")) {
                nullable.add("");
            }
        }
        Parameter parameter = parameter();
        if (parameter != null) {
            elements.addAll(List.of(parameter, parameter.getAnnotatedType()));
        }
        TypeUse use = TypeUse.of(field.getAnnotatedType(), nullable, "", variables);
        Set<Annotation> annotations = Annotations.of(elements.toArray(AnnotatedElement[]::new));
        annotations.addAll(use.annotations());
        return new TypeUse(use.type(), annotations, use.nullable(), use.arguments());
    }

    /** The parameter that declares it in Kotlin, null if there is none. */
    @Nullable
    Parameter parameter() {
        return file.kotlin() == null ? null : file.kotlin().parameter(field);
    }

    /** Whether Kotlin gives it a value where JSON has none. */
    boolean hasDefault(Place at) {
        return constructed && file.kotlin() != null && file.kotlin().hasDefault(field, at);
    }

    private List<Method> getters() {
        String bean = Character.toUpperCase(field.getName().charAt(0))
                + field.getName().substring(1);
        List<String> names = List.of(field.getName(), "is" + bean, "get" + bean);
        return Stream.of(field.getDeclaringClass().getDeclaredMethods())
                .filter(method -> names.contains(method.getName()) && method.getReturnType() == field.getType())
                .filter(method -> method.getParameterCount() == 0 && !Modifier.isStatic(method.getModifiers()))
                .toList();
    }
}
