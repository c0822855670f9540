import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Shares from "../../foundation/database/Shares.ts"
import { apiError, waitHeaders } from "../../foundation/http/ApiError.ts"
import { type Format, negotiated, type PageLinks, type PageMeta } from "../../foundation/http/Contract.ts"
import type { ListQuery } from "../../foundation/http/Paging.ts"
import { Connections } from "../../foundation/http/Request.ts"
import { Invalid } from "../../foundation/schema/DomainError.ts"
import { record } from "../../foundation/text/Csv.ts"
import type { AccountId } from "./Domain.ts"
import { type Batch, forCaller, pageForCaller } from "./Handlers.ts"

/** The most concurrent exports and followed things of an account on a node. */
const atOnce = { exports: 4, followed: 20 } as const
type Kind = keyof typeof atOnce

/** Seconds for `Retry-After`. The reader decides when an export ends, so this is a guess. */
const wait = 10

/** The slowest accepted pace of a reader: `bytes` in each `time`, that is 64 KiB a minute. */
const look = { bytes: 16 * 1024, time: "15 seconds" } as const

/** The most bytes by which a reader may be behind: two minutes at the slowest pace. A reader at an even pace acknowledges up to 93 KiB at a time. */
const behindAtMost = 128 * 1024

/** Bytes for a reader at a time, and so the precision of its measured pace. */
const pieceBytes = 16 * 1024

/**
 * The most bytes in the system's buffers when an export ends. The export waits for more to drain, because the server drops bytes that are sent too slowly after
 * the end.
 */
const leftAtEnd = 1 << 20

const tooMany = (kind: Kind, what: string) =>
  apiError("quota_exceeded", `${atOnce[kind]} ${what} on this server. Try again when one is finished`, {
    headers: waitHeaders(atOnce[kind], wait)
  })

const refusals = {
  exports: tooMany("exports", "exports of the account are in progress"),
  followed: tooMany("followed", "live crawl streams of the account are open")
}

/** Bounds exports: an account has a few at a time, and a reader that does not read has none. */
export class ExportLimits extends Effect.Service<ExportLimits>()("accounts/ExportLimits", {
  effect: Effect.gen(function* () {
    const { backlogOf } = yield* Connections
    const running = { exports: new Map<AccountId, number>(), followed: new Map<AccountId, number>() }

    const enter = (account: AccountId, kind: Kind) =>
      Effect.suspend(() => {
        const count = running[kind].get(account) ?? 0
        if (count >= atOnce[kind]) return refusals[kind]
        running[kind].set(account, count + 1)
        return Effect.void
      })

    const leave = (account: AccountId, kind: Kind) =>
      Effect.sync(() => {
        const count = running[kind].get(account) ?? 0
        if (count > 1) running[kind].set(account, count - 1)
        else running[kind].delete(account)
      })

    /** Takes one of the account's places for exports, or for responses that follow a thing, until the request ends. */
    const place = (account: AccountId, kind: Kind = "exports") =>
      Effect.acquireRelease(enter(account, kind), () => leave(account, kind))

    /**
     * Passes the pieces to a reader that takes 64 KiB a minute. The response to a slower reader is aborted, after two minutes if it takes nothing. Bytes in the
     * system's send buffers do not count as taken: the buffers hold about 4 MB, and ask for more only minutes after they are full. `isReading` tells that the
     * export waits for the database.
     */
    const watched = <E, R>(pieces: Stream.Stream<Uint8Array, E, R>, isReading: () => boolean) =>
      Effect.gen(function* () {
        const { source } = yield* HttpServerRequest.HttpServerRequest
        let handed = 0
        let breakOff = Effect.void

        const taken = Effect.map(backlogOf(source), (bytes) => handed - bytes)

        const watch = (before: number, behind: number): Effect.Effect<void> =>
          Effect.gen(function* () {
            yield* Effect.sleep(look.time)
            const now = yield* taken
            const missing = isReading() ? 0 : Math.max(0, behind + look.bytes - (now - before))
            if (missing < behindAtMost) return yield* watch(now, missing)
            yield* Effect.logWarning("An export was stopped: its client read less than 64 KiB per minute")
            yield* breakOff
          })

        // This fiber waits for the reader; the fiber that makes the pieces does not.
        const begin = Effect.withFiberRuntime<void>((fiber) => {
          breakOff = fiber.interruptAsFork(FiberId.none)
          return Effect.void
        })
        const settled = Effect.repeat(
          Effect.flatMap(backlogOf(source), (bytes) =>
            bytes <= leftAtEnd ? Effect.succeed(true) : Effect.as(Effect.sleep("1 second"), false)
          ),
          { until: (done) => done }
        )
        yield* Effect.forkScoped(watch(0, 0))
        return pieces.pipe(
          Stream.tap(({ length }) =>
            Effect.sync(() => {
              handed += length
            })
          ),
          Stream.onStart(begin),
          Stream.concat(Stream.drain(Stream.fromEffect(settled)))
        )
      })

    return { place, watched }
  })
}) {}

/** Records read at a time. An export holds no more in memory, even for a slow reader. */
const usual = 1000

/** A list for responses: pages as JSON, the whole as CSV or NDJSON. */
interface List<A, E, R> {
  readonly query: ListQuery
  readonly read: (account: AccountId, batch: Batch) => Effect.Effect<ReadonlyArray<A>, E, R>
  readonly position: (record: A) => ReadonlyArray<string>
  /** The fields of a record in the order of the columns. */
  readonly columns: ReadonlyArray<string>
  /** A record as JSON, as in a page. */
  readonly json: (record: A) => string
  /** Records to read at a time, if the list needs another number. */
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

/** The records as bytes, made on demand, in pieces that a slow reader takes within a minute. */
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

/** Responds with the whole list. The first records are read before the response begins, so an invalid request gets a page's error. */
export const exportList = <A, E, R>(format: Format, list: List<A, E, R>) =>
  forCaller((account) =>
    Effect.gen(function* () {
      if (list.query.cursor !== undefined)
        return yield* Invalid.of("cursor", "cannot be combined with CSV or NDJSON, which return the whole list")
      const context = yield* Effect.context<R>()
      const limits = yield* ExportLimits
      yield* limits.place(account)
      const count = list.batch ?? usual
      const line = lineOf(format, list.columns)
      // The fiber that reads the stream is no child of the request's fiber.
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
      // The deletion of a site during the read leaves a batch short. A short batch is the end only if the site still exists after it.
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
      // A response that has begun cannot become an error. It is aborted, and the caller notices the missing end of the chunked body (RFC 9112 §7.1).
      const logged = Stream.tapErrorCause(rest, (cause) =>
        Effect.logWarning("An export failed after the first rows", cause)
      )
      const whole = yield* limits.watched(Stream.prepend(logged, head), () => isReading)
      return HttpServerResponse.stream(Stream.provideContext(whole, context), {
        contentType: format === "text/csv" ? `${format}; charset=utf-8` : format
      })
    })
  )

/** Responds with a list in the format of `Accept`: `answered` makes the JSON of a page; CSV and NDJSON have the whole list. */
export const answerList = <A, E, R, B, E2, R2>(
  list: List<A, E, R>,
  answered: (page: Page<A>) => Effect.Effect<B, E2, R2>
) =>
  Effect.gen(function* () {
    const format = yield* negotiated
    if (format !== "application/json") return yield* exportList(format, list)
    return yield* answered(yield* pageForCaller(list.query, list.read, list.position))
  })
