import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { record } from "../csv/CsvText.ts"
import * as Shares from "../database/Shares.ts"
import { type Format, negotiated } from "../http/Format.ts"
import type { PageLinks, PageMeta } from "../http/Pagination.ts"
import type { ListQuery } from "../http/Paging.ts"
import { Invalid } from "../schema/DomainError.ts"
import { type Batch, forCaller, pageForCaller } from "./Answers.ts"
import type { AccountId } from "./Domain.ts"

/** Records that are read at a time: all that an export holds of its list, however slowly it is taken. */
const usual = 1000

/** A list that is answered by page as JSON, and whole as CSV and NDJSON. */
export interface List<A, E, R> {
  readonly query: ListQuery
  readonly read: (account: AccountId, batch: Batch) => Effect.Effect<ReadonlyArray<A>, E, R>
  readonly position: (record: A) => ReadonlyArray<string>
  /** The fields of a record, in the order of the columns. */
  readonly columns: ReadonlyArray<string>
  /** A record as the JSON that a page has it as. */
  readonly json: (record: A) => string
  /** Records to read at a time, where another number suits the list. */
  readonly batch?: number
}

interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly meta: typeof PageMeta.Type
  readonly links: typeof PageLinks.Type
}

const encoder = new TextEncoder()

const cells = (json: string, columns: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const fields: Readonly<Record<string, unknown>> = JSON.parse(json)
  return columns.map((column) => fields[column])
}

const lineOf = (format: Format, columns: ReadonlyArray<string>) => (json: string) =>
  format === "text/csv" ? record(cells(json, columns)) : `${json}\n`

/** The first records are read before anything is answered, so that what is wrong with the request is told as for a page. */
const whole = <A, E, R>(format: Format, list: List<A, E, R>) =>
  forCaller((account) =>
    Effect.gen(function* () {
      if (list.query.cursor !== undefined) return yield* Invalid.of("cursor", "must be left out: the list is whole")
      const context = yield* Effect.context<R>()
      const count = list.batch ?? usual
      const line = lineOf(format, list.columns)
      // The stream is read by a fiber that does not descend from the request's.
      const share = yield* FiberRef.get(Shares.current)
      const read = (after: Batch["after"]) =>
        Effect.locally(list.read(account, { after, count }), Shares.current, share)
      const first = yield* read(undefined)
      const rest = Stream.paginateEffect(Effect.succeed(first), (reading: Effect.Effect<ReadonlyArray<A>, E, R>) =>
        Effect.map(reading, (records) => {
          const last = records.length < count ? undefined : records.at(-1)
          const text = records.map((one) => line(list.json(one))).join("")
          const next = last === undefined ? Option.none() : Option.some(read(list.position(last)))
          return [encoder.encode(text), next] as const
        })
      )
      const head = format === "text/csv" ? Chunk.of(encoder.encode(record(list.columns))) : Chunk.empty<Uint8Array>()
      // An answer that has begun cannot become an error: it breaks off, and the caller misses the end of the chunked body (RFC 9112 §7.1).
      const told = Stream.tapErrorCause(rest, (cause) => Effect.logWarning("An export broke off", cause))
      return HttpServerResponse.stream(Stream.prepend(told, head).pipe(Stream.provideContext(context)), {
        contentType: format === "text/csv" ? `${format}; charset=utf-8` : format
      })
    })
  )

/** A list as `Accept` asks for it: `answered` makes the JSON answer of a page, CSV and NDJSON are the whole list. */
export const answerList = <A, E, R, B, E2, R2>(
  list: List<A, E, R>,
  answered: (page: Page<A>) => Effect.Effect<B, E2, R2>
) =>
  Effect.gen(function* () {
    const format = yield* negotiated
    if (format !== "application/json") return yield* whole(format, list)
    return yield* answered(yield* pageForCaller(list.query, list.read, list.position))
  })
