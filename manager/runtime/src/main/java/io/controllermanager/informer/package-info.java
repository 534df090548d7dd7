/**
 * Local copies of the API server's objects, always current: what a controller selects ({@link
 * io.controllermanager.informer.Selection}), reads ({@link io.controllermanager.informer.Informer}, {@link
 * io.controllermanager.informer.StoreSnapshot}) and finds by ({@link io.controllermanager.informer.Indexers}).
 */
@NullMarked
package io.controllermanager.informer;

import org.jspecify.annotations.NullMarked;
