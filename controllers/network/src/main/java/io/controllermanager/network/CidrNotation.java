package io.controllermanager.network;

/**
 * An address and a prefix length as somebody wrote them, with bits after the prefix perhaps set. As strict as Go's {@code
 * netip.ParsePrefix}.
 *
 * @param address the address before the slash
 * @param prefixLength the number after it, from 0 to the length of such an address
 */
record CidrNotation(IpAddress address, int prefixLength) {

    /**
     * Reads {@code address/prefixLength}.
     *
     * @throws IllegalArgumentException if the text is something else; the message says what is wrong
     */
    static CidrNotation parse(String text) {
        int slash = text.lastIndexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException("\"" + text + "\" is not an address range: it has no \"/\"");
        }
        IpAddress address = IpAddress.parse(text.substring(0, slash));
        return new CidrNotation(address, parsePrefixLength(text, text.substring(slash + 1), address));
    }

    private static int parsePrefixLength(String text, String digits, IpAddress address) {
        int bits = address.family().bits();
        boolean leadingZero = digits.length() > 1 && digits.charAt(0) == '0';
        if (digits.isEmpty()
                || digits.length() > 3
                || leadingZero
                || !digits.chars().allMatch(digit -> digit >= '0' && digit <= '9')
                || Integer.parseInt(digits) > bits) {
            throw new IllegalArgumentException("\"" + text + "\" is not an address range: the prefix length of "
                    + address.family() + " is a number from 0 to " + bits);
        }
        return Integer.parseInt(digits);
    }

    /** The range meant, if the bits after the prefix are overlooked. */
    Cidr network() {
        return Cidr.containing(address, prefixLength);
    }

    /** Whether a bit after the prefix is set. */
    boolean hasHostBits() {
        return !address.equals(network().network());
    }

    @Override
    public String toString() {
        return address + "/" + prefixLength;
    }
}
