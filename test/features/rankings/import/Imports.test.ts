import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Decode from "../../../../src/features/rankings/decode/Decode.ts"
import { Imports } from "../../../../src/features/rankings/import/Imports.ts"
import { noneDropped } from "../../../../src/features/rankings/RawRow.ts"
import { SitesRepo } from "../../../../src/features/rankings/Site.ts"
import { suite } from "../../../harness.ts"
import { until } from "../../../waiting.ts"
import { csv, importInto, layer, owner, traces } from "../storing.ts"

const it = suite(layer)

const nothing = { events: 0, generations: 0, imports: 0, pairs: 0, records: 0, rows: 0 }

const good = csv("2026-10-01,a,/a,1,30,2", "2026-10-08,a,/a,1,30,9")

/** Slightly more rows than the database receives in one batch. */
const much = csv(...Array.from({ length: 15_000 }, (_, index) => `2026-10-08,query ${index},/page/${index},0,5,2`))

describe("an import", () => {
  it("with a wrong last line in its second file imports nothing, and names file and line", function* () {
    const { site } = yield* owner
    const bad = csv(
      ...Array.from({ length: 2000 }, (_, index) => `2026-10-08,q${index},/,0,5,2`),
      "2026-10-08,z,/z,9,5,2"
    )
    const failed = yield* Effect.flip(
      importInto(
        site,
        "gsc-csv",
        [
          { name: "good.csv", text: good },
          { name: "bad.csv", text: bad }
        ],
        { piece: 4096 }
      )
    )
    expect(failed.message).toBe("bad.csv:2002: 9 clicks are more than 5 impressions")
    expect(yield* traces(site)).toEqual(nothing)
  })

  it("does not change earlier data when it fails", function* () {
    const { site } = yield* owner
    yield* importInto(site, "gsc-csv", [{ text: good }])
    const before = yield* traces(site)
    yield* Effect.flip(
      importInto(site, "gsc-csv", [{ text: csv("2026-10-01,a,/a,1,31,2", "2026-10-09,a,https://other.org/a,1,30,9") }])
    )
    expect(yield* traces(site)).toEqual(before)
  })

  it("imports nothing when it is interrupted, or loses its connection", function* () {
    const imports = yield* Imports
    const sites = yield* SitesRepo
    const sql = yield* SqlClient.SqlClient
    const { site: id } = yield* owner
    const site = Option.getOrThrow(yield* sites.find({ site: id }))
    const endless = Stream.make(new TextEncoder().encode(much)).pipe(
      Stream.concat(Stream.never),
      Decode.rows("gsc-csv", "endless.csv", { host: site.host })
    )
    const staging = sql<{ pid: number }>`
      SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction' AND query LIKE 'COPY %'`
    const waiting = Effect.map(
      until(staging, (found) => found.length > 0),
      ([found]) => found?.pid
    )

    const interrupted = yield* Effect.fork(imports.run({ renews: true, site, source: "gsc-csv" }, endless))
    yield* waiting
    yield* Fiber.interrupt(interrupted)
    expect(yield* traces(id)).toEqual(nothing)

    const dead = yield* Deferred.make<void>()
    const ending = Stream.make(new TextEncoder().encode(much)).pipe(
      Decode.rows("gsc-csv", "killed.csv", { host: site.host }),
      Stream.concat(Stream.drain(Stream.fromEffect(Deferred.await(dead))))
    )
    const dying = yield* Effect.fork(imports.run({ renews: true, site, source: "gsc-csv" }, ending))
    const pid = yield* waiting
    expect(yield* sql`SELECT pg_terminate_backend(${pid}) AS done`).toEqual([{ done: true }])
    yield* Deferred.succeed(dead, undefined)
    const killed = yield* Fiber.await(dying)
    expect(Exit.isFailure(killed)).toBe(true)
    expect(yield* traces(id)).toEqual(nothing)
    yield* importInto(id, "gsc-csv", [{ text: good }])
    expect(yield* traces(id)).toMatchObject({ records: 1, rows: 2 })
  })

  it("without countable rows leaves no rankings", function* () {
    const { site } = yield* owner
    const imported = yield* importInto(site, "gsc-csv", [{ text: csv("2026-10-01,,/a,1,30,2") }])
    expect(imported).toMatchObject({
      changed: 0,
      dropped: { anonymised: 1 },
      first_day: null,
      renewed: null,
      rows: 0
    })
    expect(yield* traces(site)).toEqual({ ...nothing, imports: 1 })
  })

  it("keeps queries with any characters unchanged", function* () {
    const sql = yield* SqlClient.SqlClient
    const { site } = yield* owner
    const queries = ["a\tb", "back\\slash", "\\N", "\\.", "new\nline", "靴", "😀", '"', "İ"]
    const rows = queries.map((query) => ({
      clicks: 0,
      impressions: 1,
      keys: ["2026-10-01", query, "/"],
      position: 1
    }))
    yield* importInto(site, "gsc-api", [{ text: JSON.stringify({ rows }) }])
    const found = yield* sql<{
      query: string
    }>`SELECT query FROM ranking_pairs p JOIN ranking_sites s ON s.number = p.site WHERE s.site_id = ${site}`
    expect(found.map(({ query }) => query).sort()).toEqual([...queries].sort())
  })

  it("counts a variant with two numbers once", function* () {
    const sql = yield* SqlClient.SqlClient
    const imports = yield* Imports
    const { site: id } = yield* owner
    const site = Option.getOrThrow(yield* Effect.flatMap(SitesRepo, (sites) => sites.find({ site: id })))
    const line = (day: number, variant: number) =>
      `0\t${day}\t2026-10-0${day}\tq\t/a\t\\N\t${variant}\t20\t1\t60\t\\N\t\\N\n`
    const load = {
      dropped: noneDropped,
      incomplete: [],
      met: [],
      passedOver: [],
      rows: line(1, 0) + line(2, 1) + line(2, 0),
      extents: [{ first_day: "2026-10-01", last_day: "2026-10-02", part: 0, rows: 3 }],
      exported: [],
      snapshots: "",
      tables: [{ exact: true, file: "file", level: "queries" as const }],
      variants: "0\t#a\tdeu\t\\N\t\\N\n1\t#a\tdeu\t\\N\t\\N\n"
    }
    const imported = yield* imports.load({ renews: true, site, source: "gsc-api" }, Stream.make(load))
    expect(imported.changed).toBe(2)
    expect(
      yield* sql`SELECT address, country FROM ranking_variants v JOIN ranking_sites s ON s.number = v.site WHERE s.site_id = ${id}`
    ).toEqual([{ address: "#a", country: "deu" }])
  })

  it("does not change other sites", function* () {
    const sql = yield* SqlClient.SqlClient
    const [first, second] = [yield* owner, yield* owner]
    yield* importInto(first.site, "gsc-csv", [{ text: good }])
    const rowsOf = sql`
      SELECT g.xmin::text AS generation, r.xmin::text AS ranking, r.ctid::text FROM ranking_generations g
      JOIN rankings r ON r.generation = g.id WHERE g.site_id = ${first.site}`
    const before = yield* rowsOf
    yield* importInto(second.site, "gsc-csv", [{ text: good }])
    expect(yield* rowsOf).toEqual(before)
  })

  it("is deleted with its site", function* () {
    const sql = yield* SqlClient.SqlClient
    const { site } = yield* owner
    yield* importInto(site, "gsc-csv", [{ text: good }])
    yield* sql`DELETE FROM projects WHERE id = ${site}`
    expect(yield* traces(site)).toEqual(nothing)
  })
})
