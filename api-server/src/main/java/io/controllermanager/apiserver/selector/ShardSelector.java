package io.controllermanager.apiserver.selector;

import com.google.common.base.Strings;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.CelCall;
import dev.cel.parser.CelParserFactory;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.storage.StoredObject;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A parsed {@code shardSelector} of KEP-5866: ranges of the 64-bit FNV-1a hash of an object's uid or namespace. It is
 * written in CEL, of which it is parsed but never evaluated (apiserver, pkg/sharding/parser.go, and apimachinery,
 * pkg/sharding). Nothing of CEL is loaded before there is a selector.
 */
public record ShardSelector(List<Range> ranges) {

    /** Selects every object. */
    public static final ShardSelector EVERYTHING = new ShardSelector(List.of());

    private static final String UID = "object.metadata.uid";
    private static final String NAMESPACE = "object.metadata.namespace";

    /** 2^64, the end of the last range. */
    private static final String END_OF_ALL = "0x10000000000000000";

    /** The kinds of expressions by the numbers that cel-go has for them (common/ast/expr.go). */
    private static final List<String> KINDS =
            List.of("NOT_SET CALL COMPREHENSION IDENT LIST CONSTANT MAP SELECT STRUCT".split(" "));
    /** The types that Go has for literals that are no strings. */
    private static final Map<String, String> GO_TYPES = Map.of(
            "BOOLEAN_VALUE", "bool",
            "INT64_VALUE", "int64",
            "UINT64_VALUE", "uint64",
            "DOUBLE_VALUE", "float64",
            "BYTES_VALUE", "[]uint8");

    private static final long OFFSET_BASIS = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    /**
     * One range of hashes.
     *
     * @param text as {@code metadata.shardInfo} has it
     * @param first the lowest hash, unsigned
     * @param last the highest one, unsigned
     */
    record Range(String field, String text, long first, long last) {

        boolean contains(long hash) {
            return Long.compareUnsigned(first, hash) <= 0 && Long.compareUnsigned(hash, last) <= 0;
        }
    }

    /**
     * Reads a selector.
     *
     * @param text empty for everything
     * @throws StatusException 500, as from the real server, for what is no selector
     */
    public static ShardSelector parse(String text) {
        if (text.isEmpty()) {
            return EVERYTHING;
        }
        demand(!text.isBlank(), "empty shard selector is not allowed; omit the parameter for unfiltered lists");
        List<Range> ranges = new ArrayList<>();
        collect(expression(text.strip()), ranges);
        String field = ranges.get(0).field();
        for (Range range : ranges) {
            String both = quoted(field) + " and " + quoted(range.field());
            demand(range.field().equals(field), "all shard ranges must use the same field, got " + both);
        }
        return new ShardSelector(ranges);
    }

    public boolean isEverything() {
        return ranges.isEmpty();
    }

    public boolean matches(StoredObject object) {
        if (ranges.isEmpty()) {
            return true;
        }
        boolean byUid = ranges.get(0).field().equals(UID);
        long hash = hash(byUid ? object.uid() : object.key().namespace());
        return ranges.stream().anyMatch(range -> range.contains(hash));
    }

    /** As {@code metadata.shardInfo} repeats it. */
    @Override
    public String toString() {
        return ranges.stream().map(Range::text).collect(Collectors.joining(" || "));
    }

    private static long hash(String text) {
        long hash = OFFSET_BASIS;
        for (byte one : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (one & 0xff)) * PRIME;
        }
        return hash;
    }

    private static BigInteger number(String hex) {
        return new BigInteger(hex.substring(2), 16);
    }

    private static CelExpr expression(String text) {
        CelValidationResult parsed =
                CelParserFactory.standardCelParserBuilder().build().parse(text);
        try {
            return parsed.getAst().getExpr();
        } catch (CelValidationException e) {
            throw invalid(
                    "CEL parse error: Syntax error: " + e.getErrors().get(0).getMessage());
        }
    }

    private static void collect(CelExpr expression, List<Range> ranges) {
        String unexpected = "unexpected expression kind " + kind(expression);
        boolean isCall = expression.getKind() == CelExpr.ExprKind.Kind.CALL;
        demand(isCall, unexpected + "; expected shardRange() call or || operator");
        CelCall call = expression.call();
        switch (call.function()) {
            case "_||_" -> call.args().forEach(side -> collect(side, ranges));
            case "shardRange" -> ranges.add(range(call.args()));
            default ->
                throw invalid(
                        "unsupported function " + quoted(call.function()) + "; only shardRange() and || are allowed");
        }
    }

    private static Range range(List<CelExpr> arguments) {
        demand(arguments.size() == 3, "shardRange() requires exactly 3 arguments, got " + arguments.size());
        String field = field(arguments.get(0));
        boolean supported = field.equals(UID) || field.equals(NAMESPACE);
        demand(supported, "unsupported field path " + quoted(field) + "; supported: " + UID + ", " + NAMESPACE);
        String start = bound("hexStart", arguments.get(1));
        String end = bound("hexEnd", arguments.get(2));
        BigInteger first = number(start);
        BigInteger behind = number(end);
        demand(first.compareTo(behind) < 0, "shard range start " + start + " must be less than end " + end);
        String text = "shardRange(%s, '%s', '%s')".formatted(field, start, end);
        return new Range(field, text, first.longValue(), behind.longValue() - 1);
    }

    private static String field(CelExpr expression) {
        return switch (expression.getKind()) {
            case IDENT -> expression.ident().name();
            case SELECT ->
                field(expression.select().operand()) + "." + expression.select().field();
            default ->
                throw invalid("shardRange() first argument: expected field path (e.g. object.metadata.uid), got"
                        + " expression kind " + kind(expression));
        };
    }

    private static String bound(String name, CelExpr expression) {
        boolean isLiteral = expression.getKind() == CelExpr.ExprKind.Kind.CONSTANT;
        demand(isLiteral, name + " must be a string literal (e.g. '0xff'), got expression kind " + kind(expression));
        CelConstant literal = expression.constant();
        if (literal.getKind() != CelConstant.Kind.STRING_VALUE) {
            String type = GO_TYPES.getOrDefault(literal.getKind().name(), "structpb.NullValue");
            throw invalid(name + " must be a string literal, got " + type);
        }
        String text = literal.stringValue();
        demand(text.startsWith("0x"), name + " must have '0x' prefix, got " + quoted(text));
        String digits = text.substring(2);
        int size = digits.length();
        demand(size > 0, name + ": hex value is required after '0x'");
        demand(size <= 17, name + ": hex value too long (" + size + " chars, max 17): " + quoted(digits));
        String strange = digits.replaceFirst("(?s)^[0-9a-f]*(.?).*", "$1");
        demand(strange.isEmpty(), name + ": invalid hex character " + quoted(strange) + " in " + quoted(text));
        boolean isInRange = size < 17 || text.equals(END_OF_ALL);
        demand(isInRange, name + ": 17-digit hex value must be '" + END_OF_ALL + "' (2^64), got " + quoted(text));
        String meant = quoted("0x" + Strings.padStart(digits, 16, '0'));
        String wanted = " must be a 0x-prefixed 16-digit hex value, got " + quoted(text) + " (did you mean " + meant;
        demand(size >= 16, name + wanted + "?)");
        return text;
    }

    private static int kind(CelExpr expression) {
        return KINDS.indexOf(expression.getKind().name());
    }

    private static String quoted(String text) {
        return '"' + text + '"';
    }

    private static void demand(boolean right, String why) {
        if (!right) {
            throw invalid(why);
        }
    }

    private static StatusException invalid(String why) {
        return StatusException.of(500, "", "invalid shard selector: " + why);
    }
}
