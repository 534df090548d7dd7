/** JSON and YAML text, the manifests that are written in it, and what all Kubernetes objects have in common. */
@NullMarked
package io.controllermanager.apiserver.json;

import org.jspecify.annotations.NullMarked;
