package io.controllermanager.crd;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.HashSet;
import java.util.LinkedHashMap;
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
import kotlin.metadata.jvm.JvmExtensionsKt;
import kotlin.metadata.jvm.JvmFieldSignature;
import kotlin.metadata.jvm.KotlinClassMetadata;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Type;

/** What Kotlin's compiler notes of a class: which values may be null, and which have a default. Java's reflection shows neither. */
final class KotlinClass {

    private final Class<?> type;
    private final KmClass metadata;
    private final KmConstructor primary;

    /** Whether the primary constructor has a default for a parameter, by the names of all, in order. */
    private final Map<String, Boolean> parameters = new LinkedHashMap<>();

    private KotlinClass(Class<?> type, KmClass metadata) {
        this.type = type;
        this.metadata = metadata;
        this.primary = metadata.getConstructors().stream()
                .filter(constructor -> !Attributes.isSecondary(constructor))
                .findFirst()
                .orElseGet(KmConstructor::new);
        primary.getValueParameters()
                .forEach(taken -> parameters.put(taken.getName(), Attributes.getDeclaresDefaultValue(taken)));
    }

    /** What is noted of a class, null if it is none of Kotlin's. */
    static @Nullable KotlinClass of(Class<?> type, Place place) {
        Metadata noted = type.getAnnotation(Metadata.class);
        KotlinClassMetadata read;
        try {
            read = noted == null ? null : KotlinClassMetadata.readLenient(noted);
        } catch (IllegalArgumentException e) {
            throw place.invalid("Kotlin's metadata of " + type.getName() + " cannot be read: " + e.getMessage());
        }
        if (!(read instanceof KotlinClassMetadata.Class known)) {
            return null;
        }
        if (Attributes.getKind(known.getKmClass()) == ClassKind.OBJECT) {
            throw place.invalid(type.getName()
                    + " is an object of Kotlin's, and Gson would make others of its class; declare a class");
        }
        return new KotlinClass(type, known.getKmClass());
    }

    /**
     * The ways to what may be null in the type of a field, or of the superclass, as {@link ClassFile} has them.
     *
     * @param kept the annotations in the class file
     */
    Set<String> nullable(String member, Set<ClassFile.Use> kept, Place at) {
        Map<String, KmType> uses = new LinkedHashMap<>();
        KmProperty property = property(member);
        if (property != null) {
            collect(property.getReturnType(), "", uses);
        } else if (member.isEmpty()) {
            metadata.getSupertypes().stream()
                    .filter(supertype -> binary(nameOf(supertype))
                            .equals(type.getSuperclass().getName()))
                    .forEach(supertype -> collect(supertype, "", uses));
        }
        Set<String> nullable = new HashSet<>();
        uses.forEach((way, use) -> {
            if (Attributes.isNullable(use)) {
                nullable.add(way);
            }
            if (isValueClass(nameOf(use))) {
                throw at.invalid(nameOf(use).replace('/', '.') + " is a value class: Gson sees now its value and now"
                        + " an object around it; declare the type of its value");
            }
            for (KmAnnotation annotation : JvmExtensionsKt.getAnnotations(use)) {
                String annotated = binary(annotation.getClassName());
                if (!way.isEmpty() && !kept.contains(new ClassFile.Use(member, way, annotated))) {
                    throw at.invalid("@" + annotated.substring(annotated.lastIndexOf('.') + 1)
                            + " at a type argument is in class files only if Kotlin compiles with"
                            + " -Xemit-jvm-type-annotations");
                }
            }
        });
        return nullable;
    }

    /** A type and its arguments, by the ways to them. */
    private static void collect(KmType use, String way, Map<String, KmType> into) {
        into.put(way, use);
        boolean array = nameOf(use).equals("kotlin/Array");
        for (int i = 0; i < use.getArguments().size(); i++) {
            KmType argument = use.getArguments().get(i).getType();
            if (argument != null) {
                collect(argument, way + (array ? "[" : i + ";"), into);
            }
        }
    }

    private static String nameOf(KmType use) {
        return use.getClassifier() instanceof KmClassifier.Class known ? known.getName() : "";
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

    /** The parameter of the constructor that a field is declared by, null if there is none. */
    @Nullable
    Parameter parameter(Field field) {
        int index = List.copyOf(parameters.keySet()).indexOf(field.getName());
        String signature = String.valueOf(JvmExtensionsKt.getSignature(primary));
        for (Constructor<?> made : type.getDeclaredConstructors()) {
            if (index >= 0 && signature.equals("<init>" + Type.getConstructorDescriptor(made))) {
                return made.getParameters()[index];
            }
        }
        return null;
    }

    /**
     * Whether a field that is absent from JSON gets a value from Kotlin: a parameter's default, or what a property in the class's
     * body begins with. Both need a constructor that can be called without the field's value.
     */
    boolean hasDefault(Field field, Place at) {
        KmProperty property = property(field.getName());
        boolean declared =
                parameters.getOrDefault(field.getName(), property != null && !Attributes.isLateinit(property));
        if (!declared || !parameters.containsValue(true)) {
            return declared && parameters.isEmpty();
        }
        Stream<String> fields = Stream.of(type.getDeclaredFields())
                .filter(known -> !Modifier.isStatic(known.getModifiers()) && !known.isSynthetic())
                .map(Field::getName);
        if (!fields.limit(parameters.size()).toList().equals(List.copyOf(parameters.keySet()))) {
            throw at.invalid("its default in Kotlin is found only if each parameter of the constructor of "
                    + type.getName() + " is a val or var");
        }
        return true;
    }

    private @Nullable KmProperty property(String field) {
        for (KmProperty property : metadata.getProperties()) {
            JvmFieldSignature signature = JvmExtensionsKt.getFieldSignature(property);
            if (signature != null && signature.getName().equals(field)) {
                return property;
            }
        }
        return null;
    }
}
