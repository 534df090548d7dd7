package io.controllermanager.apiserver.resource;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class VersionOrderTest {

    @Test
    void comesFromTheStageThenTheNumbersThenTheName() {
        List<String> order = List.of(
                "v10",
                "v2",
                "v1",
                "v11beta2",
                "v2beta10",
                "v2beta3",
                "v1beta1",
                "v12alpha1",
                "v1alpha2",
                "v1alpha1",
                "V1",
                "foo",
                "foo1",
                "foo10",
                "foo2",
                "v",
                "v1beta",
                "v1gamma1",
                "version1");
        List<String> shuffled = new ArrayList<>(order);
        Collections.shuffle(shuffled, new Random(1));

        shuffled.sort(VersionOrder.PREFERRED_FIRST);

        assertThat(shuffled).isEqualTo(order);
    }
}
