package io.controllermanager.apiserver.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class StoredObjectTest {

    private final AtomicInteger views = new AtomicInteger();
    private final StoredObject object = Objects.requireNonNull(new Store(10, change -> {})
            .put(new Key("things", "", "a"), null, new ObjectMapper().createObjectNode(), () -> {}));

    private UnaryOperator<ObjectNode> view(String field) {
        return tree -> {
            views.incrementAndGet();
            return field.isEmpty() ? tree : tree.put(field, true);
        };
    }

    @Test
    void isReadOnceForAsLongAsTheSameReaderAsks() {
        byte[] seen = object.json("one", view("x"));
        assertThat(new String(seen, UTF_8)).contains("\"x\":true");
        assertThat(object.json("one", view("y"))).isSameAs(seen);
        assertThat(views).hasValue(1);

        assertThat(new String(object.json("another", view("y")), UTF_8)).contains("\"y\":true");
        assertThat(views).hasValue(2);
    }

    @Test
    void takesNoMoreMemoryWhereTheReaderSeesWhatIsStored() {
        assertThat(object.json("one", view(""))).isSameAs(object.json());
    }
}
