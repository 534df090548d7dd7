/** Things outside Kubernetes, tried on a real PostgreSQL. */
@NullMarked
package io.controllermanager.app.external;

import org.jspecify.annotations.NullMarked;
