@NullMarked
package io.controllermanager.client.internal.plan;

import org.jspecify.annotations.NullMarked;
