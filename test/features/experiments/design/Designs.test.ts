import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../../../harness.ts"
import { keyWith, projectOf, send } from "../../../server.ts"
import { csv, importInto } from "../../rankings/storing.ts"
import { ago, create, draft, folders, imported, layer, marketer, path, paths, step, world } from "./designing.ts"

const it = suite(layer, { timeout: 120_000 })

const said = ({
  body,
  status
}: {
  readonly body: { error: { code: string; message: string } }
  readonly status: number
}) => `${status} ${body.error.code}: ${body.error.message}`

describe("a design is refused, and nothing is created,", () => {
  const refusals: ReadonlyArray<readonly [what: string, change: object, message: RegExp]> = [
    [
      "with an unknown field",
      { treatmant: { pattern: "/a" } },
      /design\.treatmant is not a known field\. Did you mean treatment\?/
    ],
    [
      "with an unknown field in a group",
      { treatment: { patern: "/a" } },
      /design\.treatment\.patern is not a known field\. Did you mean pattern\?/
    ],
    [
      "with pages and pattern for one group",
      { treatment: { pages: ["/a"], pattern: "/a" } },
      /design\.treatment must have either pages or pattern/
    ],
    ["with an empty group", { treatment: {} }, /design\.treatment must have either pages or pattern/],
    [
      "with an invalid control",
      { control: "automatic" },
      /design\.control must be "auto", or an object with pages or pattern/
    ],
    ["with another number of days", { pre_days: 30 }, /design\.pre_days must be 14, 28, 42, 56 or 84/],
    ["with another settling time", { settle_days: 3 }, /design\.settle_days must be 0, 7, 14, 21 or 28/],
    ["with another metric", { metric: "position" }, /design\.metric must be clicks or ctr/],
    ["with an invalid day", { change_date: "2026-02-30" }, /design\.change_date .*YYYY-MM-DD/],
    [
      "with a URL in place of a path",
      { treatment: { pages: ["https://example.com/a"] } },
      /design\.treatment\.pages\.0 must be a path/
    ],
    [
      "with a control character in a path",
      { treatment: { pages: ["/a", "/a\u0001b"] } },
      /design\.treatment\.pages\.1 .*control/
    ],
    ["with a fragment", { exclude: ["/a#b"] }, /design\.exclude\.0 must not have a fragment/],
    [
      "with half a surrogate pair",
      { treatment: { pattern: "/\ud800*" } },
      /design\.treatment\.pattern must be valid text/
    ],
    ["with an empty list of paths", { treatment: { pages: [] } }, /design\.treatment\.pages must have 1 to 5000 paths/],
    [
      "with a page in both groups",
      { control: { pages: ["/b", "/a"] }, treatment: { pages: ["/a"] } },
      /design\.control has \/a, which is also in treatment/
    ],
    [
      "with a page in both groups in different spellings",
      { control: { pages: ["/b", "/%d8%aa"] }, treatment: { pages: ["/ت"] } },
      /design\.control has \/ت, which is also in treatment/
    ]
  ]
  for (const [what, change, message] of refusals) {
    it(what, function* () {
      const of = yield* marketer()
      const reply = yield* create(of, { ...(yield* folders(of.site)), ...change })
      expect(said(reply)).toMatch(message)
      expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
      expect((yield* send("GET", path, { key: of.key })).body.data).toEqual([])
    })
  }

  it("with 422 for a site of another domain, and 404 for another account's", function* () {
    const of = yield* marketer()
    const design = yield* folders(of.site)
    const { id: elsewhere } = yield* projectOf(of.account, "https://other.example")
    expect(said(yield* create(of, { ...design, site_id: elsewhere }))).toMatch(
      /422 validation_error: design\.site_id is a site on other\.example/
    )
    const foreign = yield* marketer()
    expect(said(yield* create(of, { ...design, site_id: foreign.site }))).toMatch(/^404 not_found/)
    expect((yield* send("GET", path, { key: of.key })).body.data).toEqual([])
  })
})

describe("a start is refused, and the draft does not change,", () => {
  const starting = (
    change: (today: (days: number) => Effect.Effect<string>) => Effect.Effect<object>,
    message: RegExp
  ) =>
    Effect.gen(function* () {
      const of = yield* marketer(world)
      const id = yield* draft(of, { ...(yield* folders(of.site)), ...(yield* change(ago)) })
      const before = (yield* send("GET", `${path}/${id}`, { key: of.key })).body
      expect(said(yield* step(of, id, "start"))).toMatch(message)
      expect((yield* send("GET", `${path}/${id}`, { key: of.key })).body).toEqual(before)
    })
  const refusals: ReadonlyArray<readonly [what: string, ...of: Parameters<typeof starting>]> = [
    [
      "with a change date in the future",
      () => Effect.map(ago(-20), (change_date) => ({ change_date })),
      /422 validation_error: design\.change_date is in the future\. Start the experiment on that day/
    ],
    [
      "with a change date before the first imported day",
      () => Effect.map(ago(400), (change_date) => ({ change_date })),
      /422 validation_error: design\.change_date is before .*Import older days/
    ],
    [
      "with a pattern that matches no page",
      () => Effect.succeed({ treatment: { pattern: "/none/*" } }),
      /422 validation_error: design\.treatment\.pattern matches no page/
    ],
    [
      "with pages that never had clicks",
      () => Effect.succeed({ treatment: { pages: paths("new", 6) } }),
      /422 too_few_pages: None of the 6 pages in treatment, such as \/new\/0, has search data/
    ],
    [
      "with fewer than five pages",
      () => Effect.succeed({ control: { pages: paths("shop", 4) } }),
      /422 too_few_pages: Of 4 pages in control, 4 had a click/
    ],
    [
      "with overlapping patterns",
      () => Effect.succeed({ control: { pattern: "/*" } }),
      /422 validation_error: design\.control has \/blog\/\d, which is also in treatment/
    ],
    [
      "with a group that exclude empties",
      () => Effect.succeed({ exclude: ["/blog/1"], treatment: { pages: ["/blog/1"] } }),
      /422 validation_error: design\.treatment\.pages has no pages left after exclude/
    ]
  ]
  for (const [what, ...of] of refusals) it(what, () => starting(...of))

  it("without test and control pages", function* () {
    const of = yield* marketer(world)
    const { control: _, treatment: __, ...design } = yield* folders(of.site)
    const id = yield* draft(of, design)
    expect(said(yield* step(of, id, "start"))).toMatch(/422 validation_error: design\.treatment is missing\. .*assign/)
    for (const name of ["power", "series"])
      expect(said(yield* step(of, id, name))).toMatch(/422 validation_error: design\.treatment is missing/)
  })

  it("with query data only, or without data", function* () {
    const of = yield* marketer()
    const id = yield* draft(of, yield* folders(of.site))
    for (const name of ["start", "power", "series"])
      expect(said(yield* step(of, id, name))).toMatch(/422 missing_data: The site has no page data/)
    yield* importInto(of.site, "gsc-csv", [{ text: csv(`${yield* ago(70)},shoes,https://example.com/blog/1,3,30,2`) }])
    for (const name of ["start", "power"])
      expect(said(yield* step(of, id, name))).toMatch(/422 missing_data: The site has no page data/)
    expect(said(yield* step(of, id, "assign", { pattern: "/*" }))).toMatch(/422 missing_data/)
  })
})

describe("an evaluation is refused, and the experiment keeps running,", () => {
  it("when the history is too short for chosen pages", function* () {
    const of = yield* marketer({ ...world, from: 100 })
    const id = yield* draft(of, yield* folders(of.site))
    yield* step(of, id, "start", { force: true })
    const { body, status } = yield* step(of, id, "evaluate", {})
    expect([status, body.error.code, body.error.needed_days]).toEqual([422, "history_too_short", 63])
    expect((yield* send("GET", `${path}/${id}`, { key: of.key })).body.data.status).toBe("running")
  })

  it("when more than a quarter of a window's days are missing", function* () {
    const of = yield* marketer({ ...world, skips: (daysAgo) => daysAgo <= 53 && daysAgo > 43 })
    const id = yield* draft(of, yield* folders(of.site))
    yield* step(of, id, "start", { force: true })
    expect(said(yield* step(of, id, "evaluate", {}))).toMatch(/422 missing_data: Only 18 of the 28 days after/)
    yield* imported(of.site)
    expect((yield* step(of, id, "evaluate", {})).status).toBe(200)
  })
})

/** Five test pages of the blog, one with a mistyped URL, and the shop as control. */
const mistyped = (site: string) =>
  Effect.map(folders(site), (design) => ({
    ...design,
    treatment: { pages: [...paths("blog", 6), "/blog/tpyo"] }
  }))

describe("a start whose evaluation would be refused", () => {
  /** The responses of a start without and with force, and of the evaluation after it. */
  const forced = (of: Effect.Effect.Success<ReturnType<typeof marketer>>, id: string) =>
    Effect.gen(function* () {
      const refused = yield* step(of, id, "start")
      expect((yield* send("GET", `${path}/${id}`, { key: of.key })).body.data.status).toBe("draft")
      const started = yield* step(of, id, "start", { force: true })
      expect([started.status, started.body.data?.status]).toEqual([200, "running"])
      const shown = (yield* send("GET", `${path}/${id}`, { key: of.key })).body.data
      expect(shown.warnings).toEqual(started.body.data.warnings)
      const [listed] = (yield* send("GET", path, { key: of.key })).body.data
      expect(listed.warnings).toEqual(shown.warnings)
      const warnings: ReadonlyArray<string> = shown.warnings
      return { refused, warnings }
    })

  it("for a short history says how many days are needed, and with force starts with a warning", function* () {
    const of = yield* marketer({ ...world, from: 100 })
    const { refused, warnings } = yield* forced(of, yield* draft(of, yield* folders(of.site)))
    expect(said(refused)).toMatch(
      /^422 history_too_short: Pages that were not .*need 63 days.*or send \{"force": true\}/
    )
    expect(refused.body.error.needed_days).toBe(63)
    expect(warnings).toEqual([expect.stringMatching(/^Pages that were not randomly assigned need 63 days/)])
  })

  it("for a short history says that pages were assigned after the change", function* () {
    const of = yield* marketer({ ...world, from: 100 })
    const id = yield* draft(of, yield* folders(of.site))
    yield* step(of, id, "assign", { pattern: "/*" })
    expect(said(yield* step(of, id, "start"))).toMatch(
      /^422 history_too_short: The pages were assigned after the change, so they count as chosen/
    )
  })

  it("for missing days says how many there are", function* () {
    const of = yield* marketer({ ...world, skips: (daysAgo) => daysAgo <= 53 && daysAgo > 43 })
    const { refused, warnings } = yield* forced(of, yield* draft(of, yield* folders(of.site)))
    expect(said(refused)).toMatch(/^422 missing_data: Only 18 of the 28 days after the change have page data/)
    expect(warnings).toEqual([expect.stringMatching(/18 of the 28 days after/)])
  })

  it("does not count future days as missing before a change of today", function* () {
    const { change_date: _, ...design } = yield* folders("")
    const of = yield* marketer({ ...world, to: 20, skips: (daysAgo) => daysAgo <= 28 && daysAgo > 21 })
    const lagging = yield* draft(of, { ...design, pre_days: 28, site_id: of.site })
    expect((yield* step(of, lagging, "start")).status).toBe(200)
    const gaps = yield* marketer({ ...world, skips: (daysAgo) => daysAgo <= 28 && daysAgo > 14 })
    const missing = yield* draft(gaps, { ...design, site_id: gaps.site })
    expect(said(yield* step(gaps, missing, "start"))).toMatch(/^422 missing_data: Only \d+ of the 28 days before/)
  })

  it("for too few pages is refused, and with force starts with a warning", function* () {
    const of = yield* marketer(world)
    const design = { ...(yield* folders(of.site)), control: { pages: paths("shop", 4) } }
    const { refused, warnings } = yield* forced(of, yield* draft(of, design))
    expect(said(refused)).toMatch(/^422 too_few_pages: Of 4 pages in control, 4 had a click .*or send/)
    expect(warnings).toEqual([expect.stringMatching(/^Of 4 pages in control, 4 had a click/)])
    const both = yield* draft(of, { ...design, treatment: { pages: paths("shop", 8).slice(4, 7) } })
    expect(said(yield* step(of, both, "start"))).toMatch(
      /^422 too_few_pages: Of 3 pages in treatment, 3 had .*\. Of 4 pages in control, 4 had .*or send/
    )
  })

  it("for a group of pages without data is refused even with force", function* () {
    const of = yield* marketer(world)
    const id = yield* draft(of, { ...(yield* folders(of.site)), control: { pages: paths("none", 6) } })
    expect(said(yield* step(of, id, "start", { force: true }))).toMatch(
      /^422 too_few_pages: None of the 6 pages in control, such as \/none\/0, has search data/
    )
  })

  it("takes only true or false for force", function* () {
    const of = yield* marketer(world)
    const id = yield* draft(of, yield* folders(of.site))
    for (const [body, field] of [
      [{ force: "yes" }, "force"],
      [{ forced: true }, "forced"]
    ] as const) {
      const reply = yield* step(of, id, "start", body)
      expect([reply.status, reply.body.error.details[0].path]).toEqual([422, field])
    }
    expect((yield* step(of, id, "start", { force: false })).body.data.warnings).toEqual([])
  })
})

it("a page that never had data belongs to no group, and is named from the start to the result", function* () {
  const of = yield* marketer(world)
  const id = yield* draft(of, yield* mistyped(of.site))
  const { body } = yield* step(of, id, "start")
  const sentence = expect.stringMatching(/^1 page \(\/blog\/tpyo\) never had search data and is left out/)
  expect([body.data.warnings, body.data.pages.treatment]).toEqual([[sentence], paths("blog", 6)])
  const { analysis } = (yield* step(of, id, "evaluate", {})).body.data
  expect(analysis.pages.treatment).toBe(6)
  expect(analysis.warnings[analysis.warning_codes.indexOf("pages_without_data")]).toEqual(sentence)
})

describe("a step is refused", () => {
  it("with 409 in a state that does not allow it", function* () {
    const of = yield* marketer(world)
    const id = yield* draft(of, yield* folders(of.site))
    const codes = (...names: ReadonlyArray<string>) =>
      Effect.forEach(names, (name) =>
        Effect.map(
          step(of, id, name, name === "assign" ? { pattern: "/*" } : undefined),
          ({ body, status }) => `${name} ${status} ${body.error?.code ?? ""}`
        )
      )
    expect(yield* codes("preview", "report", "evaluate")).toEqual([
      "preview 409 conflict",
      "report 409 conflict",
      "evaluate 409 conflict"
    ])
    yield* step(of, id, "start")
    expect(yield* codes("start", "assign", "report")).toEqual([
      "start 409 conflict",
      "assign 409 conflict",
      "report 409 conflict"
    ])
    const patched = yield* send("PATCH", `${path}/${id}`, { body: { design: { post_days: 14 } }, key: of.key })
    expect([patched.status, patched.body.error.code]).toEqual([409, "conflict"])
    yield* step(of, id, "evaluate")
    expect(yield* codes("evaluate", "preview", "start")).toEqual([
      "evaluate 409 conflict",
      "preview 409 conflict",
      "start 409 conflict"
    ])
  })

  it("with 409 for an experiment without a design", function* () {
    const of = yield* marketer(world)
    const { body } = yield* send("POST", path, { body: { name: "Titles", project_id: of.project }, key: of.key })
    for (const [name, sent] of [
      ["assign", { pattern: "/*" }],
      ["power", undefined],
      ["preview", undefined],
      ["series", undefined]
    ] as const) {
      expect(said(yield* step(of, body.data.id, name, sent))).toMatch(/^409 conflict: The experiment has no design/)
    }
  })

  it("with 404 for another account's experiment, and with 403 for a read-only key", function* () {
    const of = yield* marketer(world)
    const id = yield* draft(of, yield* folders(of.site))
    const other = yield* marketer()
    const reader = { ...of, key: yield* keyWith(of.account, ["search-data:read"]) }
    for (const name of ["assign", "power", "preview", "report", "series", "start", "evaluate"]) {
      const sent = name === "assign" ? { pattern: "/*" } : undefined
      expect([name, (yield* step(other, id, name, sent)).status]).toEqual([name, 404])
      const isRead = ["power", "preview", "report", "series"].includes(name)
      expect([name, (yield* step(reader, id, name, sent)).status === 403]).toEqual([name, !isRead])
    }
    const foreign = yield* send("PATCH", `${path}/${id}`, { body: { design: { post_days: 14 } }, key: other.key })
    expect(foreign.status).toBe(404)
  })
})

/** Twelve concurrent equal requests: the accepted responses, and the codes of the others. */
const race = (ask: ReturnType<typeof step>) =>
  Effect.map(
    Effect.all(
      Array.from({ length: 12 }, () => ask),
      { concurrency: "unbounded" }
    ),
    (replies) => ({
      codes: [
        ...new Set(replies.flatMap(({ body, status }) => (status === 200 ? [] : [`${status} ${body.error.code}`])))
      ],
      wins: replies.flatMap(({ body, status }) => (status === 200 ? [body.data] : []))
    })
  )

describe("of twelve concurrent requests", () => {
  it("one assigns, one starts and one evaluates, and its response is what is stored", function* () {
    const of = yield* marketer(world)
    const id = yield* draft(of, yield* folders(of.site))
    const stored = Effect.map(send("GET", `${path}/${id}`, { key: of.key }), ({ body }) => body.data)
    const assigned = yield* race(step(of, id, "assign", { pattern: "/*" }))
    expect(assigned.wins.length).toBeGreaterThan(0)
    expect((yield* stored).assignment.draws).toBe(assigned.wins.length)
    expect(assigned.wins).toContainEqual(yield* stored)
    const started = yield* race(step(of, id, "start"))
    expect(started).toEqual({ codes: ["409 conflict"], wins: [yield* stored] })
    const evaluated = yield* race(step(of, id, "evaluate"))
    expect(evaluated.codes).toEqual(["409 conflict"])
    expect(evaluated.wins.map(({ experiment }) => experiment)).toEqual([yield* stored])
  })
})

describe("a designed experiment", () => {
  it("leads from design, power and start to a result from the stored totals", function* () {
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

  it("is evaluated by given counts too, like one without a design", function* () {
    const of = yield* marketer(world)
    const id = yield* draft(of, yield* folders(of.site))
    yield* step(of, id, "start")
    const arm = { postConversions: 205, postImpressions: 10_100, preConversions: 200, preImpressions: 10_000 }
    const { body, status } = yield* step(of, id, "evaluate", { controlMetrics: arm, treatmentMetrics: arm })
    expect(status).toBe(200)
    expect(body.data.analysis.method).toBe("binomial")
    expect(body.data.analysis).not.toContainKey("warning_codes")
  })

  it("starts immediately with status running, or is not created at all", function* () {
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
  it("are pairs by clicks, equal for an equal seed, and stored in both groups with seed and draw", function* () {
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

  it("are evaluated as randomly assigned if that happened before the change, and otherwise as chosen", function* () {
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
  it("returns the complete weeks so far, corrected, and changes nothing", function* () {
    const of = yield* marketer(world)
    const id = yield* draft(of, { ...(yield* folders(of.site)), post_days: 84 })
    yield* step(of, id, "start")
    const { body, status } = yield* step(of, id, "preview")
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ final: false, planned_weeks: 13, weeks: 8 })
    expect((yield* send("GET", `${path}/${id}`, { key: of.key })).body.data.status).toBe("running")
  })
})
