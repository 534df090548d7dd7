/**
 * Who asks, and whether RBAC's rules let them: kubernetes' plugin/pkg/auth/authorizer/rbac and the filters of apiserver
 * before it, for a server that was asked to authorize.
 */
@NullMarked
package io.controllermanager.apiserver.access;

import org.jspecify.annotations.NullMarked;
