@NullMarked
package io.controllermanager.apiserver.junit;

import org.jspecify.annotations.NullMarked;
