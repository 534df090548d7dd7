package io.controllermanager.client.internal.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MergeDiffTest {

    private static JsonObject json(String text) {
        return JsonParser.parseString(text.replace('\'', '"')).getAsJsonObject();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {'a':1}                              | {'a':1}                              | {}
            {'a':1}                              | {'a':1.0}                            | {}
            {'a':1.2345678901234568e+29}         | {'a':123456789012345678901234567890} | {}
            {'a':9007199254740992}               | {'a':9007199254740993}               | {'a':9007199254740993}
            {'a':[{'b':[9007199254740992]}]}     | {'a':[{'b':[9007199254740993]}]}     | {'a':[{'b':[9007199254740993]}]}
            {'a':[{'b':1,'c':2}]}                | {'a':[{'c':2,'b':1}]}                | {}
            {'a':[1,2]}                          | {'a':[1]}                            | {'a':[1]}
            {'a':[{'b':1}]}                      | {'a':[{'b':1,'c':2}]}                | {'a':[{'b':1,'c':2}]}
            {'a':1}                              | {'a':'1'}                            | {'a':'1'}
            {'a':{'b':1,'c':2}}                  | {'a':{'c':3}}                        | {'a':{'c':3,'b':null}}
            """)
    void isWhatTheApiServerWouldChange(String from, String to, String patch) {
        assertThat(MergeDiff.between(json(from), json(to)))
                .hasToString(json(patch).toString());
        assertThat(MergeDiff.between(MergeDiff.apply(json(from), json(patch)), json(to)))
                .isEqualTo(new JsonObject());
    }
}
