import Synchronization

/// Runs jobs one at a time on the global pool's threads, in the order of their arrival.
final class InlineExecutor: SerialExecutor {
  private let queue = Mutex<(jobs: [UnownedJob], isRunning: Bool)>(([], false))

  func enqueue(_ job: consuming ExecutorJob) {
    let unowned = UnownedJob(job)
    let starts = queue.withLock { queue in
      queue.jobs.append(unowned)
      defer { queue.isRunning = true }
      return !queue.isRunning
    }
    if starts { Task.detached { [self] in drain() } }
  }

  private func drain() {
    while let job = next() { job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  private func next() -> UnownedJob? {
    queue.withLock { queue in
      if queue.jobs.isEmpty {
        queue.isRunning = false
        return nil
      }
      return queue.jobs.removeFirst()
    }
  }
}
