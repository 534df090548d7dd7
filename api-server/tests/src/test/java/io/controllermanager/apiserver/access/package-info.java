@NullMarked
package io.controllermanager.apiserver.access;

import org.jspecify.annotations.NullMarked;
