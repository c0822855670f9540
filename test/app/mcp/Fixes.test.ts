import { expect, test } from "bun:test"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { fits } from "../../../src/app/mcp/Tool.ts"
import { fixBody, fixesBody } from "../../../src/app/mcp/tools/Fixes.ts"
import { FixDirective } from "../../../src/features/audits/Domain.ts"
import { promptText } from "../../../src/features/audits/Prompt.ts"

const decode = Schema.decodeUnknownSync(FixDirective)

/** Texts of pages that are long, or that have many tokens. */
const hostile = fc.oneof(
  fc.string({ maxLength: 600, minLength: 100, unit: "grapheme" }),
  fc.string({ maxLength: 600, minLength: 100, unit: "binary" }),
  fc.constantFrom(
    "漢字".repeat(250),
    "👩‍👩‍👧‍👦".repeat(60),
    "a1".repeat(250),
    "%E6%BC%A2".repeat(60),
    '"\\'.repeat(250),
    "a"
  )
)

const fix = fc
  .record({
    category: fc.constantFrom("performance", "seo"),
    evidence: fc.array(hostile, { maxLength: 41 }),
    goal: fc.string({ maxLength: 200 }),
    severity: fc.constantFrom("critical", "warning", "info"),
    steps: fc.array(fc.string({ maxLength: 400 }), { maxLength: 8 }),
    summary: hostile,
    why: fc.string({ maxLength: 2000 })
  })
  .map(({ evidence, goal, steps, summary, why, ...rest }) => ({
    ...rest,
    agent_prompt: promptText({
      done: ["It passes"],
      evidence,
      except: "none",
      find: "Find it.",
      from: "the site",
      goal,
      heading: "A finding",
      hiddenFrom: "the crawler",
      steps
    }),
    human_summary: summary,
    why_it_matters: why
  }))

const fixes = fc
  .array(fix, { maxLength: 40, minLength: 1 })
  .map((all) => all.map((one, place) => decode({ ...one, id: `fix_rule-${place}` })))

const of = fc.constantFrom({ run: crypto.randomUUID() }, { audit: crypto.randomUUID() })

const rowsOf = (body: object): ReadonlyArray<{ id: string; agent_prompt?: unknown; left_out?: string }> =>
  Object(body).rows

test("fixes, however long and however many are asked for in full, fit into an answer that names each of them", () => {
  fc.assert(
    fc.property(of, fixes, (of, fixes) => {
      let before = 0
      for (let limit = 0; limit <= 5; limit++) {
        const body = fixesBody(of, fixes, limit)
        const rows = rowsOf(body)
        expect(fits(body)).toBe(true)
        expect(rows.map(({ id }): string => id)).toEqual(fixes.map(({ id }) => id))
        const full = rows.findIndex((row) => !("agent_prompt" in row))
        const inFull = full === -1 ? rows.length : full
        expect(inFull).toBeGreaterThanOrEqual(Math.max(before, Math.min(1, limit)))
        expect(inFull).toBeLessThanOrEqual(limit)
        expect(rows.slice(inFull).every((row) => !("agent_prompt" in row))).toBe(true)
        if (inFull < Math.min(limit, fixes.length)) expect(body).toHaveProperty("left_out")
        before = inFull
      }
    }),
    { endOnFailure: true, numRuns: 20 }
  )
})

test("one fix, however long, fits into an answer, which says what is left out and where it is", () => {
  fc.assert(
    fc.property(of, fix, (of, one) => {
      const fix = decode({ ...one, id: "fix_broken_link" })
      const body: Record<string, unknown> = { ...fixBody(of, fix) }
      expect(fits(body)).toBe(true)
      const prompt: string = Object(body.agent_prompt).text
      if (prompt === fix.agent_prompt) expect(body).not.toHaveProperty("left_out")
      else expect(body.left_out).toContain("run" in of ? "list_findings with rule broken_link" : "GET /api/v1/audits/")
    }),
    { endOnFailure: true, numRuns: 50 }
  )
})

test("a report with more fixes than an answer can name says how many are not named", () => {
  const many = Array.from({ length: 3000 }, (_, place) =>
    decode({
      agent_prompt: "Do it",
      category: "seo",
      human_summary: "Wrong",
      id: `fix_${"long-id-".repeat(8)}${place}`,
      severity: "info",
      why_it_matters: "It matters"
    })
  )
  const [none, all] = [fixesBody({ run: "r" }, many, 0), fixesBody({ run: "r" }, many, 5)]
  expect([fits(none), fits(all)]).toEqual([true, true])
  expect(rowsOf(all).length).toBe(rowsOf(none).length)
  expect(Object(all).left_out).toContain(`${3000 - rowsOf(all).length} fixes: narrow them by severity`)
})
