import { describe, expect, test } from "bun:test"
import { byNeed, needOf } from "../../../../src/app/console/browser/screens/Needs.ts"

const sound = {
  delta: 0,
  failed: null,
  findings: { critical: 0, info: 0, warning: 0 },
  finished_at: "2026-11-24T10:00:00Z",
  next_at: "2026-11-25T10:00:00Z",
  run_id: "r",
  running_run_id: null,
  score: 95,
  scores: [],
  status: "completed" as const
}
const unknown = { ...sound, delta: null, findings: null, finished_at: null, run_id: null, score: null, status: null }
const failed = { finished_at: "2026-11-25T10:00:00Z", message: "No address", run_id: "f" }

describe("the urgency of a site", () => {
  test("has words for critical issues, a falling score, a poor score, a missing score, no completed crawl and a failed one", () => {
    const told = [
      { ...sound, findings: { ...sound.findings, critical: 2 } },
      { ...sound, delta: -12 },
      { ...sound, score: 20 },
      { ...sound, score: null },
      unknown,
      { ...unknown, failed },
      { ...sound, failed }
    ].map((health) => needOf(health).words)
    expect(told).toEqual([
      "2 critical issues",
      "score down 12 points",
      "poor score",
      "no score: no page could be crawled",
      "no completed crawl",
      "crawl failed",
      "latest crawl failed"
    ])
  })

  test("has no words for a score that fell by two points, nor for a site in its first crawl", () => {
    const told = [
      sound,
      { ...sound, delta: -2 },
      { ...unknown, running_run_id: "r" },
      { ...unknown, failed, running_run_id: "r" }
    ]
    expect(told.map((health) => needOf(health).words)).toEqual([null, null, null, null])
  })

  test("orders the list of sites, and equally urgent sites are ordered by score", () => {
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
