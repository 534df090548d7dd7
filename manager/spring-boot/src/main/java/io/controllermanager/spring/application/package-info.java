/**
 * What an application gets beyond its beans: the flags that operators of kube-controller-manager know, defaults of lowest
 * precedence, and, for those that start by {@link
 * io.controllermanager.spring.application.ControllerManagerApplication#run}, one line for each start error, help and exit
 * codes.
 */
@NullMarked
package io.controllermanager.spring.application;

import org.jspecify.annotations.NullMarked;
