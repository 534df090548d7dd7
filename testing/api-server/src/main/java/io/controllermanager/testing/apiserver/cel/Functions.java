package io.controllermanager.testing.apiserver.cel;

import dev.cel.bundle.CelBuilder;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelFunctionOverload;

/** Adds functions to CEL, each with its declaration and its body. */
final class Functions {

    private final CelBuilder cel;
    private int count;

    Functions(CelBuilder cel) {
        this.cel = cel;
    }

    /** A type in CEL, and what its values are in Java. */
    record Kind<T>(CelType cel, Class<T> java) {}

    /** {@code name(argument)}. */
    <T> Functions global(String name, Kind<?> result, Kind<T> argument, CelFunctionOverload.Unary<T> body) {
        String id = id(name);
        return add(
                name,
                CelOverloadDecl.newGlobalOverload(id, result.cel(), argument.cel()),
                CelFunctionBinding.from(id, argument.java(), body));
    }

    /** {@code target.name()}. */
    <T> Functions member(String name, Kind<?> result, Kind<T> target, CelFunctionOverload.Unary<T> body) {
        String id = id(name);
        return add(
                name,
                CelOverloadDecl.newMemberOverload(id, result.cel(), target.cel()),
                CelFunctionBinding.from(id, target.java(), body));
    }

    /** {@code target.name(argument)}. */
    <T, U> Functions member(
            String name, Kind<?> result, Kind<T> target, Kind<U> argument, CelFunctionOverload.Binary<T, U> body) {
        String id = id(name);
        return add(
                name,
                CelOverloadDecl.newMemberOverload(id, result.cel(), target.cel(), argument.cel()),
                CelFunctionBinding.from(id, target.java(), argument.java(), body));
    }

    private String id(String name) {
        return "kubernetes_" + name + "_" + count++;
    }

    Functions add(String name, CelOverloadDecl overload, CelFunctionBinding body) {
        cel.addFunctionDeclarations(CelFunctionDecl.newFunctionDeclaration(name, overload));
        cel.addFunctionBindings(body);
        return this;
    }
}
