#include "single_flight.h"

#include <unistd.h>

namespace kmux {

Flight::Flight() : process_(::getpid()) {}

const Flight::Outcome& Flight::land(Outcome outcome) {
  promise_.set_value(std::move(outcome));
  return wait();
}

SingleFlight::Seat SingleFlight::board(const std::string& key) {
  const std::lock_guard guard(mutex_);
  if (const auto found = flights_.find(key); found != flights_.end()) {
    std::shared_ptr<Flight> flight = found->second.lock();
    if (flight != nullptr && flight->process() == ::getpid()) return {std::move(flight), false};
  }
  std::erase_if(flights_, [](const auto& item) { return item.second.expired(); });
  auto flight = std::make_shared<Flight>();
  flights_[key] = flight;
  return {std::move(flight), true};
}

}  // namespace kmux
