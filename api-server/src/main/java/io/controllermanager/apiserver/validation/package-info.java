/** What kube-apiserver's hand-written validation says of built-in types, as tables of rules (pkg/apis/core/validation). */
@NullMarked
package io.controllermanager.apiserver.validation;

import org.jspecify.annotations.NullMarked;
