/**
 * CustomResourceDefinitions from Java classes, as YAML: {@link io.controllermanager.crd.CustomResourceDefinition} is the way in,
 * {@link io.controllermanager.crd.Compatibility} judges whether a new schema breaks stored objects. It works at build time;
 * nothing of it belongs into an application.
 *
 * <p>The classes are read by reflection, field by field, as client-java's Gson reads their objects. The generators that exist do
 * the easy half of it: fabric8's crd-generator reads Jackson's names and its own annotations, not Gson's nor jakarta.validation's.
 * victools' jsonschema-generator takes those, and needs a rule of ours for all the rest (nullness, quantities, enums, bytes,
 * lists and maps for apply, CEL, defaults, no {@code $ref}), for 17 MB.
 */
@NullMarked
package io.controllermanager.crd;

import org.jspecify.annotations.NullMarked;
