import * as SqlClient from "@effect/sql/SqlClient"
import * as Chunk from "effect/Chunk"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Query from "../../foundation/database/Query.ts"
import { Refused } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { unpacked } from "./Unpack.ts"

/** Ranks of names in a web graph. */
export class RanksRepo extends Effect.Service<RanksRepo>()("backlinks/RanksRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const clear = Query.none({ Request: Schema.Void, execute: () => sql`DELETE FROM backlink_ranks` })

    const add = Query.none({
      Request: Schema.Struct({
        asOf: Schema.DateTimeUtc,
        domains: Schema.Array(Schema.String),
        ranks: Schema.Array(Schema.Int)
      }),
      execute: ({ asOf, domains, ranks }) => sql`
        INSERT INTO backlink_ranks (domain, rank, as_of)
        SELECT domain, rank, ${asOf}::timestamptz FROM unnest(${domains}::text[], ${ranks}::int[]) AS given (domain, rank)
        ON CONFLICT (domain) DO UPDATE SET rank = least(backlink_ranks.rank, excluded.rank)`
    })

    return { add, clear: clear(undefined), transaction: Query.transaction(sql) }
  })
}) {}

/** Maximum names to keep: the ones with a high rank. */
const most = 1_000_000

/** Maximum names per statement. */
const batch = 10_000

interface Ranked {
  readonly domain: string
  readonly rank: number
}

const unreadable = (line: string) =>
  new Refused({
    message: `"${line.slice(0, 100)}" is not a line of a Common Crawl ranks file: expected harmonic rank and reversed host, such as 1<tab>…<tab>com.example`
  })

/** Parses rank and name of a line; the header names their columns. */
const parser = () => {
  let [rank, name] = [0, 4]
  return (line: string): Effect.Effect<Option.Option<Ranked>, Refused> => {
    const cells = line.split("\t")
    if (line.startsWith("#")) {
      const header = cells.map((cell) => cell.replace(/^#/, ""))
      rank = header.indexOf("harmonicc_pos")
      name = header.findIndex((cell) => cell === "host_rev" || cell === "domain_rev")
      return rank === -1 || name === -1 ? unreadable(line) : Effect.succeedNone
    }
    const [place, reversed] = [Number(cells[rank]), cells[name] ?? ""]
    if (!Number.isSafeInteger(place) || place < 1 || !/^[^\s.]+(?:\.[^\s.]+)*$/.test(reversed)) return unreadable(line)
    return Effect.succeedSome({ domain: reversed.split(".").reverse().join("."), rank: place })
  }
}

/** The ranks of a Common Crawl web graph: the first million of the file. */
export class Ranks extends Effect.Service<Ranks>()("backlinks/Ranks", {
  dependencies: [RanksRepo.Default],
  effect: Effect.gen(function* () {
    const { add, clear, transaction } = yield* RanksRepo

    /** Replaces the ranks by a file's, plain or gzip, and stops reading after the first million. */
    const replace = Traced.fn("Ranks.replace")(function* <E>(bytes: Stream.Stream<Uint8Array, E>, asOf: DateTime.Utc) {
      const parse = parser()
      yield* clear
      const domains = yield* unpacked(bytes).pipe(
        Stream.mapError((error) =>
          Object(error)._tag === "NotUnpacked" ? new Refused({ message: String(Object(error).reason) }) : error
        ),
        Stream.decodeText(),
        Stream.splitLines,
        Stream.filter((line) => line !== ""),
        Stream.mapEffect(parse),
        Stream.filterMap((ranked) => ranked),
        Stream.takeWhile(({ rank }) => rank <= most),
        Stream.take(most),
        Stream.grouped(batch),
        Stream.runFoldEffect(0, (count, ranked) => {
          const rows = Chunk.toReadonlyArray(ranked)
          return Effect.as(
            add({ asOf, domains: rows.map(({ domain }) => domain), ranks: rows.map(({ rank }) => rank) }),
            count + rows.length
          )
        })
      )
      if (domains === 0) return yield* new Refused({ message: "The file has no ranks" })
      return { domains }
    }, transaction)

    return { replace }
  })
}) {}
