package io.controllermanager.maven;

import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.List;

/**
 * A module whose classes are compiled.
 *
 * @param classes the folder of its classes, {@code target/classes}
 * @param loader loads them and what they use
 * @param runtime finds the resources that are on the class path when the application runs
 * @param sources the folders of its sources, those that are generated too
 * @param encoding that of the sources
 */
record CompiledModule(Path classes, ClassLoader loader, ClassLoader runtime, List<Path> sources, Charset encoding) {}
