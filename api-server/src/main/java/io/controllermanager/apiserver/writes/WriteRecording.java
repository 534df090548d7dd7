package io.controllermanager.apiserver.writes;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The writes since its beginning and until it is closed, in their order. For use by any thread. */
public final class WriteRecording implements AutoCloseable {

    private final List<RecordedWrite> writes = new ArrayList<>();
    private final Consumer<WriteRecording> onClose;

    WriteRecording(Consumer<WriteRecording> onClose) {
        this.onClose = onClose;
    }

    synchronized void add(RecordedWrite write) {
        writes.add(write);
    }

    /** All so far. */
    public synchronized List<RecordedWrite> writes() {
        return List.copyOf(writes);
    }

    /** Ends the recording; its writes can still be read. */
    @Override
    public void close() {
        onClose.accept(this);
    }
}
