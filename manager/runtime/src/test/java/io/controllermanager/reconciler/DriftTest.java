package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DriftTest {

    /** JSON with single quotes for double ones. */
    private static JsonObject json(String text) {
        return JsonParser.parseString(text.replace('\'', '"')).getAsJsonObject();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {'a':1}                                  | {'a':1}
            {'a':1}                                  | {'a':1,'b':2}
            {'a':1}                                  | {'a':1.0}
            {'a':{'b':'c'}}                          | {'a':{'b':'c','d':'e'},'status':{}}
            {'a':''}                                 | {}
            {'spec':{'minReadySeconds':0}}           | {'spec':{}}
            {'containers':[{'name':'a','tty':false}]} | {'containers':[{'name':'a'}]}
            {'a':[]}                                 | {}
            {'a':{}}                                 | {}
            {'a':{'b':{}}}                           | {'a':{}}
            {'a':[{'x':1}]}                          | {'a':[{'x':1,'default':'y'}]}
            {'resources':{'limits':{'cpu':'1000m'}}} | {'resources':{'limits':{'cpu':'1'}}}
            {'resources':{'limits':{'cpu':1}}}       | {'resources':{'limits':{'cpu':'1'}}}
            {'sizeLimit':'1024Mi'}                   | {'sizeLimit':'1Gi'}
            {'sizeLimit':'1Ei'}                      | {'sizeLimit':'1Ei'}
            {'limits':{'cpu':'0.0000000001'}}        | {'limits':{'cpu':'1m'}}
            {'limits':{'cpu':1.0E-10}}               | {'limits':{'cpu':'1e-3'}}
            {'sizeLimit':'0.0000000001'}             | {'sizeLimit':'1n'}
            {'limits':{'storage':'16Ei'}}            | {'limits':{'storage':'9223372036854775807'}}
            {'a':123456789012345678901234567890}     | {'a':1.2345678901234568e+29}
            {'a':0.12345678901234567890}             | {'a':0.12345678901234568}
            {'a':-0}                                 | {'a':0}
            {'containers':[{'name':'a'}]}            | {'containers':[{'name':'injected'},{'name':'a','image':'b'}]}
            {'containers':[{'name':'a'},{'name':'b'}]} | {'containers':[{'name':'a'},{'name':'c'},{'name':'b'}]}
            {'metadata':{'finalizers':['a/b']}}      | {'metadata':{'finalizers':['c/d','a/b']}}
            {'metadata':{'ownerReferences':[{'uid':'1'}]}} | {'metadata':{'ownerReferences':[{'uid':'0'},{'uid':'1'}]}}
            """)
    void noneWhereWhatIsWantedIsThere(String wanted, String present) {
        assertThat(Drift.between(json(wanted), json(present), true)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {'a':1}                                     | {'a':2}                                     | .a
            {'a':1}                                     | {}                                          | .a
            {'sizeLimit':'1u'}                          | {'sizeLimit':'1m'}                          | .sizeLimit
            {'limits':{'cpu':'1m'}}                     | {'limits':{'cpu':'2m'}}                     | .limits.cpu
            {'a':9007199254740993}                      | {'a':9007199254740992}                      | .a
            {'a':false}                                 | {}                                          | .a
            {'a':'1'}                                   | {'a':1}                                     | .a
            {'a':'1'}                                   | {'a':'1000m'}                               | .a
            {'a':{'b':'c'}}                             | {'a':'c'}                                   | .a
            {'a':{'b':'c','d':'e'}}                     | {'a':{'b':'c','d':'f'}}                     | .a.d
            {'args':['a','b']}                          | {'args':['b','a']}                          | .args
            {'ingress':[{'ports':[{'port':1}]}]}        | {'ingress':[{'ports':[{'port':1},{'port':2}]}]} | .ingress[0].ports
            {'ports':[{'port':1}]}                      | {'ports':[{'port':1},{'port':2}]}           | .ports
            {'subsets':[{'ports':[{'port':1}]}]}        | {'subsets':[{'ports':[{'port':1},{'port':2}]}]} | .subsets[0].ports
            {'data':{'tty':'false'}}                    | {'data':{}}                                 | .data.tty
            {'data':{'max':'1000'}}                     | {'data':{'max':'1k'}}                       | .data.max
            {'tty':true}                                | {}                                          | .tty
            {'args':['a']}                              | {'args':['a','b']}                          | .args
            {'rules':[{'name':'a'}]}                    | {'rules':[{'name':'a'},{'name':'b'}]}       | .rules
            {'containers':[{'name':'a','image':'1'}]}   | {'containers':[{'name':'a','image':'2'}]}   | .containers
            {'containers':[{'name':'a'},{'name':'b'}]}  | {'containers':[{'name':'b'},{'name':'a'}]}  | .containers
            {'resources':{'limits':{'cpu':'1'}}}        | {'resources':{'limits':{'cpu':'2'}}}        | .resources.limits.cpu
            {'metadata':{'labels':{'limits':'1'}}}      | {'metadata':{'labels':{'limits':'1000m'}}}  | .metadata.labels.limits
            {'metadata':{'finalizers':['a/b']}}         | {'metadata':{'finalizers':['c/d']}}         | .metadata.finalizers
            {'a':['']}                                  | {'a':['x']}                                 | .a[0]
            """)
    void namesTheFieldsThatDiffer(String wanted, String present, String path) {
        assertThat(Drift.between(json(wanted), json(present), true).keySet())
                .isNotEmpty()
                .allMatch(found -> found.startsWith(path));
    }

    /** A custom resource's list is taken as a whole unless its CRD says otherwise, and its text is not converted. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {'spec':{'ports':[{'name':'a'}]}} | {'spec':{'ports':[{'name':'a'},{'name':'b'}]}}
            {'limits':{'cpu':'1000m'}} | {'limits':{'cpu':'1'}}
            """)
    void customResourcesAreTakenAtTheirWord(String wanted, String present) {
        assertThat(Drift.between(json(wanted), json(present), false)).isNotEmpty();
        assertThat(Drift.between(json(wanted), json(present), true)).isEmpty();
    }
}
