import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../../../harness.ts"
import { type Reply, send } from "../../../server.ts"
import { ago, csvOf, draft, folders, layer, marketer, path, step, world } from "./designing.ts"

const it = suite(layer, { timeout: 120_000 })

/** A day without an import, in days ago: it is in the measurement. */
const lacking = 40
const gappy = { ...world, skips: (daysAgo: number) => daysAgo === lacking }

interface Day {
  readonly date: string
  readonly period: string
  readonly [column: string]: number | string
}

/** All days, page by page. */
const walked = (key: string, id: string, limit: number) =>
  Effect.gen(function* () {
    const days: Array<Day> = []
    let next: string | undefined = `${path}/${id}/series?limit=${limit}`
    while (next !== undefined) {
      const { body, status }: Reply = yield* send("GET", next, { key })
      expect(status).toBe(200)
      expect(body.data.length).toBeLessThanOrEqual(limit)
      days.push(...body.data)
      next = body.links.next
    }
    return days
  })

/** The sums of a folder on each day, from the file that was imported. */
const summed = (folder: string) =>
  Effect.map(csvOf(gappy), (text) => {
    const sums = new Map<string, readonly [clicks: number, impressions: number]>()
    for (const line of text.split("\n").slice(1)) {
      const [date = "", page = "", clicks, impressions] = line.split(",")
      if (!page.includes(`/${folder}/`)) continue
      const [before, seen] = sums.get(date) ?? [0, 0]
      sums.set(date, [before + Number(clicks), seen + Number(impressions)])
    }
    return sums
  })

describe("the days of an experiment", () => {
  it("are the imported ones of its periods, with the sums of each group", function* () {
    const of = yield* marketer(gappy)
    const id = yield* draft(of, yield* folders(of.site))
    yield* step(of, id, "start")
    const days = yield* walked(of.key, id, 20)
    const [blog, shop] = [yield* summed("blog"), yield* summed("shop")]
    expect(days.map(({ date }) => date)).toEqual(
      [...blog.keys()].filter((date) => date >= (days[0]?.date ?? "")).slice(0, 62)
    )
    expect([days[0]?.date, days.at(-1)?.date]).toEqual([yield* ago(88), yield* ago(26)])
    for (const day of days) {
      const [clicks, impressions] = blog.get(day.date) ?? [0, 0]
      expect(day).toMatchObject({
        treatment_clicks: clicks,
        treatment_ctr: clicks / impressions,
        treatment_impressions: impressions
      })
      const [others, seen] = shop.get(day.date) ?? [0, 0]
      expect(day).toMatchObject({ control_clicks: others, control_ctr: others / seen, control_impressions: seen })
    }
    const counted = ["pre", "settle", "post"].map((name) => days.filter(({ period }) => period === name).length)
    expect(counted).toEqual([28, 7, 27])
    expect(days.find(({ period }) => period === "settle")?.date).toBe(yield* ago(60))
  })

  it("stay the same after the result, and are a file too", function* () {
    const of = yield* marketer(world)
    const id = yield* draft(of, yield* folders(of.site))
    const before = yield* walked(of.key, id, 100)
    yield* step(of, id, "start")
    yield* step(of, id, "evaluate", {})
    expect(yield* walked(of.key, id, 50)).toEqual(before)
    const { body } = yield* send("GET", `${path}/${id}/series`, { headers: { accept: "text/csv" }, key: of.key })
    const [head, ...lines] = String(body).trim().split("\r\n")
    expect(head).toBe(
      "date,period,treatment_clicks,treatment_impressions,treatment_ctr,control_clicks,control_impressions,control_ctr"
    )
    expect(lines.map((line) => line.split(",")[0])).toEqual(before.map(({ date }) => date))
  })

  it("of a draft without a change date are the latest days before a change", function* () {
    const of = yield* marketer(world)
    const { change_date: _, ...design } = yield* folders(of.site)
    const days = yield* walked(of.key, yield* draft(of, design), 100)
    expect(new Set(days.map(({ period }) => period))).toEqual(new Set(["pre"]))
    expect([days.length, days.at(-1)?.date]).toEqual([28, yield* ago(4)])
  })

  it("refuse a wrong limit and a cursor of nothing by name", function* () {
    const of = yield* marketer(gappy)
    const id = yield* draft(of, yield* folders(of.site))
    yield* step(of, id, "start")
    const ask = (query: string) => send("GET", `${path}/${id}/series?${query}`, { key: of.key })
    for (const limit of ["0", "-1", "1.5", "abc", ""]) {
      const { body, status } = yield* ask(`limit=${limit}`)
      expect([limit, status, body.error.details[0].path]).toEqual([limit, 422, "limit"])
    }
    for (const cursor of ["abc", "W10.AAAA"]) {
      const { body, status } = yield* ask(`cursor=${cursor}`)
      expect([cursor, status, body.error.code]).toEqual([cursor, 422, "invalid_cursor"])
    }
  })
})
