package io.controllermanager.spring.application;

import java.security.NoSuchAlgorithmException;
import java.util.Set;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;

/** Makes values of properties of those that kube-controller-manager's flags have. */
final class FlagValues {

    private static final Pattern ADDRESS = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

    private FlagValues() {}

    /** No name, which would be looked up. */
    static String address(String value) {
        if (!ADDRESS.matcher(value).matches()) {
            throw new IllegalArgumentException("must be an IP address");
        }
        return value;
    }

    static String port(String value) {
        int port = number(value, 65_535);
        return port == 0 ? "-1" : value;
    }

    /** Java serves no version below 1.2. */
    static String tlsProtocols(String value) {
        return switch (value) {
            case "VersionTLS12" -> "TLSv1.2,TLSv1.3";
            case "VersionTLS13" -> "TLSv1.3";
            default -> throw new IllegalArgumentException("must be VersionTLS12 or VersionTLS13");
        };
    }

    /** Go has the names of Java, which are IANA's. */
    static String cipherSuites(String values) {
        Set<String> known;
        try {
            known = Set.of(SSLContext.getDefault().getSupportedSSLParameters().getCipherSuites());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
        for (String value : values.split(",", -1)) {
            if (!known.contains(value)) {
                throw new IllegalArgumentException("Java does not have the cipher suite \"" + value + "\"");
            }
        }
        return values;
    }

    /** Of klog's levels 4 is for what debugs, and those from 6 on are for each request. */
    static String logLevel(String value) {
        int level = number(value, Integer.MAX_VALUE);
        return level < 4 ? "info" : level < 6 ? "debug" : "trace";
    }

    /** Text is what there is without a structured format. */
    static String logFormat(String value) {
        return switch (value) {
            case "text" -> "";
            case "json" -> "ecs";
            default -> throw new IllegalArgumentException("must be text or json");
        };
    }

    private static int number(String value, int greatest) {
        try {
            int number = Integer.parseInt(value);
            if (number >= 0 && number <= greatest) {
                return number;
            }
        } catch (NumberFormatException e) {
            // As one that is out of range.
        }
        throw new IllegalArgumentException("must be a whole number from 0 to " + greatest);
    }
}
