package io.controllermanager.app.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.apiserver.rights.DeclaredRights;
import io.controllermanager.controller.ControllerDescriptor;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

/** Each controller says in its own module what it may do. */
class RbacTests {

    @Test
    void eachControllerDeclaresItsRights() {
        Map<String, Boolean> declared = new TreeMap<>();
        DeclaredRights.all().forEach(rights -> declared.put(rights.controller(), rights.enabledByDefault()));

        ApplicationContextRunner controllers = new ApplicationContextRunner().withUserConfiguration(controllers());
        controllers.run(context -> assertThat(context.getBeansOfType(ControllerDescriptor.class).values().stream()
                        .collect(Collectors.toMap(ControllerDescriptor::name, ControllerDescriptor::enabledByDefault)))
                .containsKeys("foo", "network")
                .isEqualTo(declared));
        assertThat(DeclaredRights.all())
                .allSatisfy(rights -> assertThat(rights.rules()).isNotNull());
    }

    /** The auto-configurations that the dependencies bring, apart from the host's own. */
    private static Class<?>[] controllers() {
        ClassLoader loader = RbacTests.class.getClassLoader();
        return StreamSupport.stream(
                        ImportCandidates.load(AutoConfiguration.class, loader).spliterator(), false)
                .filter(name -> name.startsWith("io.controllermanager."))
                .filter(name -> !name.startsWith("io.controllermanager.spring."))
                .map(name -> ClassUtils.resolveClassName(name, loader))
                .toArray(Class<?>[]::new);
    }
}
