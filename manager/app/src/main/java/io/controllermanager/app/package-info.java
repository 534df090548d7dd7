/** The executable: flags as operators of kube-controller-manager know them, one line for each error, exit codes. */
@NullMarked
package io.controllermanager.app;

import org.jspecify.annotations.NullMarked;
