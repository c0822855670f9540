import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Shares from "../../foundation/database/Shares.ts"
import { type Format, negotiated } from "../../foundation/http/Format.ts"
import type { PageLinks, PageMeta } from "../../foundation/http/Pagination.ts"
import type { ListQuery } from "../../foundation/http/Paging.ts"
import { Invalid } from "../../foundation/schema/DomainError.ts"
import { record } from "../../foundation/text/Csv.ts"
import type { AccountId } from "./Domain.ts"
import { ExportLimits, pieceBytes } from "./ExportLimits.ts"
import { type Batch, forCaller, pageForCaller } from "./Handlers.ts"

/** Records read at a time, and all that an export holds in memory, however slow its reader is. */
const usual = 1000

/** A list that is answered by page as JSON, and whole as CSV and NDJSON. */
interface List<A, E, R> {
  readonly query: ListQuery
  readonly read: (account: AccountId, batch: Batch) => Effect.Effect<ReadonlyArray<A>, E, R>
  readonly position: (record: A) => ReadonlyArray<string>
  /** The fields of a record, in the order of the columns. */
  readonly columns: ReadonlyArray<string>
  /** A record as JSON, as in a page. */
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

/** The records as bytes, made as they are taken: some of the text at a time, in pieces that a slow reader takes within a minute. */
function* pieces<A>(records: ReadonlyArray<A>, line: (record: A) => string): Generator<Uint8Array, undefined> {
  let text = ""
  for (const [place, one] of records.entries()) {
    text += line(one)
    if (text.length < pieceBytes && place < records.length - 1) continue
    const bytes = encoder.encode(text)
    for (let from = 0; from < bytes.length; from += pieceBytes) yield bytes.subarray(from, from + pieceBytes)
    text = ""
  }
}

/** The first records are read before anything is answered, so that an invalid request gets the same error as for a page. */
const whole = <A, E, R>(format: Format, list: List<A, E, R>) =>
  forCaller((account) =>
    Effect.gen(function* () {
      if (list.query.cursor !== undefined)
        return yield* Invalid.of("cursor", "must be left out: the answer is the whole list")
      const context = yield* Effect.context<R>()
      const limits = yield* ExportLimits
      yield* limits.place(account)
      const count = list.batch ?? usual
      const line = lineOf(format, list.columns)
      // The stream is read by a fiber that does not descend from the request's.
      const share = yield* FiberRef.get(Shares.current)
      let isReading = false
      const reading = (now: boolean) =>
        Effect.sync(() => {
          isReading = now
        })
      const read = (after: Batch["after"], most = count) =>
        Effect.zipRight(reading(true), list.read(account, { after, count: most })).pipe(
          Effect.locally(Shares.current, share),
          Effect.ensuring(reading(false))
        )
      // A site that is deleted while its records are read leaves a batch short: only if it is still there after such a batch was that the end.
      const readWhole = (after: Batch["after"]) =>
        Effect.tap(read(after), (records) => Effect.when(read(after, 1), () => records.length < count))
      const first = yield* read(undefined)
      const rest = Stream.paginateEffect(Effect.succeed(first), (reading: Effect.Effect<ReadonlyArray<A>, E, R>) =>
        Effect.map(reading, (records) => {
          const last = records.length < count ? undefined : records.at(-1)
          const next = last === undefined ? Option.none() : Option.some(readWhole(list.position(last)))
          return [pieces(records, (one) => line(list.json(one))), next] as const
        })
      ).pipe(Stream.flatMap((made) => Stream.fromIteratorSucceed(made, 1)))
      const head = format === "text/csv" ? Chunk.of(encoder.encode(record(list.columns))) : Chunk.empty<Uint8Array>()
      // An answer that has begun cannot become an error: it breaks off, and the caller misses the end of the chunked body (RFC 9112 §7.1).
      const logged = Stream.tapErrorCause(rest, (cause) =>
        Effect.logWarning("An export failed after it had begun", cause)
      )
      const whole = yield* limits.watched(Stream.prepend(logged, head), () => isReading)
      return HttpServerResponse.stream(Stream.provideContext(whole, context), {
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
