/** The shapes in which clients take objects: JSON, YAML, metadata alone, and the tables that kubectl prints. */
@NullMarked
package io.controllermanager.apiserver.table;

import org.jspecify.annotations.NullMarked;
