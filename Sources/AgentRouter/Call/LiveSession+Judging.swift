import Networking
import Providers

// Asks in a pause whether the person is done, and ends the turn by the answer.
extension LiveSession {
  /// Windows of a pause after which a question that is doubted is judged once more (160 ms).
  static let windowsUntilJudgedAgain = 5

  /// Asks how finished the person sounds. Without an answer the silence alone decides.
  func judge(_ said: [[Int16]], _ number: Int, _ pause: Int) {
    guard agent.turn.isJudged, let model = environment.providers.endOfTurn else { return }
    runtime.task {
      do throws(ProviderError) {
        let completeness = try await model.completeness(of: said.flatMap { $0 })
        await self.judged(completeness, number, pause)
      } catch {
        await self.couldNotJudge(error)
      }
    }
  }

  /// The pause has lasted: a question that is in doubt is judged by more of it.
  func judgeAgain(_ said: [[Int16]], _ number: Int) {
    guard let recognition = recognitions[number], let pause = recognition.pause,
      recognition.judge.isInDoubt
    else { return }
    judge(said, number, pause)
  }

  private func judged(_ completeness: Float, _ number: Int, _ pause: Int) {
    recognitions[number]?.completeness = completeness
    wait(
      recognitions[number]?.judge.heard(completeness: completeness, inPause: pause), number, pause)
  }

  /// The worker's supervisor tells of its trouble; the turns end by silence as if there were none.
  private func couldNotJudge(_: ProviderError) {
    unjudgedPauses += 1
  }

  func wait(_ milliseconds: Int?, _ number: Int, _ pause: Int) {
    guard let milliseconds else { return }
    take(hearing.wait(milliseconds: milliseconds, inPause: pause, of: number))
  }
}
