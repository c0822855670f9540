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

describe("a site needs attention", () => {
  test("for critical issues, a drop of its score, a poor or missing score, and before its first completed crawl", () => {
    const told = [
      { ...sound, findings: { ...sound.findings, critical: 2 } },
      { ...sound, delta: -12 },
      { ...sound, score: 20 },
      { ...sound, score: null },
      unknown
    ].map((health) => needOf(health).words)
    expect(told).toEqual([
      "2 critical issues",
      "score down 12 points",
      "poor score",
      "no score: no page could be crawled",
      "no completed crawl"
    ])
  })

  test("for nothing else: not for a point or two, and not during its first crawl", () => {
    const told = [sound, { ...sound, delta: -2 }, { ...unknown, running_run_id: "r" }]
    expect(told.map((health) => needOf(health).words)).toEqual([null, null, null])
  })

  test("in this order, and sites of equal urgency are in the order of their scores", () => {
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
