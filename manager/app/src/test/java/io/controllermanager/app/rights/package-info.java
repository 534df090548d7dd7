/**
 * Which rights a release of the chart needs: its pods run as processes with their service account's token, the API server's
 * audit log tells what they use, and each right is taken away to see what fails.
 */
@NullMarked
package io.controllermanager.app.rights;

import org.jspecify.annotations.NullMarked;
