package io.controllermanager.spring.autoconfigure;

/**
 * Something that a plan does not tell, though the process would do it. A bean.
 *
 * @param sentence for people
 */
public record PlanNote(String sentence) {}
