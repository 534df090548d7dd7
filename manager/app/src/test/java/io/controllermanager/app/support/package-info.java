/** What the tests of all rooms use: the manifests of {@code config}, programs that run to their end, YAML, ports. */
@NullMarked
package io.controllermanager.app.support;

import org.jspecify.annotations.NullMarked;
