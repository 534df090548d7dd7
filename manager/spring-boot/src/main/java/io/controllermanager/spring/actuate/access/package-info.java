/**
 * Asks those who use the actuator for a bearer token, as controller-runtime's {@code WithAuthenticationAndAuthorization}
 * does for metrics: the API server says by a TokenReview whose token it is, and by a SubjectAccessReview whether that user
 * may use this verb on this path. What it said holds for a while, so that a scrape costs no request.
 */
@NullMarked
package io.controllermanager.spring.actuate.access;

import org.jspecify.annotations.NullMarked;
