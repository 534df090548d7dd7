package io.controllermanager.spring.application;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.core.env.MapPropertySource;

/** What flags set, and which flag set it, so that a wrong value is reported under the name the operator used. */
final class FlagPropertySource extends MapPropertySource implements OriginLookup<String> {

    static final String NAME = "flags";

    private final Map<String, CommandLine.Setting> settings;

    FlagPropertySource(Map<String, CommandLine.Setting> settings) {
        super(NAME, Map.copyOf(settings));
        this.settings = settings;
    }

    /** By the properties that they set. */
    Map<String, CommandLine.Setting> settings() {
        return settings;
    }

    @Override
    public @Nullable Object getProperty(String name) {
        CommandLine.Setting setting = settings.get(name);
        return setting == null ? null : setting.value();
    }

    @Override
    public @Nullable Origin getOrigin(String key) {
        CommandLine.Setting setting = settings.get(key);
        return setting == null ? null : new FlagOrigin(setting.flag());
    }

    private record FlagOrigin(String flag) implements Origin {
        @Override
        public String toString() {
            return flag;
        }
    }
}
