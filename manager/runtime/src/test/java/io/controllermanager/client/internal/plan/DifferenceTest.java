package io.controllermanager.client.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DifferenceTest {

    private static @Nullable JsonObject json(@Nullable String text) {
        return text == null
                ? null
                : JsonParser.parseString(text.replace('\'', '"')).getAsJsonObject();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {'spec':{'replicas':1}}                      | {'spec':{'replicas':3}}                     | spec.replicas: 1 -> 3
            {'spec':{'replicas':1}}                      | {'spec':{'replicas':1.0}}                   |
            {'spec':{}}                                  | {'spec':{'a':'x'}}                          | spec.a: "x"
            {'spec':{'a':'x'}}                           | {}                                          | spec.a: "x" -> (gone)
            {'c':[{'name':'a','i':1},{'name':'b'}]}      | {'c':[{'name':'b'},{'name':'a','i':2}]}     | c[a].i: 1 -> 2
            {'c':[1,2]}                                  | {'c':[1,3]}                                 | c[1]: 2 -> 3
            {'metadata':{'labels':{'a.b/c':'1'}}}        | {'metadata':{'labels':{'a.b/c':'2'}}}       | metadata.labels[a.b/c]: "1" -> "2"
            {'metadata':{'uid':'1','generation':1}}      | {'metadata':{'uid':'2','generation':2}}     |
            {'spec':{'a':{}}}                            | {'spec':{}}                                 | spec.a: {} -> (gone)
                                                         | {'apiVersion':'v1','kind':'A','a':{'b':1}}  | a.b: 1
            {'apiVersion':'v1','kind':'Secret','data':{'a':'x'}} | {'apiVersion':'v1','kind':'Secret','data':{'a':'y'}} | data.a: "(hidden)" -> "(hidden)"
            """)
    void isReadable(@Nullable String before, @Nullable String after, @Nullable String text) {
        assertThat(Difference.texts(Difference.between(json(before), json(after), true)))
                .isEqualTo(text == null ? List.of() : List.of(text));
    }
}
