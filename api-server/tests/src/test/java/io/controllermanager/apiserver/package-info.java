/** Tests of the embedded server alone: faults, size, speed, and the clients that no one here wrote. */
@NullMarked
package io.controllermanager.apiserver;

import org.jspecify.annotations.NullMarked;
