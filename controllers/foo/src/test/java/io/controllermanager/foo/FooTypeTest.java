package io.controllermanager.foo;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.crd.Comments;
import io.controllermanager.crd.CustomResourceDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class FooTypeTest {

    private static final Path SHIPPED = Path.of("../../config/crd/bases/samplecontroller.k8s.io_foos.yaml");

    /** Descriptions apart, which are written for users there and for programmers here. */
    @Test
    void saysWhatTheCrdSays() throws IOException {
        CustomResourceDefinition shipped = CustomResourceDefinition.parse(Files.readString(SHIPPED));

        assertThat(CustomResourceDefinition.of(List.of(Foo.class), Comments.NONE))
                .extracting(CustomResourceDefinition::withoutDescriptions)
                .containsExactly(shipped.withoutDescriptions());
    }
}
