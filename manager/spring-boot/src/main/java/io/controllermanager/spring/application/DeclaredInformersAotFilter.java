package io.controllermanager.spring.application;

import io.kubernetes.client.spring.extended.controller.KubernetesInformerFactoryProcessor;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesInformers;
import org.springframework.beans.factory.aot.BeanRegistrationExcludeFilter;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.ResolvableType;

/**
 * Says what of client-java's {@link KubernetesInformers} a prepared context has. The processor that reads the annotation
 * makes informers and listers at each start, so these are not prepared. Where no bean has the annotation, the processor
 * would look through all beans for nothing, and is left out. Runs in the build alone.
 */
@SuppressWarnings("deprecation") // client-java's annotations, which are there to be supported
final class DeclaredInformersAotFilter implements BeanRegistrationExcludeFilter {

    @Override
    public boolean isExcludedFromAotProcessing(RegisteredBean bean) {
        if (bean.getBeanClass() == KubernetesInformerFactoryProcessor.class) {
            return bean.getBeanFactory().getBeanNamesForAnnotation(KubernetesInformers.class).length == 0;
        }
        RootBeanDefinition definition = bean.getMergedBeanDefinition();
        return definition.getInstanceSupplier() != null
                && isOfProcessor(bean.getBeanName(), definition.getResolvableType());
    }

    /** By the names that the processor gives: what others make so is for Spring to refuse. */
    private static boolean isOfProcessor(String name, ResolvableType type) {
        Class<?> object = type.resolveGeneric();
        return object != null && (name.equals(object.getName() + "Informer") || name.equals(type.toString()));
    }
}
