package io.controllermanager.spring.application;

import io.kubernetes.client.informer.SharedInformer;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.spring.extended.controller.KubernetesInformerFactoryProcessor;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesInformers;
import org.springframework.beans.factory.aot.BeanRegistrationExcludeFilter;
import org.springframework.beans.factory.support.RegisteredBean;

/**
 * Says what of client-java's {@link KubernetesInformers} a prepared context has. The processor that reads the annotation
 * makes informers and listers at each start, so these are not prepared. Where no bean has the annotation, the processor
 * would look through all beans for nothing, and is left out. Runs in the build alone.
 */
@SuppressWarnings("deprecation") // client-java's annotations, which are there to be supported
final class DeclaredInformersAotFilter implements BeanRegistrationExcludeFilter {

    @Override
    public boolean isExcludedFromAotProcessing(RegisteredBean bean) {
        Class<?> type = bean.getBeanClass();
        if (type == KubernetesInformerFactoryProcessor.class) {
            return bean.getBeanFactory().getBeanNamesForAnnotation(KubernetesInformers.class).length == 0;
        }
        return bean.getMergedBeanDefinition().getInstanceSupplier() != null
                && (SharedInformer.class.isAssignableFrom(type) || type == Lister.class);
    }
}
