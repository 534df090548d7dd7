package io.controllermanager.testing.apiserver.cel;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.cel.bundle.Cel;
import dev.cel.bundle.CelFactory;
import dev.cel.checker.CelStandardDeclarations;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOptions;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.TypeParamType;
import dev.cel.extensions.CelExtensions;
import dev.cel.extensions.CelStringExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelStandardFunctions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The CEL that Kubernetes speaks (apiserver, pkg/cel/environment/base.go), as far as it is here. */
final class Environment {

    /** What Kubernetes has besides. */
    static final String LACKING = "string.format, isURL and url, quantity, semver and format";

    /** Standard functions that Kubernetes' lists with {@code x-kubernetes-list-type} have a meaning of their own for. */
    private static final Set<String> REPLACED = Set.of("EQUALS", "NOT_EQUALS", "IN_LIST", "ADD_LIST");

    private static final Map<String, CelType> COMPARABLE = Map.of(
            "int", SimpleType.INT,
            "uint", SimpleType.UINT,
            "double", SimpleType.DOUBLE,
            "bool", SimpleType.BOOL,
            "duration", SimpleType.DURATION,
            "timestamp", SimpleType.TIMESTAMP,
            "string", SimpleType.STRING);

    private Environment() {}

    /** Everything but variables and the types of objects. */
    static Cel base() {
        CelOptions options =
                CelOptions.current().enableHeterogeneousNumericComparisons(true).build();
        CelStringExtensions strings =
                CelExtensions.strings(EnumSet.complementOf(EnumSet.of(CelStringExtensions.Function.REVERSE)));
        // The newer runtime copies lists, and would forget which are sets.
        return CelFactory.legacyCelBuilder()
                .setOptions(options)
                .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
                .setStandardEnvironmentEnabled(false)
                .setStandardDeclarations(CelStandardDeclarations.newBuilder().build())
                .setStandardFunctions(CelStandardFunctions.newBuilder()
                        .filterFunctions((function, overload) -> !REPLACED.contains(overload.toString()))
                        .build())
                .addCompilerLibraries(
                        CelExtensions.optional(2),
                        strings,
                        CelExtensions.sets(options),
                        CelExtensions.lists(2),
                        CelExtensions.comprehensions())
                .addRuntimeLibraries(
                        CelExtensions.optional(2),
                        strings,
                        CelExtensions.sets(options),
                        CelExtensions.lists(2),
                        CelExtensions.comprehensions())
                .addFunctionDeclarations(Addresses.declarations())
                .addFunctionBindings(Addresses.bindings())
                .addFunctionBindings(
                        CelFunctionBinding.from("equals", Object.class, Object.class, Values::equal),
                        CelFunctionBinding.from(
                                "not_equals", Object.class, Object.class, (left, right) -> !Values.equal(left, right)),
                        CelFunctionBinding.from("in_list", Object.class, List.class, (value, list) -> in(value, list)),
                        CelFunctionBinding.from("add_list", List.class, List.class, Environment::concat))
                .addFunctionDeclarations(lists())
                .addFunctionBindings(listBindings())
                .addFunctionDeclarations(regex())
                .addFunctionBindings(
                        CelFunctionBinding.from(
                                "string_find_string",
                                String.class,
                                String.class,
                                (text, regex) -> findAll(text, regex, 1).stream()
                                        .findFirst()
                                        .orElse("")),
                        CelFunctionBinding.from(
                                "string_find_all_string",
                                String.class,
                                String.class,
                                (text, regex) -> findAll(text, regex, -1)),
                        CelFunctionBinding.from(
                                "string_find_all_string_int",
                                List.of(String.class, String.class, Long.class),
                                arguments ->
                                        findAll((String) arguments[0], (String) arguments[1], (Long) arguments[2])))
                .build();
    }

    private static boolean in(Object value, List<?> list) {
        return list.stream().anyMatch(element -> Values.equal(element, value));
    }

    private static List<?> concat(List<?> left, List<?> right) {
        return Values.concat(left, right);
    }

    /** As apiserver's pkg/cel/library/lists.go has them. */
    private static List<CelFunctionDecl> lists() {
        List<CelOverloadDecl> sorted = new ArrayList<>();
        List<CelOverloadDecl> min = new ArrayList<>();
        List<CelOverloadDecl> max = new ArrayList<>();
        COMPARABLE.forEach((name, type) -> {
            CelType list = ListType.create(type);
            sorted.add(CelOverloadDecl.newMemberOverload("list_" + name + "_is_sorted_bool", SimpleType.BOOL, list));
            min.add(CelOverloadDecl.newMemberOverload("list_" + name + "_min_" + name, type, list));
            max.add(CelOverloadDecl.newMemberOverload("list_" + name + "_max_" + name, type, list));
        });
        CelType any = TypeParamType.create("T");
        CelType list = ListType.create(any);
        return List.of(
                CelFunctionDecl.newFunctionDeclaration("isSorted", sorted),
                CelFunctionDecl.newFunctionDeclaration("min", min),
                CelFunctionDecl.newFunctionDeclaration("max", max),
                CelFunctionDecl.newFunctionDeclaration(
                        "sum",
                        CelOverloadDecl.newMemberOverload(
                                "list_int_sum_int", SimpleType.INT, ListType.create(SimpleType.INT)),
                        CelOverloadDecl.newMemberOverload(
                                "list_double_sum_double", SimpleType.DOUBLE, ListType.create(SimpleType.DOUBLE)),
                        CelOverloadDecl.newMemberOverload(
                                "list_duration_sum_duration",
                                SimpleType.DURATION,
                                ListType.create(SimpleType.DURATION))),
                CelFunctionDecl.newFunctionDeclaration(
                        "indexOf", CelOverloadDecl.newMemberOverload("list_a_index_of_int", SimpleType.INT, list, any)),
                CelFunctionDecl.newFunctionDeclaration(
                        "lastIndexOf",
                        CelOverloadDecl.newMemberOverload("list_a_last_index_of_int", SimpleType.INT, list, any)));
    }

    private static List<CelFunctionBinding> listBindings() {
        List<CelFunctionBinding> bindings = new ArrayList<>();
        for (String name : COMPARABLE.keySet()) {
            bindings.add(
                    CelFunctionBinding.from("list_" + name + "_is_sorted_bool", List.class, Environment::isSorted));
            bindings.add(CelFunctionBinding.from("list_" + name + "_min_" + name, List.class, list -> first(list, -1)));
            bindings.add(CelFunctionBinding.from("list_" + name + "_max_" + name, List.class, list -> first(list, 1)));
        }
        bindings.add(CelFunctionBinding.from("list_int_sum_int", List.class, Environment::sumOfIntegers));
        bindings.add(CelFunctionBinding.from("list_double_sum_double", List.class, Environment::sumOfDoubles));
        bindings.add(CelFunctionBinding.from("list_duration_sum_duration", List.class, Environment::sumOfDurations));
        bindings.add(CelFunctionBinding.from(
                "list_a_index_of_int", List.class, Object.class, (list, value) -> index(list, value, false)));
        bindings.add(CelFunctionBinding.from(
                "list_a_last_index_of_int", List.class, Object.class, (list, value) -> index(list, value, true)));
        return bindings;
    }

    private static boolean isSorted(List<?> list) {
        for (int i = 1; i < list.size(); i++) {
            if (compare(list.get(i - 1), list.get(i)) > 0) {
                return false;
            }
        }
        return true;
    }

    private static Object first(List<?> list, int sign) throws CelEvaluationException {
        Object best = null;
        for (Object element : list) {
            best = best == null || compare(element, best) * sign > 0 ? element : best;
        }
        if (best == null) {
            throw new CelEvaluationException((sign < 0 ? "min" : "max") + " called on empty list");
        }
        return best;
    }

    @SuppressWarnings("unchecked") // The compiler saw to it that both are of one comparable type.
    private static int compare(Object left, Object right) {
        return ((Comparable<Object>) left).compareTo(right);
    }

    private static Object sumOfIntegers(List<?> list) throws CelEvaluationException {
        try {
            return list.stream().mapToLong(element -> (Long) element).reduce(0, Math::addExact);
        } catch (ArithmeticException e) {
            throw new CelEvaluationException("integer overflow", e);
        }
    }

    private static Object sumOfDoubles(List<?> list) {
        return list.stream().mapToDouble(element -> (Double) element).reduce(0, Double::sum);
    }

    private static Object sumOfDurations(List<?> list) {
        return list.stream().map(element -> (Duration) element).reduce(Duration.ZERO, Duration::plus);
    }

    private static long index(List<?> list, Object value, boolean last) {
        long found = -1;
        for (int i = 0; i < list.size() && (last || found < 0); i++) {
            found = Values.equal(list.get(i), value) ? i : found;
        }
        return found;
    }

    /** As apiserver's pkg/cel/library/regex.go has them. */
    private static List<CelFunctionDecl> regex() {
        CelType string = SimpleType.STRING;
        CelType list = ListType.create(string);
        return List.of(
                CelFunctionDecl.newFunctionDeclaration(
                        "find", CelOverloadDecl.newMemberOverload("string_find_string", string, string, string)),
                CelFunctionDecl.newFunctionDeclaration(
                        "findAll",
                        CelOverloadDecl.newMemberOverload("string_find_all_string", list, string, string),
                        CelOverloadDecl.newMemberOverload(
                                "string_find_all_string_int", list, string, string, SimpleType.INT)));
    }

    private static List<String> findAll(String text, String regex, long limit) throws CelEvaluationException {
        Matcher matcher;
        try {
            matcher = Pattern.compile(regex).matcher(text);
        } catch (PatternSyntaxException e) {
            throw new CelEvaluationException("Illegal regex: " + e.getMessage(), e);
        }
        List<String> found = new ArrayList<>();
        while ((limit < 0 || found.size() < limit) && matcher.find()) {
            found.add(matcher.group());
        }
        return found;
    }
}
