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
import kotlin.metadata.jvm.JvmFieldSignature;
import kotlin.metadata.jvm.JvmMethodSignature;
import kotlin.metadata.jvm.KotlinClassMetadata;
import org.jspecify.annotations.Nullable;

/** What Kotlin's compiler notes of a class: which values may be null, and which have a default. Java's reflection shows neither. */
final class KotlinClass {

    private final Class<?> type;
    private final KmClass metadata;

    // Of the primary constructor: the parameters, those that have a default, and what class files call it.
    private final List<String> parameters = new ArrayList<>();
    private final Set<String> defaults = new HashSet<>();
    private String descriptor = "";

    private KotlinClass(Class<?> type, KmClass metadata) {
        this.type = type;
        this.metadata = metadata;
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

    /** What is noted of a class, null if it is none of Kotlin's. */
    static @Nullable KotlinClass of(Class<?> type, Place place) {
        Metadata noted = type.getAnnotation(Metadata.class);
        try {
            if (noted == null || !(KotlinClassMetadata.readLenient(noted) instanceof KotlinClassMetadata.Class known)) {
                return null;
            }
            if (Attributes.getKind(known.getKmClass()) == ClassKind.OBJECT) {
                throw place.invalid(type.getName()
                        + " is an object of Kotlin's, and Gson would make others of its class;" + " declare a class");
            }
            return new KotlinClass(type, known.getKmClass());
        } catch (InvalidTypeException e) {
            throw e;
        } catch (IllegalArgumentException e) {
            throw place.invalid("Kotlin's metadata of " + type.getName() + " cannot be read: " + e.getMessage());
        }
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
    Set<String> nullableInSuperclass(Place place) {
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
     */
    boolean hasDefault(Field field, Place at) {
        KmProperty property = property(field);
        boolean declared = parameters.contains(field.getName())
                ? defaults.contains(field.getName())
                : property != null && !Attributes.isLateinit(property);
        if (!declared || defaults.isEmpty()) {
            return declared && parameters.isEmpty();
        }
        List<String> fields = Stream.of(type.getDeclaredFields())
                .filter(known -> !Modifier.isStatic(known.getModifiers()) && !known.isSynthetic())
                .map(Field::getName)
                .toList();
        if (!fields.subList(0, Math.min(parameters.size(), fields.size())).equals(parameters)) {
            throw at.invalid("its default in Kotlin is found only if each parameter of the constructor of "
                    + type.getName() + " is a val or var");
        }
        return true;
    }

    private @Nullable KmProperty property(Field field) {
        for (KmProperty property : metadata.getProperties()) {
            JvmFieldSignature signature = JvmExtensionsKt.getFieldSignature(property);
            if (signature != null && signature.getName().equals(field.getName())) {
                return property;
            }
        }
        return null;
    }
}
