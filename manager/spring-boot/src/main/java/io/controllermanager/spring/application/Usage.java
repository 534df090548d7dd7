package io.controllermanager.spring.application;

/** What {@code --help} prints. */
final class Usage {

    private Usage() {}

    static String text(String application) {
        StringBuilder text = new StringBuilder("""
                Runs Kubernetes controllers.

                Usage: java -jar %s.jar [flags]

                Flags:
                """.formatted(application));
        for (Flag flag : Flag.ALL) {
            String form = "--" + flag.name()
                    + switch (flag.kind()) {
                        case VALUE -> " VALUE";
                        case LIST -> " VALUE,...";
                        case SWITCH -> "[=false]";
                    };
            text.append(String.format("  %-42s %s%n", form, flag.description()));
        }
        text.append(String.format("  %-42s %s%n", "--help", "print this and end"));
        text.append(String.format("  %-42s %s%n", "--version", "print the version and end"));
        return text.append("""

                A flag may have one dash or two, and its value after = or as the next argument.
                Every property can be set as well: --controller-manager.shutdown-timeout=10s, --server.port=9090,
                environment variables such as CONTROLLER_MANAGER_CONTROLLER_<NAME>_WORKERS=4, or application.yaml.
                """).toString();
    }
}
