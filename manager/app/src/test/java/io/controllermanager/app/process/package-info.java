/** The executable as a process: how it starts, what it writes, what it goes through, how it ends. */
@NullMarked
package io.controllermanager.app.process;

import org.jspecify.annotations.NullMarked;
