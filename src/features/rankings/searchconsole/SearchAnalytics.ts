import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type CleanAnswer, cleanAnswer, type Redaction } from "../../../foundation/secrets/Redaction.ts"
import { apiReader, defaultDimensions } from "../decode/ApiJson.ts"
import * as Property from "../Property.ts"
import { type Batch, emptyBatch, joined, type Level, totalDropped } from "../RawRow.ts"
import { Settings } from "./Settings.ts"

import * as Tokens from "./Tokens.ts"

/** The groupings of requests: Search Console's levels, and queries on pages again, by country and device. */
export type Grouping = Level | "segments"

/** One day of a property in one grouping. */
interface DayRequest {
  /** Search Console's name of the property: `sc-domain:example.com` or `https://www.example.com/`. */
  readonly property: string
  /** The project's host; rows of other hosts are left out. */
  readonly host: string
  /** `YYYY-MM-DD`, Pacific time. */
  readonly day: string
  readonly grouping: Grouping
  readonly tokens: Tokens.TokenSource
}

/** Why Search Console returned no data. `quota` and `unavailable` are temporary; the others need a person. */
export type Kind = "quota" | "unavailable" | "unauthorised" | "forbidden" | "invalid_request" | "invalid_response"

/** A request to the Search Console API failed, permanently or temporarily. */
export class SearchConsoleFailed extends Data.TaggedError("SearchConsoleFailed")<{
  readonly kind: Kind
  readonly reason: string
  /** The HTTP status; null without a response. */
  readonly status: number | null
  /** The wait that the service demands, if any. */
  readonly retryAfter: Duration.Duration | null
}> {
  override get message() {
    return `Search Console: ${this.reason}`
  }

  /** Whether the request may succeed later. */
  get isTransient() {
    return this.kind === "quota" || this.kind === "unavailable"
  }
}

/** The search performance of properties by day: final data of the web search type. */
export class SearchAnalytics extends Context.Tag("rankings/searchconsole/SearchAnalytics")<
  SearchAnalytics,
  { readonly day: (request: DayRequest) => Stream.Stream<Batch, SearchConsoleFailed> }
>() {}

/**
 * The most rows of a day in the API, which does not tell how many rows it leaves out. https://developers.google.com/webmaster-tools/v1/how-tos/all-your-data
 */
export const rowsOfADay = 50_000

/** Whether the limit of rows cut off a day's data. */
export const isCutOff = (batches: Iterable<Batch>): boolean => {
  let count = 0
  for (const { dropped, rows } of batches) count += rows.length + totalDropped(dropped)
  return count >= rowsOfADay
}

/** Retries of one request: with a first wait of a second they span two minutes. */
const retries = 7

/** The longest honoured wait; beyond it, the next synchronisation is soon enough. */
const longestWait = Duration.minutes(10)

/** The wait before retry `attempt` (0-based): doubled each time, or the service's `Retry-After` if longer. */
export const delay = (
  attempt: number,
  first: Duration.Duration,
  retryAfter: Duration.Duration | null
): Duration.Duration =>
  Duration.min(Duration.max(Duration.times(first, 2 ** attempt), retryAfter ?? Duration.zero), longestWait)

/** Repeats a request after temporary failures. Each wait grows randomly by up to a tenth, which spreads nodes. */
const retrying = <A, R>(
  request: Effect.Effect<A, SearchConsoleFailed, R>,
  first: Duration.Duration
): Effect.Effect<A, SearchConsoleFailed, R> => {
  const attempt = (number: number): Effect.Effect<A, SearchConsoleFailed, R> =>
    Effect.catchAll(request, (failed) =>
      failed.isTransient && number < retries
        ? Random.nextRange(1, 1.1).pipe(
            Effect.flatMap((jitter) => Effect.sleep(Duration.times(delay(number, first, failed.retryAfter), jitter))),
            Effect.zipRight(Effect.suspend(() => attempt(number + 1)))
          )
        : Effect.fail(failed)
    )
  return attempt(0)
}

const Problem = Schema.Struct({
  error: Schema.Struct({
    message: Schema.optional(Schema.String),
    status: Schema.optional(Schema.String),
    errors: Schema.optional(Schema.Array(Schema.Struct({ reason: Schema.optional(Schema.String) })))
  })
})

const decode = Schema.decodeUnknownOption(Problem)

const quotaReasons = new Set([
  "quotaExceeded",
  "rateLimitExceeded",
  "userRateLimitExceeded",
  "dailyLimitExceeded",
  "servingLimitExceeded"
])

/** The most characters of the service's reason that are passed on. */
const longest = 300

/** Reads an error response: its status, `Retry-After` header (seconds) and JSON. */
export const of = ({ headers, json, status }: CleanAnswer): SearchConsoleFailed => {
  const error = Option.map(Option.flatMap(json, decode), (problem) => problem.error)
  const retryAfter = headers["retry-after"]
  const reasons = Option.match(error, {
    onNone: () => [],
    onSome: ({ errors, status: code }) => [...(errors ?? []).map(({ reason }) => reason ?? ""), code ?? ""]
  })
  const message = Option.flatMapNullable(error, ({ message }) => message)
  return new SearchConsoleFailed({
    kind: kindOf(status, reasons),
    reason: Option.getOrElse(message, () => `status ${status}`).slice(0, longest),
    status,
    retryAfter: retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? Duration.seconds(Number(retryAfter)) : null
  })
}

/** The failure for a refused token. */
export const ofToken = ({ isPermanent, message: reason }: Tokens.TokenRefused): SearchConsoleFailed =>
  new SearchConsoleFailed({
    kind: isPermanent ? "unauthorised" : "unavailable",
    reason,
    retryAfter: null,
    status: null
  })

const kindOf = (status: number, reasons: ReadonlyArray<string>): Kind => {
  if (status === 429 || reasons.some((reason) => quotaReasons.has(reason) || reason === "RESOURCE_EXHAUSTED"))
    return "quota"
  if (status >= 500 || status === 408) return "unavailable"
  if (status === 401) return "unauthorised"
  return status === 403 || status === 404 ? "forbidden" : "invalid_request"
}

/** Rows of a page, the API's maximum. */
const pageSize = 25_000

/** The most pages of one day. The service returns two, so more would mean a fault. */
const mostPages = 400

/** The API over any HTTP client. */
const layerNoDeps = Layer.effect(
  SearchAnalytics,
  Effect.gen(function* () {
    const settings = yield* Settings
    const client = HttpClient.withTracerPropagation(yield* HttpClient.HttpClient, false)

    const send = (request: DayRequest, startRow: number, { redaction, token }: Tokens.Access) =>
      HttpClientRequest.post(new URL(pathOf(request.property), settings.url)).pipe(
        HttpClientRequest.bearerToken(token),
        HttpClientRequest.bodyUnsafeJson(queryOf(request, startRow)),
        client.execute,
        Effect.catchTags({ RequestError: unreachable, ResponseError: unreachable }),
        Effect.flatMap((answer) =>
          answer.status === 200 ? decoded(request, startRow, answer, redaction) : refused(answer, redaction)
        ),
        Effect.timeoutFail({
          duration: "2 minutes",
          onTimeout: () => unavailable("no complete response within 2 minutes")
        })
      )

    /** A token may expire before its use, so the first refusal renews the token. */
    const page = (request: DayRequest, startRow: number) =>
      Effect.flatMap(request.tokens.get, (access) => send(request, startRow, access)).pipe(
        Effect.catchIf(
          (failed) => failed._tag === "SearchConsoleFailed" && failed.kind === "unauthorised",
          () => Effect.flatMap(request.tokens.renew, (access) => send(request, startRow, access))
        ),
        Effect.catchTag("TokenRefused", (refused) => Effect.fail(ofToken(refused))),
        (attempt) => retrying(attempt, settings.firstRetry)
      )

    /** Only an empty page is the end, a short one is not. */
    const day = (request: DayRequest) =>
      Stream.paginateChunkEffect(0, (startRow) =>
        Effect.map(page(request, startRow), (batch) => {
          const isEmpty = batch.rows.length + totalDropped(batch.dropped) === 0
          const isLast = isEmpty || startRow >= pageSize * (mostPages - 1)
          return [
            isEmpty ? Chunk.empty<Batch>() : Chunk.of(batch),
            isLast ? Option.none<number>() : Option.some(startRow + pageSize)
          ]
        })
      )

    return { day }
  })
)

/** The API over `fetch`, with Google's tokens. Redirects are not followed, because they would receive the token. */
export const layer = layerNoDeps.pipe(
  Layer.provide(FetchHttpClient.layer),
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" })),
  Layer.merge(Tokens.layer)
)

const pathOf = (property: string) => `/webmasters/v3/sites/${encodeURIComponent(property)}/searchAnalytics/query`

/**
 * The dimensions of each grouping. Totals of pages and of the property have country and device, and include anonymised queries. The property counts a search
 * with several pages once, so it needs a separate request. More dimensions reach the limit of rows sooner, so queries have a request without country and device
 * as well.
 */
const groupings = {
  pages: { aggregationType: "byPage", dimensions: ["date", "page", "country", "device"] },
  property: { aggregationType: "byProperty", dimensions: ["date", "country", "device"] },
  queries: { aggregationType: "byPage", dimensions: defaultDimensions },
  segments: { aggregationType: "byPage", dimensions: [...defaultDimensions, "country", "device"] }
} as const

const queryOf = ({ day, grouping }: DayRequest, startRow: number) => ({
  startDate: day,
  endDate: day,
  ...groupings[grouping],
  type: "web",
  dataState: "final",
  rowLimit: pageSize,
  startRow
})

const cleanBatch = ({ text }: Redaction) => {
  const clean = (value: string | null) => (value === null ? null : text(value))
  return (batch: Batch): Batch => ({
    ...batch,
    rows: batch.rows.map((row) => ({
      ...row,
      address: text(row.address),
      appearance: clean(row.appearance),
      country: clean(row.country),
      device: clean(row.device),
      page: clean(row.page),
      spelling: clean(row.spelling),
      query: clean(row.query)
    }))
  })
}

/** A page is decoded as it arrives and held until it is complete. An incomplete page is requested again as a whole. */
const decoded = (
  request: DayRequest,
  startRow: number,
  answer: HttpClientResponse.HttpClientResponse,
  redaction: Redaction
) =>
  Effect.suspend(() => {
    const property = Property.parse(request.property)
    const decoder = apiReader(`${request.property} ${request.day}, ${request.grouping}, from row ${startRow}`, {
      dimensions: groupings[request.grouping].dimensions,
      host: request.host,
      ...(Either.isRight(property) ? { property: property.right } : {})
    })
    const clean = cleanBatch(redaction)
    return answer.stream.pipe(
      Stream.catchTag("ResponseError", () => Stream.fail(unavailable("the connection closed during the response"))),
      Stream.mapEffect((bytes) => decoder.push(bytes)),
      Stream.map(clean),
      Stream.runFold(emptyBatch, joined),
      Effect.flatMap((batch) => Effect.map(decoder.end(), (rest) => joined(batch, clean(rest)))),
      Effect.filterOrFail(
        ({ incomplete = [] }) => incomplete.length === 0,
        () => unavailable(`the numbers of ${request.day} are not final yet`)
      ),
      Effect.catchTag("ImportFailed", (failed) =>
        Effect.fail(failure("invalid_response", redaction.text(failed.message), answer.status))
      )
    )
  })

/** The most bytes of an error response. */
const longestRefusal = 1_048_576

/** Only the status counts of an error response that is too long or incomplete. */
const refused = (answer: HttpClientResponse.HttpClientResponse, redaction: Redaction) =>
  cleanAnswer(answer, redaction, longestRefusal, Option.none()).pipe(
    Effect.orElseSucceed(() => ({ headers: answer.headers, json: Option.none(), status: answer.status })),
    Effect.flatMap((read) => Effect.fail(of(read)))
  )

const failure = (kind: SearchConsoleFailed["kind"], reason: string, status: number | null = null) =>
  new SearchConsoleFailed({ kind, reason, status, retryAfter: null })

const unavailable = (reason: string) => failure("unavailable", reason)

const unreachable = () => Effect.fail(unavailable("the service is unreachable"))
