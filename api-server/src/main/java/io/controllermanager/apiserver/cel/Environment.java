package io.controllermanager.apiserver.cel;

import dev.cel.bundle.Cel;
import dev.cel.bundle.CelBuilder;
import dev.cel.bundle.CelFactory;
import dev.cel.checker.CelStandardDeclarations;
import dev.cel.common.CelOptions;
import dev.cel.compiler.CelCompilerLibrary;
import dev.cel.extensions.CelExtensions;
import dev.cel.extensions.CelStringExtensions.Function;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelRuntimeLibrary;
import dev.cel.runtime.CelStandardFunctions;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The CEL that Kubernetes speaks (apiserver, pkg/cel/environment/base.go), as far as it is here. */
final class Environment {

    /** Tells what Kubernetes has besides. */
    static final String LACKING = "\n(of what Kubernetes adds to CEL, the embedded API server does not have"
            + " string.format, isURL and url, semver and format)";

    /** Standard functions that mean something else for lists with {@code x-kubernetes-list-type}. */
    private static final Set<String> REPLACED = Set.of("EQUALS", "NOT_EQUALS", "IN_LIST", "ADD_LIST");

    /** Everything but variables and the types of objects. */
    static final Cel BASE = base();

    private Environment() {}

    private static Cel base() {
        CelOptions options =
                CelOptions.current().enableHeterogeneousNumericComparisons(true).build();
        // The newer runtime copies lists, and would forget which are sets.
        CelBuilder cel = CelFactory.legacyCelBuilder()
                .setOptions(options)
                .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
                .setStandardEnvironmentEnabled(false)
                .setStandardDeclarations(CelStandardDeclarations.newBuilder().build())
                .setStandardFunctions(CelStandardFunctions.newBuilder()
                        .filterFunctions((function, overload) -> !REPLACED.contains(overload.toString()))
                        .build())
                .addFunctionBindings(
                        CelFunctionBinding.from("equals", Object.class, Object.class, Values::equal),
                        CelFunctionBinding.from(
                                "not_equals", Object.class, Object.class, (a, b) -> !Values.equal(a, b)),
                        CelFunctionBinding.from("in_list", Object.class, List.class, Values::in),
                        CelFunctionBinding.from("add_list", List.class, List.class, Values::concat));
        extend(cel, CelExtensions.optional(2));
        extend(cel, CelExtensions.strings(EnumSet.complementOf(EnumSet.of(Function.REVERSE))));
        extend(cel, CelExtensions.sets(options));
        extend(cel, CelExtensions.lists(2));
        extend(cel, CelExtensions.comprehensions());
        Functions functions = new Functions(cel);
        Addresses.addTo(functions);
        Lists.addTo(functions);
        Quantities.addTo(functions);
        Regexes.addTo(functions);
        return cel.build();
    }

    private static <L extends CelCompilerLibrary & CelRuntimeLibrary> void extend(CelBuilder cel, L library) {
        cel.addCompilerLibraries(library).addRuntimeLibraries(library);
    }
}
