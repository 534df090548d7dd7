package io.controllermanager.testing.foreigners;

/**
 * Something that a client was told to do, and what came of it.
 *
 * @param output what it wrote, without what differs from run to run
 */
record Step(String command, int exitCode, String output) {}
