package io.controllermanager.apiserver.cel;

import dev.cel.bundle.CelBuilder;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelFunctionOverload;
import java.util.function.Function;

/** Adds functions to CEL, each with its declaration and its body. */
final class Functions {

    static final Kind<String> STRING = new Kind<>(SimpleType.STRING, String.class);
    static final Kind<Boolean> BOOL = new Kind<>(SimpleType.BOOL, Boolean.class);
    static final Kind<Long> INT = new Kind<>(SimpleType.INT, Long.class);
    static final Kind<Double> DOUBLE = new Kind<>(SimpleType.DOUBLE, Double.class);

    private final CelBuilder cel;
    private int count;

    Functions(CelBuilder cel) {
        this.cel = cel;
    }

    /** A type in CEL, and what its values are in Java. */
    record Kind<T>(CelType cel, Class<T> java) {}

    /** {@code name(argument)}. */
    <T> Functions global(String name, Kind<?> result, Kind<T> argument, CelFunctionOverload.Unary<T> body) {
        return add(
                name,
                id -> CelOverloadDecl.newGlobalOverload(id, result.cel(), argument.cel()),
                id -> CelFunctionBinding.from(id, argument.java(), body));
    }

    /** {@code target.name()}. */
    <T> Functions member(String name, Kind<?> result, Kind<T> target, CelFunctionOverload.Unary<T> body) {
        return add(
                name,
                id -> CelOverloadDecl.newMemberOverload(id, result.cel(), target.cel()),
                id -> CelFunctionBinding.from(id, target.java(), body));
    }

    /** {@code target.name(argument)}. */
    <T, U> Functions member(
            String name, Kind<?> result, Kind<T> target, Kind<U> argument, CelFunctionOverload.Binary<T, U> body) {
        return add(
                name,
                id -> CelOverloadDecl.newMemberOverload(id, result.cel(), target.cel(), argument.cel()),
                id -> CelFunctionBinding.from(id, target.java(), argument.java(), body));
    }

    /** One that is made of the name that tells it from others which are called alike. */
    Functions add(String name, Function<String, CelOverloadDecl> overload, Function<String, CelFunctionBinding> body) {
        String id = "kubernetes_" + name + "_" + count++;
        cel.addFunctionDeclarations(CelFunctionDecl.newFunctionDeclaration(name, overload.apply(id)));
        cel.addFunctionBindings(body.apply(id));
        return this;
    }
}
