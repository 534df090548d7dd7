/** The shapes in which clients take objects: JSON, YAML, metadata alone, and the tables that kubectl prints. */
@NullMarked
package io.controllermanager.testing.apiserver.table;

import org.jspecify.annotations.NullMarked;
