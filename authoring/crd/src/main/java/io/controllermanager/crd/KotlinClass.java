package io.controllermanager.crd;

import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import kotlin.Metadata;
import kotlin.jvm.JvmInline;
import kotlin.metadata.Attributes;
import kotlin.metadata.ClassKind;
import kotlin.metadata.KmAnnotation;
import kotlin.metadata.KmClass;
import kotlin.metadata.KmClassifier;
import kotlin.metadata.KmConstructor;
import kotlin.metadata.KmProperty;
import kotlin.metadata.KmType;
import kotlin.metadata.KmTypeProjection;
import kotlin.metadata.KmValueParameter;
import kotlin.metadata.jvm.JvmExtensionsKt;
import kotlin.metadata.jvm.JvmMethodSignature;
import kotlin.metadata.jvm.KotlinClassMetadata;
import org.jspecify.annotations.Nullable;

/** What Kotlin's compiler notes of a class: which values may be null, and which have a default. Java's reflection shows neither. */
final class KotlinClass {

    private final Class<?> type;
    private final KmClass metadata;
    private final Place place;

    /** The names of the primary constructor's parameters, in order, and of those that have a default. */
    private final List<String> parameters = new ArrayList<>();

    private final Set<String> defaults = new HashSet<>();

    /** What the primary constructor takes, as class files say it; empty if there is none. */
    private String descriptor = "";

    private KotlinClass(Class<?> type, KmClass metadata, Place place) {
        this.type = type;
        this.metadata = metadata;
        this.place = place;
        for (KmConstructor constructor : metadata.getConstructors()) {
            JvmMethodSignature signature = JvmExtensionsKt.getSignature(constructor);
            if (!Attributes.isSecondary(constructor) && signature != null) {
                descriptor = signature.getDescriptor();
                for (KmValueParameter parameter : constructor.getValueParameters()) {
                    parameters.add(parameter.getName());
                    if (Attributes.getDeclaresDefaultValue(parameter)) {
                        defaults.add(parameter.getName());
                    }
                }
            }
        }
    }

    /**
     * What is noted of a class, null if it is none of Kotlin's.
     *
     * @throws InvalidTypeException if Gson does not read and write objects of such a class
     */
    static @Nullable KotlinClass of(Class<?> type, Place place) {
        Metadata noted = type.getAnnotation(Metadata.class);
        if (noted == null) {
            return null;
        }
        KmClass metadata;
        try {
            if (!(KotlinClassMetadata.readLenient(noted) instanceof KotlinClassMetadata.Class known)) {
                throw place.invalid(type.getName() + " is no class of Kotlin's that is known here");
            }
            metadata = known.getKmClass();
        } catch (IllegalArgumentException e) {
            throw e instanceof InvalidTypeException
                    ? e
                    : place.invalid("Kotlin's metadata of " + type.getName() + " cannot be read: " + e.getMessage());
        }
        ClassKind kind = Attributes.getKind(metadata);
        if (kind == ClassKind.OBJECT || kind == ClassKind.COMPANION_OBJECT) {
            throw place.invalid(type.getName() + " is an object of Kotlin's, and Gson would make others of its class;"
                    + " declare a class");
        }
        return new KotlinClass(type, metadata, place);
    }

    /** The ways to what may be null in a field's type, as {@link ClassFile} has them. */
    Set<String> nullable(Field field, ClassFile file, Place at) {
        KmProperty property = property(field);
        Set<String> ways = new HashSet<>();
        if (property != null) {
            walk(property.getReturnType(), "", ways, file.members().getOrDefault(field.getName(), Map.of()), at);
        }
        return ways;
    }

    /** The ways to what may be null among the type arguments of the superclass. */
    Set<String> nullableInSuperclass() {
        Set<String> ways = new HashSet<>();
        String superclass = type.getSuperclass().getName().replace('.', '/').replace('$', '.');
        for (KmType supertype : metadata.getSupertypes()) {
            if (supertype.getClassifier() instanceof KmClassifier.Class known
                    && known.getName().equals(superclass)) {
                walk(supertype, "", ways, Map.of(), place);
            }
        }
        return ways;
    }

    private void walk(KmType use, String way, Set<String> ways, Map<String, Set<String>> kept, Place at) {
        if (Attributes.isNullable(use)) {
            ways.add(way);
        }
        String name = use.getClassifier() instanceof KmClassifier.Class known ? known.getName() : "";
        if (isValueClass(name)) {
            throw at.invalid(name.replace('/', '.') + " is a value class: Gson sees now its value and now an object"
                    + " around it; declare the type of its value");
        }
        for (KmAnnotation annotation : JvmExtensionsKt.getAnnotations(use)) {
            String annotated = binary(annotation.getClassName());
            if (!way.isEmpty() && !kept.getOrDefault(way, Set.of()).contains(annotated)) {
                throw at.invalid("@" + annotated.substring(annotated.lastIndexOf('.') + 1)
                        + " at a type argument is in class files only if Kotlin compiles with"
                        + " -Xemit-jvm-type-annotations");
            }
        }
        int index = 0;
        for (KmTypeProjection argument : use.getArguments()) {
            KmType inner = argument.getType();
            if (inner != null) {
                walk(inner, way + (name.equals("kotlin/Array") ? "[" : index + ";"), ways, kept, at);
            }
            index++;
        }
    }

    private boolean isValueClass(String name) {
        try {
            return !name.isEmpty()
                    && Class.forName(binary(name), false, type.getClassLoader()).isAnnotationPresent(JvmInline.class);
        } catch (ClassNotFoundException e) {
            return false; // Such as kotlin.String, which is Java's.
        }
    }

    /** The name as class loaders know it. */
    private static String binary(String name) {
        return name.replace('.', '$').replace('/', '.');
    }

    /** The method that reads a field's property, the usual one if Kotlin notes none. */
    String getter(Field field, String usual) {
        KmProperty property = property(field);
        JvmMethodSignature getter = property == null ? null : JvmExtensionsKt.getGetterSignature(property);
        return getter == null ? usual : getter.getName();
    }

    /** The parameter of the constructor that a field is declared by, null if there is none. */
    @Nullable
    Parameter parameter(Field field) {
        int index = parameters.indexOf(field.getName());
        for (Constructor<?> made : type.getDeclaredConstructors()) {
            String takes =
                    MethodType.methodType(void.class, made.getParameterTypes()).toMethodDescriptorString();
            if (index >= 0 && takes.equals(descriptor)) {
                return made.getParameters()[index];
            }
        }
        return null;
    }

    /**
     * Whether a field that is absent from JSON gets a value from Kotlin: a parameter's default, or what a property in the class's
     * body begins with. Both need a constructor that can be called without the field's value.
     *
     * @throws InvalidTypeException if Kotlin has a default that nothing finds at runtime
     */
    boolean hasDefault(Field field, Place at) {
        KmProperty property = property(field);
        boolean declared = parameters.contains(field.getName())
                ? defaults.contains(field.getName())
                : property != null && !Attributes.isLateinit(property);
        List<Constructor<?>> constructors = List.of(type.getDeclaredConstructors());
        if (!declared || constructors.stream().anyMatch(made -> made.getParameterCount() == 0)) {
            return declared;
        }
        boolean filledIn = !defaults.isEmpty();
        if (filledIn && !fields().limit(parameters.size()).toList().equals(parameters)) {
            throw at.invalid("its default in Kotlin is found only if each parameter of the constructor of "
                    + type.getName() + " is a val or var");
        }
        return filledIn;
    }

    private Stream<String> fields() {
        return Stream.of(type.getDeclaredFields())
                .filter(field -> !Modifier.isStatic(field.getModifiers()) && !field.isSynthetic())
                .map(Field::getName);
    }

    private @Nullable KmProperty property(Field field) {
        return metadata.getProperties().stream()
                .filter(property -> {
                    var signature = JvmExtensionsKt.getFieldSignature(property);
                    return signature != null && signature.getName().equals(field.getName());
                })
                .findFirst()
                .orElse(null);
    }
}
