import { describe, expect } from "bun:test"
import { suite } from "../../../harness.ts"
import { send } from "../../../server.ts"
import { ago, create, draft, folders, layer, marketer, path, step, world } from "./designing.ts"

const it = suite(layer, { timeout: 60_000 })

describe("a designed experiment", () => {
  it("goes from design over power and start to a verdict from the totals that are stored", function* () {
    const of = yield* marketer(world)
    const design = yield* folders(of.site)
    const created = yield* create(of, design)
    expect(created.status).toBe(201)
    expect(created.body.data).toMatchObject({ analysis: null, design, status: "draft" })
    expect(created.body.data).not.toContainAnyKeys(["assignment", "pages"])
    const { id } = created.body.data
    const power = yield* step(of, id, "power")
    expect(power.status).toBe(200)
    expect(power.body.data.effects.map(({ post_days }: { post_days: number }) => post_days)).toEqual([
      14, 28, 42, 56, 84
    ])
    expect(power.body.data.baseline.unit).toBe("clicks_per_day")
    const started = yield* step(of, id, "start")
    expect(started.status).toBe(200)
    expect(started.body.data).toMatchObject({ design, status: "running" })
    expect(started.body.data.pages.treatment.toSorted()).toEqual(
      world.pages.filter((page) => page.startsWith("/blog/")).toSorted()
    )
    expect(started.body.data.pages.control).toHaveLength(10)
    const evaluated = yield* step(of, id, "evaluate", {})
    expect(evaluated.status).toBe(200)
    const { analysis, experiment } = evaluated.body.data
    expect(analysis.verdict).toBe("increase")
    expect(analysis.liftPercentage).toBeGreaterThan(25)
    expect(analysis.liftPercentage).toBeLessThan(35)
    expect(analysis.windows).toEqual({
      days: [28, 28],
      days_present: [28, 28],
      post: [yield* ago(53), yield* ago(26)],
      pre: [yield* ago(88), yield* ago(61)]
    })
    expect(analysis.pages).toEqual({ control: 10, treatment: 10 })
    expect(analysis.warning_codes).toContain("not_randomised")
    expect(experiment).toMatchObject({ analysis, id, status: "completed" })
    expect((yield* send("GET", `${path}/${id}`, { key: of.key })).body.data).toEqual(experiment)
    const report = yield* step(of, id, "report")
    expect(report.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(report.headers.get("content-security-policy")).toBe("default-src 'none'; style-src 'unsafe-inline'")
    expect(report.body).toContain("<svg")
    expect(report.body).toContain(analysis.sentence.slice(0, 30))
  })

  it("is listed without its paths, and read with them", function* () {
    const of = yield* marketer(world)
    const design = {
      ...(yield* folders(of.site)),
      exclude: ["/shop/1"],
      treatment: { pages: world.pages.slice(0, 3) }
    }
    const id = yield* draft(of, design)
    expect((yield* send("GET", `${path}/${id}`, { key: of.key })).body.data.design).toEqual(design)
    const { exclude: _, ...shown } = design
    const [listed] = (yield* send("GET", path, { key: of.key })).body.data
    expect(listed.design).toEqual({ ...shown, treatment: { page_count: 3 } })
  })

  it("is judged by counts too, as one without a design is", function* () {
    const of = yield* marketer(world)
    const id = yield* draft(of, yield* folders(of.site))
    yield* step(of, id, "start")
    const arm = { postConversions: 205, postImpressions: 10_100, preConversions: 200, preImpressions: 10_000 }
    const { body, status } = yield* step(of, id, "evaluate", { controlMetrics: arm, treatmentMetrics: arm })
    expect(status).toBe(200)
    expect(body.data.analysis.method).toBe("binomial")
    expect(body.data.analysis).not.toContainKey("warning_codes")
  })

  it("starts at once with status running, or is not created at all", function* () {
    const of = yield* marketer(world)
    const design = yield* folders(of.site)
    const running = yield* create(of, design, { status: "running" })
    expect([running.status, running.body.data.status]).toEqual([201, "running"])
    const refused = yield* create(of, { ...design, treatment: { pattern: "/none/*" } }, { status: "running" })
    expect(refused.status).toBe(422)
    expect((yield* send("GET", path, { key: of.key })).body.data).toHaveLength(1)
  })
})

describe("assigned pages", () => {
  it("are pairs by clicks, the same for the same seed, and stand in both arms with seed and draw", function* () {
    const of = yield* marketer(world)
    const { control: _, treatment: __, ...design } = yield* folders(of.site)
    const id = yield* draft(of, design)
    const first = yield* step(of, id, "assign", { pattern: "/*", seed: "titles" })
    expect(first.status).toBe(200)
    const { assignment, design: arms } = first.body.data
    expect(assignment).toMatchObject({ draws: 1, seed: "titles" })
    expect([...arms.treatment.pages, ...arms.control.pages].toSorted()).toEqual(world.pages.toSorted())
    expect(arms.treatment.pages).toHaveLength(10)
    const again = yield* step(of, id, "assign", { pages: world.pages, seed: "titles" })
    expect(again.body.data.design).toEqual(arms)
    expect(again.body.data.assignment.draws).toBe(2)
    const drawn = yield* step(of, id, "assign", { pattern: "/*" })
    expect(drawn.body.data.assignment.seed).toMatch(/^[0-9a-z]{26}$/)
    const kept = yield* send("PATCH", `${path}/${id}`, { body: { design: { post_days: 56 } }, key: of.key })
    expect(kept.body.data.assignment.draws).toBe(3)
    const taken = yield* send("PATCH", `${path}/${id}`, { body: { design: { exclude: ["/blog/1"] } }, key: of.key })
    expect(taken.body.data).not.toContainKey("assignment")
  })

  it("are judged by how pages differ where they were assigned before the change, and not where after", function* () {
    const of = yield* marketer(world)
    const { change_date: _, ...design } = yield* folders(of.site)
    const late = yield* draft(of, { ...design, change_date: yield* ago(60) })
    yield* step(of, late, "assign", { pattern: "/*", seed: "a" })
    yield* step(of, late, "start")
    const { body } = yield* step(of, late, "evaluate", {})
    expect(body.data.analysis.warning_codes).toContain("not_randomised")
    const today = yield* draft(of, design)
    yield* step(of, today, "assign", { pattern: "/*", seed: "a" })
    const power = yield* step(of, today, "power")
    expect(power.body.data.effects[0].method).toBe("page_jackknife")
    yield* step(of, today, "start")
    const early = yield* step(of, today, "evaluate")
    expect([early.status, early.body.error.code]).toEqual([409, "not_over"])
    expect(Date.parse(early.body.error.available_at)).toBeGreaterThan(Date.now() + 35 * 86_400_000)
    const look = yield* step(of, today, "preview")
    expect([look.status, look.body.error.code]).toEqual([409, "not_over"])
  })
})

describe("a preview", () => {
  it("answers the whole weeks so far, corrected, and changes nothing", function* () {
    const of = yield* marketer(world)
    const id = yield* draft(of, { ...(yield* folders(of.site)), post_days: 84 })
    yield* step(of, id, "start")
    const { body, status } = yield* step(of, id, "preview")
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ final: false, planned_weeks: 13, weeks: 8 })
    expect((yield* send("GET", `${path}/${id}`, { key: of.key })).body.data.status).toBe("running")
  })
})
