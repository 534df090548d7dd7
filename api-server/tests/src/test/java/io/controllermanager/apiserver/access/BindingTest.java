package io.controllermanager.apiserver.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.Store;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who is meant by a binding's subjects, and in which groups a user is. */
class BindingTest {

    @ParameterizedTest
    @CsvSource(emptyValue = "", textBlock = """
            User,           jane,  '', '', jane, true
            User,           jane,  '', '', john, false
            User,           developers, '', '', jane, false
            Group,          developers, '', '', jane, true
            Group,          system:authenticated, '', '', jane, true
            Group,          system:unauthenticated, '', '', jane, false
            Group,          jane,  '', '', jane, false
            ServiceAccount, robot, ns, '', system:serviceaccount:ns:robot, true
            ServiceAccount, robot, ns, other, system:serviceaccount:ns:robot, true
            ServiceAccount, robot, '', ns, system:serviceaccount:ns:robot, true
            ServiceAccount, robot, other, ns, system:serviceaccount:ns:robot, false
            ServiceAccount, robot, '', '', system:serviceaccount::robot, false
            ServiceAccount, other, ns, '', system:serviceaccount:ns:robot, false
            User,           system:serviceaccount:ns:robot, '', '', system:serviceaccount:ns:robot, true
            Robot,          jane,  '', '', jane, false
            """)
    void appliesToItsSubjects(
            String kind, String name, String namespace, String bindingNamespace, String user, boolean applies) {
        JsonNode subject = Json.object().put("kind", kind).put("name", name).put("namespace", namespace);
        Binding binding =
                new Binding(bindingNamespace, List.of(subject), new Key(Rbac.ROLES, bindingNamespace, "role"));
        assertThat(binding.appliesTo(User.of(user, "developers"))).isEqualTo(applies);
    }

    @Test
    void putsEveryoneIntoTheirGroups() {
        assertThat(User.of("jane").groups()).containsExactly("system:authenticated");
        assertThat(User.of("jane", "a", "b").groups()).containsExactly("a", "b", "system:authenticated");
        assertThat(User.of("jane", "system:authenticated", "a").groups()).containsExactly("system:authenticated", "a");
        assertThat(User.of("jane", "system:unauthenticated").groups()).containsExactly("system:unauthenticated");
        assertThat(User.of("system:anonymous")).isEqualTo(User.ANONYMOUS);
        assertThat(User.of("system:serviceaccount:ns:robot").groups())
                .containsExactly("system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated");
        assertThat(User.of("system:serviceaccount:ns:robot", "a").groups())
                .containsExactly("a", "system:authenticated");
        assertThat(User.of("system:serviceaccount:ns").groups()).containsExactly("system:authenticated");
    }

    @Test
    void isKnownByItsToken() {
        User user = User.of("jane doe", "ä", "system:masters");
        Tokens tokens = new Tokens(new Store(1, change -> {}), InstantSource.system());
        assertThat(tokens.user(user.token(), List.of())).isEqualTo(user);
    }
}
