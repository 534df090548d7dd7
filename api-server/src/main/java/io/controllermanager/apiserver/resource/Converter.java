package io.controllermanager.apiserver.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Makes objects of one version of a custom type those of another. For use by any thread; it may take its time. */
@FunctionalInterface
public interface Converter {

    /**
     * Converts objects, which are all of other versions.
     *
     * @param apiVersion what they are to be of
     * @return as many, in the same order, for the caller to keep
     * @throws io.controllermanager.apiserver.http.StatusException 500 if that does not work
     */
    List<ObjectNode> convert(List<ObjectNode> objects, String apiVersion);
}
