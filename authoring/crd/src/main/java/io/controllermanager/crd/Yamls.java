package io.controllermanager.crd;

import java.util.Map;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;

/** YAML as the manifests here are written, which kubectl's parser reads the same way. */
public final class Yamls {

    private static final int WIDTH = 120;

    /** Longer texts begin on a line of their own. */
    private static final int LONG = 90;

    private Yamls() {}

    /** A document, without a line {@code ---}. */
    public static String write(Map<String, Object> content) {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setIndent(2);
        options.setIndicatorIndent(2);
        options.setIndentWithIndicator(true);
        options.setWidth(WIDTH);
        // Parts that are the same object are written out each time.
        options.setDereferenceAliases(true);
        return new Yaml(new Manifest(options), options).dump(content);
    }

    /**
     * What a document holds.
     *
     * @throws IllegalArgumentException if it is no YAML, or no object
     */
    @SuppressWarnings("unchecked")
    static Map<String, Object> read(String yaml) {
        try {
            if (new Yaml(new SafeConstructor(new LoaderOptions())).load(yaml) instanceof Map<?, ?> map) {
                return (Map<String, Object>) map;
            }
            throw new IllegalArgumentException("It is no YAML object");
        } catch (YAMLException e) {
            throw new IllegalArgumentException("It is no YAML: " + e.getMessage(), e);
        }
    }

    private static final class Manifest extends Representer {

        Manifest(DumperOptions options) {
            super(options);
            representers.put(String.class, value -> text((String) value));
        }

        private Node text(String value) {
            if (value.length() > LONG && value.indexOf('\n') < 0) {
                return representScalar(Tag.STR, value, ScalarStyle.FOLDED);
            }
            // These are booleans to kubectl's parser, and strings to this one.
            return value.matches("[yYnN]")
                    ? representScalar(Tag.STR, value, ScalarStyle.DOUBLE_QUOTED)
                    : representString(value);
        }

        private Node representString(String value) {
            return representScalar(Tag.STR, value, value.indexOf('\n') < 0 ? ScalarStyle.PLAIN : ScalarStyle.LITERAL);
        }
    }
}
