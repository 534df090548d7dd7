/** The pages {@code /statusz} and {@code /flagz} of Kubernetes' components, in the formats of Kubernetes 1.36. */
@NullMarked
package io.controllermanager.spring.actuate.zpages;

import org.jspecify.annotations.NullMarked;
