import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../../../harness.ts"
import { csv, importInto } from "../../rankings/storing.ts"
import { ago, draft, folders, imported, layer, marketer, paths, step, world } from "./designing.ts"

const it = suite(layer, { timeout: 60_000 })

describe("automatic control pages", () => {
  it("are pages with clicks that are not excluded, not treated anywhere at the time, and share no query with test pages", function* () {
    const of = yield* marketer(world)
    const design = yield* folders(of.site)
    const queries = yield* Effect.map(ago(70), (day) =>
      csv(
        `${day},red shoes,https://example.com/blog/0,10,800,2`,
        `${day},red shoes,https://example.com/shop/1,10,200,2`,
        `${day},red shoes,https://example.com/shop/2,1,90,2`,
        `${day},blue shoes,https://example.com/shop/3,10,200,2`
      )
    )
    yield* importInto(of.site, "gsc-csv", [{ text: queries }])
    const other = yield* draft(of, {
      ...design,
      treatment: { pages: [...paths("shop", 10).slice(5, 7), ...paths("blog", 10).slice(6)] },
      control: { pages: paths("blog", 6) }
    })
    expect((yield* step(of, other, "start")).status).toBe(200)
    const id = yield* draft(of, {
      ...design,
      control: "auto",
      exclude: ["/shop/9"],
      treatment: { pages: paths("blog", 6) }
    })
    const { body, status } = yield* step(of, id, "start")
    expect(status).toBe(200)
    expect(body.data.design.control).toBe("auto")
    // Of the others /shop/1 shares a query, /shop/5, /shop/6 and /blog/6…9 are treated elsewhere, and /shop/2 has less than a tenth.
    expect(body.data.pages.control).toEqual(["/shop/0", "/shop/2", "/shop/3", "/shop/4", "/shop/7", "/shop/8"])
  })

  it("include pages that another experiment treats at another time", function* () {
    const of = yield* marketer(world)
    const design = yield* folders(of.site)
    const earlier = yield* draft(of, {
      ...design,
      change_date: yield* ago(250),
      control: { pattern: "/blog/*" },
      treatment: { pattern: "/shop/*" }
    })
    // Its history is too short for a result, which does not matter here.
    expect((yield* step(of, earlier, "start", { force: true })).status).toBe(200)
    const id = yield* draft(of, { ...design, control: "auto" })
    expect((yield* step(of, id, "start")).body.data.pages.control).toHaveLength(10)
  })
})

describe("the pages of a started experiment", () => {
  it("are the pages of the data, with any spelling in the design", function* () {
    const of = yield* marketer(world)
    const design = yield* folders(of.site)
    const id = yield* draft(of, {
      ...design,
      control: { pattern: "/sh%6Fp/*" },
      treatment: { pages: paths("blog", 10).flatMap((path) => [path, path.replace("b", "%62")]) }
    })
    const { body } = yield* step(of, id, "start")
    expect(body.data.pages).toEqual({
      control: expect.arrayContaining(paths("shop", 10)),
      treatment: paths("blog", 10)
    })
    expect(body.data.design.control).toEqual({ pattern: "/shop/*" })
  })

  it("do not change with later imports", function* () {
    const of = yield* marketer(world)
    const id = yield* draft(of, yield* folders(of.site))
    yield* step(of, id, "start")
    yield* imported(of.site, { from: 90, pages: ["/blog/new", "/shop/new"], to: 4 })
    const { body } = yield* step(of, id, "evaluate")
    expect(body.data.analysis.pages).toEqual({ control: 10, treatment: 10 })
  })
})
