package io.controllermanager.spring.autoconfigure;

import io.controllermanager.client.internal.connection.ApiConnection;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.spring.extended.controller.KubernetesInformerFactoryProcessor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Makes the informers that {@code @KubernetesInformers} declares with the host's client. client-java's own takes the bean of
 * type {@link ApiClient}, which may lead to another cluster, changes its read timeout, and fails where there are several.
 */
@SuppressWarnings("deprecation") // client-java's annotations, which are there to be supported
final class HostInformerProcessor extends KubernetesInformerFactoryProcessor {

    @Override
    public void setBeanFactory(BeanFactory beans) {
        InvocationHandler withHostClient = (proxy, method, arguments) -> {
            if (method.getName().equals("getBean") && arguments.length == 1 && arguments[0] == ApiClient.class) {
                return beans.getBean(ApiConnection.class).apiClient();
            }
            try {
                return method.invoke(beans, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        super.setBeanFactory((BeanFactory) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ConfigurableListableBeanFactory.class}, withHostClient));
    }
}
