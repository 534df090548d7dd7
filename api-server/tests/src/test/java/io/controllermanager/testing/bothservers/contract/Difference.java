package io.controllermanager.testing.bothservers.contract;

/** Where the embedded server differs from the real one on purpose. docs/embedded-api-server.md tells of each by its name. */
enum Difference {
    /** A CRD whose rules use a function that is not there is refused; what rules cost is not estimated. */
    CEL_WITHOUT_SOME_FUNCTIONS_AND_COST,
    /** Protobuf is read, but answers are JSON. */
    NO_ANSWERS_IN_PROTOBUF,
    /** A custom resource in protobuf gets 415; the real server breaks the request off. */
    PROTOBUF_OF_CUSTOM_RESOURCES
}
