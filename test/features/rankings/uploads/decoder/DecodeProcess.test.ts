import { describe, expect } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { strToU8, zipSync } from "fflate"
import * as Decode from "../../../../../src/features/rankings/decode/Decode.ts"
import { type Load, ofBatches } from "../../../../../src/features/rankings/import/Loads.ts"
import * as DecodeProcess from "../../../../../src/features/rankings/uploads/decoder/DecodeProcess.ts"
import { suite } from "../../../../harness.ts"
import { until } from "../../../../waiting.ts"

const it = suite(DecodeProcess.layer, { timeout: 60_000 })

const job = { file: "body", format: "gsc-csv", options: { host: "example.com", notAfter: "2026-11-01" } } as const

const decoded = (bytes: Stream.Stream<Uint8Array>) =>
  Effect.flatMap(DecodeProcess.FileDecoder, ({ decode }) =>
    Effect.map(Stream.runCollect(decode(job, bytes)), Chunk.toReadonlyArray)
  )

const table = (count: number, row: (index: number) => string) =>
  Buffer.from(
    ["Date,Query,Page,Clicks,Impressions,Position", ...Array.from({ length: count }, (_, index) => row(index))].join(
      "\n"
    )
  )

const inPieces = (bytes: Uint8Array, piece = 100_000) =>
  Stream.fromIterable(
    Array.from({ length: Math.ceil(bytes.length / piece) }, (_, index) =>
      bytes.subarray(index * piece, (index + 1) * piece)
    )
  )

const plain = (loads: ReadonlyArray<Load>) =>
  loads.map((load) => ({
    ...load,
    rows: Buffer.from(load.rows).toString(),
    snapshots: Buffer.from(load.snapshots).toString(),
    variants: Buffer.from(load.variants).toString()
  }))

/** Decoder processes that this process has started. */
const children = () =>
  readdirSync("/proc").filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("rankings/uploads/decoder/child") &&
        readFileSync(`/proc/${pid}/status`, "utf8").includes(`PPid:\t${process.pid}\n`)
      )
    } catch {
      return false
    }
  })

/** The beginning of a file without an end. */
const begun = Stream.concat(inPieces(table(2000, () => "2026-10-08,shoes,/a,1,20,3.5")), Stream.never)

/** The lines of a load from a process are bytes. */
const isFromProcess = ({ rows }: Load) => typeof rows !== "string"

describe("a file decoded in a process of its own", () => {
  it("gives the same loads as in this process", function* () {
    const row = (index: number) =>
      `2026-10-0${1 + (index % 9)},schöne schuhe ${index},/a/${index}#${index % 7},1,20,3.5`
    const bytes = gzipSync(table(30_000, row))
    const here = ofBatches(Decode.rows(job.format, job.file, job.options)(inPieces(bytes)))
    const [loads, expected] = [yield* decoded(inPieces(bytes)), yield* Stream.runCollect(here)]
    const known = plain(loads)
    expect(known.map(({ tables: _, ...load }) => load)).toEqual(
      plain(Chunk.toReadonlyArray(expected)).map(({ tables: _, ...load }) => load)
    )
    expect(known.flatMap(({ tables }) => tables)).toEqual([{ exact: false, file: "body", level: "queries" }])
    expect(known.length).toBeGreaterThan(2)
  })

  it("gives the same tables without dates, and the same filters", function* () {
    const bytes = zipSync({
      "Queries.csv": strToU8("Top queries,Clicks,Impressions,CTR,Position\nschöne schuhe,1,20,5%,3.5\n"),
      "Chart.csv": strToU8("Date,Clicks,Impressions,CTR,Position\n2026-10-08,1,20,5%,3.5\n"),
      "Filters.csv": strToU8('Filter,Value\nSearch type,Web\nDate,"Oct 1, 2026-Oct 8, 2026"\n')
    })
    const here = ofBatches(Decode.rows(job.format, job.file, job.options)(inPieces(bytes)))
    const [loads, expected] = [yield* decoded(inPieces(bytes)), yield* Stream.runCollect(here)]
    expect(plain(loads)).toEqual(plain(Chunk.toReadonlyArray(expected)))
    const known = plain(loads)
    expect(known.map(({ rows }) => rows).join("")).toBe("1\t2\t2026-10-08\t\\N\t\\N\t\\N\t0\t20\t1\t70\t\\N\t\\N\n")
    expect(known.map(({ snapshots }) => snapshots).join("")).toBe("0\t2\tschöne schuhe\t\t20\t1\t70\n")
    expect(known.flatMap(({ exported }) => exported).at(-1)).toEqual({
      by: "filters",
      file: "body/Filters.csv",
      range: { end: "2026-10-08", start: "2026-10-01" }
    })
  })

  it("is large or compressed; a small file is decoded here with the same loads", function* () {
    const bytes = table(150, (index) => `2026-10-08,schöne schuhe ${index},/a,1,20,3.5`)
    const loadsOf = (bytes: Uint8Array, piece: number) => decoded(inPieces(bytes, piece))
    const [here, whole] = [yield* loadsOf(bytes, 3000), yield* loadsOf(bytes, 100_000)]
    const [packed, one] = [yield* loadsOf(gzipSync(bytes), 4000), yield* loadsOf(gzipSync(bytes), 1)]
    expect([here, whole, packed, one].map((loads) => loads.map(isFromProcess))).toEqual([
      [false],
      [false],
      [true],
      [true]
    ])
    expect(plain(here)).toEqual(plain(packed))
    expect(plain(whole)).toEqual(plain(one))
    const large = table(2000, (index) => `2026-10-08,schöne schuhe ${index},/a,1,20,3.5`)
    expect((yield* loadsOf(large, 4000)).map(isFromProcess)).toEqual([true])
  })

  it("is refused with the same line and reason", function* () {
    const bytes = table(3, (index) => `2026-10-08,shoes,/a,${index * 15},20,3.5`)
    for (const file of [bytes, gzipSync(bytes)])
      expect((yield* Effect.flip(decoded(inPieces(file)))).message).toBe(
        "body:4: 30 clicks are more than 20 impressions"
      )
  })

  it("fails with the source of its bytes", function* () {
    for (const count of [9, 2000]) {
      const broken = Stream.concat(inPieces(table(count, () => "2026-10-08,shoes,/a,1,20,3.5")), Stream.die("away"))
      expect(yield* Effect.exit(decoded(broken))).toMatchObject({
        _tag: "Failure",
        cause: { _tag: "Die", defect: "away" }
      })
    }
  })

  if (process.platform === "linux") {
    it("ends its process when the reader stops", function* () {
      const fiber = yield* Effect.fork(decoded(begun))
      yield* until(Effect.sync(children), (pids) => pids.length === 1)
      yield* Fiber.interrupt(fiber)
      yield* until(Effect.sync(children), (pids) => pids.length === 0)
    })

    it("fails when the process is killed, and says that nothing was imported", function* () {
      const fiber = yield* Effect.fork(Effect.flip(decoded(begun)))
      const [pid] = yield* until(Effect.sync(children), (pids) => pids.length === 1)
      process.kill(Number(pid), "SIGKILL")
      expect(yield* Fiber.join(fiber)).toMatchObject({
        _tag: "DecodeFailed",
        message: expect.stringContaining("Nothing was imported")
      })
    })
  }
})
