#pragma once

struct whisper_context;

/// Has every backend of the context ask `shouldAbort` between the nodes of a graph.
/// An aborted call returns an error; the next call on the same context is correct.
void setWhisperAbort(whisper_context *context, bool (*shouldAbort)(void *), void *data);
