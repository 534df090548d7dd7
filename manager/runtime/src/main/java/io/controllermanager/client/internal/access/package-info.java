/**
 * Where the API server is and with which credentials it is asked: kubeconfigs, credential plugins and service accounts, as
 * kubectl reads them. {@link io.controllermanager.client.internal.access.ApiAccessResolver} is the way in.
 */
@NullMarked
package io.controllermanager.client.internal.access;

import org.jspecify.annotations.NullMarked;
