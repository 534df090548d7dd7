package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Service accounts' tokens, and reviews: who somebody is, and what he may do. */
@Execution(ExecutionMode.CONCURRENT)
class TokenContractTest extends Contract {

    private static final String TOKEN_REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews";
    private static final String SELF = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    private static final String REVIEWS = "/apis/authorization.k8s.io/v1/";

    private final String accounts = "/api/v1/namespaces/" + namespace + "/serviceaccounts";
    private final String account = "system:serviceaccount:" + namespace + ":robot";

    TokenContractTest(TestedServer server) {
        super(server);
        api.create(accounts, json("{'metadata':{'name':'robot'}}")).ok();
    }

    private Reply request(String body) {
        return api.create(accounts + "/robot/token", json(body));
    }

    private String token() {
        return request("{}").ok().at("/status/token");
    }

    private JsonNode review(String token, String audiences) {
        ObjectNode review = json("{'spec':{'audiences':%s}}", audiences);
        ((ObjectNode) review.path("spec")).put("token", token);
        return api.create(TOKEN_REVIEWS, review).ok().node("/status");
    }

    @Test
    void aTokenIsForAnHourUnlessAskedOtherwise() {
        Reply hour = request("{}").ok();
        assertThat(hour.code()).isEqualTo(201);
        assertThat(hour.at("/kind")).isEqualTo("TokenRequest");
        assertThat(hour.at("/apiVersion")).isEqualTo("authentication.k8s.io/v1");
        assertThat(hour.at("/metadata/name")).isEqualTo("robot");
        assertThat(hour.at("/metadata/namespace")).isEqualTo(namespace);
        assertThat(hour.at("/spec/expirationSeconds")).isEqualTo("3600");
        assertThat(hour.node("/spec/audiences")).hasSize(1);
        assertThat(lifetime(hour)).isEqualTo(Duration.ofHours(1));
        Reply longer = request("{'spec':{'expirationSeconds':7200}}").ok();
        assertThat(lifetime(longer)).isEqualTo(Duration.ofHours(2));
    }

    private static Duration lifetime(Reply reply) {
        return Duration.between(
                Instant.parse(reply.at("/metadata/creationTimestamp")),
                Instant.parse(reply.at("/status/expirationTimestamp")));
    }

    @Test
    void aTokenSaysWhoItsBearerIs() {
        JsonNode status = review(token(), "[]");
        assertThat(status.path("authenticated").asBoolean()).isTrue();
        assertThat(status.at("/user/username").asText()).isEqualTo(account);
        assertThat(status.at("/user/uid").asText())
                .isEqualTo(api.get(accounts + "/robot").uid());
        assertThat(texts(status.at("/user/groups")))
                .containsExactlyInAnyOrder(
                        "system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated");
        assertThat(status.has("error")).isFalse();
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(item -> texts.add(item.asText()));
        return texts;
    }

    @Test
    void aTokenIsForItsAudiences() {
        String token = request("{'spec':{'audiences':['vault']}}").ok().at("/status/token");
        assertThat(review(token, "['vault','other']").path("authenticated").asBoolean())
                .isTrue();
        assertThat(review(token, "['other']").path("authenticated").asBoolean()).isFalse();
        assertThat(review(token, "[]").path("authenticated").asBoolean()).isFalse();
    }

    @Test
    void aTokenEndsWithItsAccount() {
        String token = token();
        assertThat(review(token, "[]").path("authenticated").asBoolean()).isTrue();
        api.delete(accounts + "/robot").ok();
        api.create(accounts, json("{'metadata':{'name':'robot'}}")).ok();
        eventually(() -> assertThat(review(token, "[]").path("authenticated").asBoolean())
                .isFalse());
    }

    /** Two of them begin as the embedded server's own do. */
    @ParameterizedTest
    @ValueSource(strings = {"abc", "eyJhbGciOiJub25lIn0..", "eyJhbGciOiJub25lIn0.W10."})
    void nobodyElsesTokenIsGood(String token) {
        JsonNode status = review(token, "[]");
        assertThat(status.path("authenticated").asBoolean()).isFalse();
        assertThat(status.path("error").asText()).contains("invalid bearer token");
        assertThat(status.path("user")).isEmpty();
        assertThat(api.create(TOKEN_REVIEWS, json("{'spec':{}}"))
                        .refused(400, "BadRequest")
                        .message())
                .isEqualTo("token is required for TokenReview in authentication");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            {'spec':{'expirationSeconds':599}} | Invalid | spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes
            {'spec':{'expirationSeconds':4294967297}} | Invalid | spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds
            {'metadata':{'name':'other'}} | Invalid | metadata.name: Invalid value: "other": must match the service account name if specified
            {'metadata':{'namespace':'other'}} | BadRequest | the namespace of the provided object does not match the namespace sent on the request
            {'metadata':{'uid':'1'}} | Conflict | the UID in the token request (1) does not match the UID of the service account
            {'kind':'ServiceAccount','apiVersion':'v1'} | BadRequest | ServiceAccount in version "v1" cannot be handled as a TokenRequest
            """)
    void refusesBadRequests(String body, String reason, String message) {
        Reply refused = request(body);
        assertThat(refused.at("/reason")).as("%s", refused.body()).isEqualTo(reason);
        assertThat(refused.message()).contains(message);
    }

    @Test
    void givesNoTokensToWhomThereIsNot() {
        assertThat(api.create(accounts + "/nobody/token", json("{}"))
                        .refused(404, "NotFound")
                        .message())
                .isEqualTo("serviceaccounts \"nobody\" not found");
        api.get(accounts + "/robot/token").refused(405, "MethodNotAllowed");
        api.get(TOKEN_REVIEWS).refused(405, "MethodNotAllowed");
    }

    @Test
    void everyoneMayAskWhoHeIs() {
        Api jane = new Api(server.clientFor("jane-" + namespace, "writers"));
        Reply self = jane.create(SELF, json("{}")).ok();
        assertThat(self.at("/kind")).isEqualTo("SelfSubjectReview");
        assertThat(self.at("/status/userInfo/username")).isEqualTo("jane-" + namespace);
        assertThat(texts(self.node("/status/userInfo/groups"))).contains("writers", "system:authenticated");
    }

    @Test
    void everyoneMayAskWhatHeMayDo() {
        String user = "jane-" + namespace;
        Api jane = new Api(server.clientFor(user));
        new Rights(api, namespace, user).grant("'apiGroups':[''],'resources':['configmaps'],'verbs':['get','list']");
        ObjectNode rules = json("{'spec':{'namespace':'%s'}}", namespace);
        eventually(() -> assertThat(jane.create(REVIEWS + "selfsubjectrulesreviews", rules)
                        .ok()
                        .node("/status/resourceRules"))
                .contains(json("{'verbs':['get','list'],'apiGroups':[''],'resources':['configmaps']}")));
        Reply listed = jane.create(REVIEWS + "selfsubjectrulesreviews", rules).ok();
        assertThat(listed.node("/status/resourceRules"))
                .contains(
                        json(
                                "{'verbs':['create'],'apiGroups':['authentication.k8s.io'],'resources':['selfsubjectreviews']}"));
        assertThat(listed.node("/status/nonResourceRules").toString()).contains("/openapi/*", "/livez");
        assertThat(listed.node("/status/incomplete").isBoolean()).isTrue();
        assertThat(jane.create(REVIEWS + "selfsubjectrulesreviews", json("{'spec':{}}"))
                        .refused(400, "BadRequest")
                        .message())
                .isEqualTo("no namespace on request");

        assertThat(mayI(jane, "get")).isTrue();
        assertThat(mayI(jane, "delete")).isFalse();
        jane.create(REVIEWS + "subjectaccessreviews", access(user, "get")).refused(403, "Forbidden");
        assertThat(api.create(REVIEWS + "subjectaccessreviews", access(user, "get"))
                        .ok()
                        .node("/status/allowed")
                        .asBoolean())
                .isTrue();
        assertThat(api.create(REVIEWS + "subjectaccessreviews", access("john", "get"))
                        .ok()
                        .node("/status/allowed")
                        .asBoolean())
                .isFalse();
    }

    @Test
    void anAccessReviewOfANamespaceIsForWhoeverMayAskThere() {
        String user = "jane-" + namespace;
        String local = REVIEWS + "namespaces/" + namespace + "/localsubjectaccessreviews";
        Api jane = new Api(server.clientFor(user));
        jane.create(local, access(user, "get")).refused(403, "Forbidden");
        new Rights(api, namespace, user)
                .grant(
                        "'apiGroups':['authorization.k8s.io'],'resources':['localsubjectaccessreviews'],'verbs':['create']");
        eventually(() ->
                assertThat(jane.create(local, access(user, "get")).code()).isEqualTo(201));
        Reply reply = jane.create(local, access(user, "get")).ok();
        assertThat(reply.at("/kind")).isEqualTo("LocalSubjectAccessReview");
        assertThat(reply.at("/metadata/namespace")).isEqualTo(namespace);
        assertThat(reply.node("/status/allowed").asBoolean(true)).isFalse();
        new Rights(api, namespace, user).bind("missing", "Role", "missing");
        eventually(() -> assertThat(jane.create(local, access(user, "get")).at("/status/reason"))
                .isEqualTo("RBAC: role.rbac.authorization.k8s.io \"missing\" not found"));
        jane.create(REVIEWS + "namespaces/default/localsubjectaccessreviews", access(user, "get"))
                .refused(403, "Forbidden");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            selfsubjectaccessreviews | {} | spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified
            selfsubjectaccessreviews | {'resourceAttributes':{},'nonResourceAttributes':{}} | : cannot be specified in combination with resourceAttributes
            subjectaccessreviews | {'resourceAttributes':{}} | spec.user: Invalid value: "": at least one of user or group must be specified
            subjectaccessreviews | {} | , spec.user: Invalid value: "": at least one of user or group must be specified]
            namespaces/%s/localsubjectaccessreviews | {'user':'a','resourceAttributes':{'namespace':'b'}} | spec.resourceAttributes.namespace: Invalid value: "b": must match metadata.namespace
            namespaces/%s/localsubjectaccessreviews | {'groups':['a'],'nonResourceAttributes':{'path':'/'}} | : disallowed on this kind of request
            """)
    void refusesAccessReviewsThatAreNone(String path, String spec, String message) {
        Reply refused = api.create(REVIEWS + path.formatted(namespace), json("{'spec':" + spec + "}"))
                .refused(422, "Invalid");
        assertThat(refused.message()).contains(message).contains(".authorization.k8s.io \"\" is invalid: ");
    }

    @Test
    void accessReviewsHaveNoMetadata() {
        ObjectNode named = access("jane", "get");
        named.putObject("metadata").put("name", "a");
        assertThat(api.create(REVIEWS + "subjectaccessreviews", named)
                        .refused(422, "Invalid")
                        .message())
                .contains("metadata: Invalid value: {\"name\":\"a\"", "}: must be empty");
    }

    private boolean mayI(Api asking, String verb) {
        ObjectNode review = access("", verb);
        ((ObjectNode) review.path("spec")).remove("user");
        return asking.create(REVIEWS + "selfsubjectaccessreviews", review)
                .ok()
                .node("/status/allowed")
                .asBoolean();
    }

    private ObjectNode access(String user, String verb) {
        return json(
                "{'spec':{'user':'%s','resourceAttributes':{'namespace':'%s','verb':'%s','resource':'configmaps'}}}",
                user, namespace, verb);
    }
}
