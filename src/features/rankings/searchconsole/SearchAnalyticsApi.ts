import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as CleanAnswer from "../../../foundation/secrets/CleanAnswer.ts"
import type { Redaction } from "../../../foundation/secrets/Redaction.ts"
import * as ApiJson from "../decode/ApiJson.ts"
import * as Property from "../Property.ts"
import { type Batch, emptyBatch, joined, totalDropped } from "../RawRow.ts"
import type { Access } from "./AccessTokens.ts"
import * as Backoff from "./Backoff.ts"
import * as GoogleTokens from "./GoogleTokens.ts"
import * as Refusal from "./Refusal.ts"
import { type DayRequest, SearchAnalytics, SearchConsoleFailed } from "./SearchAnalytics.ts"
import { Settings } from "./Settings.ts"

/** Rows of a page: the most that the API gives at once. */
const pageSize = 25_000

/** Pages of one day after which something must be wrong: the service gives out two. */
const mostPages = 400

/** The API over any HTTP client. */
const layerNoDeps = Layer.effect(
  SearchAnalytics,
  Effect.gen(function* () {
    const settings = yield* Settings
    const client = HttpClient.withTracerPropagation(yield* HttpClient.HttpClient, false)

    const send = (request: DayRequest, startRow: number, { redaction, token }: Access) =>
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
          onTimeout: () => unavailable("no complete answer within 2 minutes")
        })
      )

    /** A token may expire between being given and being used, so one refusal asks for a new one. */
    const page = (request: DayRequest, startRow: number) =>
      Effect.flatMap(request.tokens.get, (access) => send(request, startRow, access)).pipe(
        Effect.catchIf(
          (failed) => failed._tag === "SearchConsoleFailed" && failed.kind === "unauthorised",
          () => Effect.flatMap(request.tokens.renew, (access) => send(request, startRow, access))
        ),
        Effect.catchTag("TokenRefused", (refused) => Effect.fail(Refusal.ofToken(refused))),
        (attempt) => Backoff.retrying(attempt, settings.firstRetry)
      )

    /** Only an empty page means the end; a short one does not. */
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

/** The API over `fetch`, and Google's tokens for it; redirects are not followed, for they would take the token along. */
export const layer = layerNoDeps.pipe(
  Layer.provide(FetchHttpClient.layer),
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" })),
  Layer.merge(GoogleTokens.layer)
)

const pathOf = (property: string) => `/webmasters/v3/sites/${encodeURIComponent(property)}/searchAnalytics/query`

/**
 * The dimensions of each grouping. Totals of pages and of the property have the dimensions that the property is known by; anonymised queries are in both.
 * The property counts a search once that shows several pages, so it has a request of its own. The more dimensions, the sooner the limit of rows cuts off,
 * so queries have a request without country and device as well.
 */
const groupings = {
  pages: { aggregationType: "byPage", dimensions: ["date", "page", "country", "device"] },
  property: { aggregationType: "byProperty", dimensions: ["date", "country", "device"] },
  queries: { aggregationType: "byPage", dimensions: ApiJson.defaultDimensions },
  segments: { aggregationType: "byPage", dimensions: [...ApiJson.defaultDimensions, "country", "device"] }
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
      query: clean(row.query)
    }))
  })
}

/** A page is decoded as it arrives and held until it is complete: a torn page is requested again as a whole. */
const decoded = (
  request: DayRequest,
  startRow: number,
  answer: HttpClientResponse.HttpClientResponse,
  redaction: Redaction
) =>
  Effect.suspend(() => {
    const property = Property.parse(request.property)
    const decoder = ApiJson.reader(`${request.property} ${request.day}, ${request.grouping}, from row ${startRow}`, {
      dimensions: groupings[request.grouping].dimensions,
      host: request.host,
      ...(Either.isRight(property) ? { property: property.right } : {})
    })
    const clean = cleanBatch(redaction)
    return answer.stream.pipe(
      Stream.catchTag("ResponseError", () => Stream.fail(unavailable("the connection ended within the answer"))),
      Stream.mapEffect((bytes) => decoder.push(bytes)),
      Stream.map(clean),
      Stream.runFold(emptyBatch, joined),
      Effect.flatMap((batch) => Effect.map(decoder.end(), (rest) => joined(batch, clean(rest)))),
      Effect.catchTag("ImportFailed", (failed) =>
        Effect.fail(failure("invalid_response", redaction.text(failed.message), answer.status))
      )
    )
  })

/** Bytes of an answer that is no success. */
const longestRefusal = 1_048_576

/** Of an answer that is too long or breaks off the status is what counts. */
const refused = (answer: HttpClientResponse.HttpClientResponse, redaction: Redaction) =>
  CleanAnswer.read(answer, redaction, longestRefusal, Option.none()).pipe(
    Effect.orElseSucceed(() => ({ headers: answer.headers, json: Option.none(), status: answer.status })),
    Effect.flatMap((read) => Effect.fail(Refusal.of(read)))
  )

const failure = (kind: SearchConsoleFailed["kind"], reason: string, status: number | null = null) =>
  new SearchConsoleFailed({ kind, reason, status, retryAfter: null })

const unavailable = (reason: string) => failure("unavailable", reason)

const unreachable = () => Effect.fail(unavailable("the service cannot be reached"))
