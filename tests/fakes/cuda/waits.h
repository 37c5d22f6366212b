#pragma once

#include "work.h"

namespace kmux::fake_cuda {

/// Makes a stream wait for `event`: on the timeline, or in the graph of a capture. The caller must have checked the
/// stream. A stream that waits for an event of a capture joins that capture.
///
/// Errors: kCaptureInvalidated; kCaptureIsolation for an event recorded outside of the stream's capture; kCaptureMerge
/// for an event of another capture; STREAM_CAPTURE_IMPLICIT if the legacy stream would join. The last three invalidate.
CUresult wait_in(CUstream stream, const Event& event);

/// Records `event` after the last operation of a stream. The caller must have checked the stream.
///
/// Errors: as `submit`.
CUresult record_in(Work& work, CUstream stream, CUevent handle, Event& event);

}  // namespace kmux::fake_cuda
