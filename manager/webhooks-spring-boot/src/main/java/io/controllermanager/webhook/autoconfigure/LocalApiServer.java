package io.controllermanager.webhook.autoconfigure;

/** Says that the API server runs in this process, as in a test, and reaches it by a URL. */
record LocalApiServer() {}
