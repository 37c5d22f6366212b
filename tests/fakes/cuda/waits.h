#pragma once

#include "work.h"

namespace kmux::fake_cuda {

/// Lets a stream that was checked wait for `event`: on the timeline, or in the graph of a capture. A stream that waits for
/// an event of a capture joins it.
///
/// Errors: kCaptureInvalidated; kCaptureIsolation for what was recorded outside of the stream's capture; kCaptureMerge for
/// what another capture recorded. Both invalidate.
CUresult wait_in(CUstream stream, const Event& event);

/// Records `event` as the last of a stream that was checked.
///
/// Errors: as `submit`.
CUresult record_in(Work& work, CUstream stream, CUevent handle, Event& event);

}  // namespace kmux::fake_cuda
