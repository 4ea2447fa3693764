import CVoiceDSP
import Testing

@Suite struct LevelTests {
  @Test func aFullScaleSineMeasuresMinusThreeDecibels() {
    let sine = Signal.tone(1_000, rate: 48_000, count: 4_800, amplitude: 1)
    #expect(abs(vd_level_dbfs(sine, sine.count) + 3.01) < 0.05)
  }

  @Test func silenceAndNonsenseMeasureTheFloor() {
    #expect(vd_level_dbfs([Float](repeating: 0, count: 480), 480) == -120)
    #expect(vd_level_dbfs([.nan, 1], 2) == -120)
    #expect(vd_level_dbfs([], 0) == -120)
  }

  @Test func theMeterRisesAtOnceAndFallsTwentyDecibelsASecond() {
    var level = vd_level()
    let loud = [Float](repeating: 0.1, count: 480)
    let silent = [Float](repeating: 0, count: 480)
    #expect(abs(vd_level_update(&level, loud, 480, 0.01) - 2.0 / 3) < 0.001)
    var meter: Float = 1
    for _ in 0..<100 { meter = vd_level_update(&level, silent, 480, 0.01) }
    #expect(abs(meter - 1.0 / 3) < 0.001)
    for _ in 0..<200 { meter = vd_level_update(&level, silent, 480, 0.01) }
    #expect(meter == 0)
  }
}
