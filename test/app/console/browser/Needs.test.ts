import { describe, expect, test } from "bun:test"
import { byNeed, needOf } from "../../../../src/app/console/browser/screens/Needs.ts"

const sound = {
  delta: 0,
  findings: { critical: 0, info: 0, warning: 0 },
  finished_at: "2026-11-24T10:00:00Z",
  next_at: "2026-11-25T10:00:00Z",
  run_id: "r",
  running_run_id: null,
  score: 95,
  scores: []
}
const unknown = { ...sound, delta: null, findings: null, finished_at: null, run_id: null, score: null }

describe("a site needs its owner", () => {
  test("for critical findings, a fall, a poor score, and where nothing is known of it", () => {
    const told = [
      { ...sound, findings: { ...sound.findings, critical: 2 } },
      { ...sound, delta: -12 },
      { ...sound, score: 20 },
      { ...sound, score: null },
      unknown
    ].map((health) => needOf(health).words)
    expect(told).toEqual([
      "2 critical findings",
      "fell by 12 points",
      "poor score",
      "nothing could be measured",
      "never checked"
    ])
  })

  test("for nothing else: not for a point or two, nor while its first run goes on", () => {
    const told = [sound, { ...sound, delta: -2 }, { ...unknown, running_run_id: "r" }]
    expect(told.map((health) => needOf(health).words)).toEqual([null, null, null])
  })

  test("in this order, those that need the same by their score", () => {
    const sites = [
      { health: sound, name: "sound" },
      { health: unknown, name: "unknown" },
      { health: { ...sound, findings: { ...sound.findings, critical: 1 }, score: 80 }, name: "better" },
      { health: { ...sound, findings: { ...sound.findings, critical: 1 }, score: 60 }, name: "worse" },
      { health: { ...sound, delta: -5 }, name: "falling" }
    ]
    expect(byNeed(sites).map(({ name }) => name)).toEqual(["worse", "better", "falling", "unknown", "sound"])
  })
})
