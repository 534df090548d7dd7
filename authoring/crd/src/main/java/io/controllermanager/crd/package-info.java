/**
 * CustomResourceDefinitions from Java classes, as YAML: {@link io.controllermanager.crd.CustomResourceDefinition} is the way in,
 * {@link io.controllermanager.crd.Compatibility} judges whether a new schema breaks stored objects. It works at build time;
 * nothing of it belongs into an application.
 *
 * <p>The classes are read by reflection, field by field, as client-java's Gson reads their objects. Of the 97 statements in the
 * schemas of Foo, Network and Website, fabric8's crd-generator makes 42: it reads Jackson's names and its own annotations, not
 * Gson's nor jakarta.validation's. victools' jsonschema-generator makes 61: types, formats and limits. Both leave out what is
 * particular to Kubernetes (nullness, lists and maps for apply, CEL, defaults, conditions), which needs the same reflection
 * again.
 */
@NullMarked
package io.controllermanager.crd;

import org.jspecify.annotations.NullMarked;
