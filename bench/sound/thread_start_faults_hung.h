#pragma once

namespace kmux::bench {

/// How many processes hung or died that compile, call and end, and could not have one thread, child or descriptor: each of
/// those that they ask for, 100 of a kind at most, in a process of its own, with both engines of backend cpu and with worker processes.
double thread_start_faults_hung();

}  // namespace kmux::bench
