import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Redaction from "../../../foundation/secrets/Redaction.ts"
import * as SearchAnalytics from "./SearchAnalytics.ts"

import { Settings } from "./Settings.ts"
import type { Access, TokenSource } from "./Tokens.ts"

const text = Schema.optionalWith(Schema.String, { exact: true })

/** Google's index status of a URL; new values are kept unchanged. */
const IndexStatus = Schema.Struct({
  verdict: text,
  coverageState: text,
  indexingState: text,
  googleCanonical: text,
  userCanonical: text,
  lastCrawlTime: text
})
export type IndexStatus = typeof IndexStatus.Type

/** https://developers.google.com/webmaster-tools/v1/urlInspection.index/UrlInspectionResult */
const Answer = Schema.Struct({
  inspectionResult: Schema.Struct({ indexStatusResult: Schema.optionalWith(IndexStatus, { exact: true }) })
})
const decode = Schema.decodeUnknown(Answer)

/** One inspection of a URL. */
interface Question {
  /** Search Console's name of the property. */
  readonly property: string
  readonly url: string
  readonly tokens: TokenSource
}

/** Google's URL inspection: the index's state of a page. One request a call; the caller keeps to the quotas. */
export class UrlInspection extends Context.Tag("rankings/searchconsole/UrlInspection")<
  UrlInspection,
  { readonly ask: (question: Question) => Effect.Effect<IndexStatus, SearchAnalytics.SearchConsoleFailed> }
>() {}

/** The most bytes of a response; Google's have a few thousand. */
const longest = 1_048_576

const failure = (kind: SearchAnalytics.SearchConsoleFailed["kind"], reason: string) =>
  new SearchAnalytics.SearchConsoleFailed({ kind, reason, status: null, retryAfter: null })

const unreachable = () => Effect.fail(failure("unavailable", "the service is unreachable"))

const tooLong = failure("invalid_response", `the response has more than ${longest} bytes`)

/** The API over any HTTP client. */
const layerNoDeps = Layer.effect(
  UrlInspection,
  Effect.gen(function* () {
    const { url: base } = yield* Settings
    const client = HttpClient.withTracerPropagation(yield* HttpClient.HttpClient, false)

    const send = ({ property, url }: Question, { redaction, token }: Access) =>
      HttpClientRequest.post(new URL("/v1/urlInspection/index:inspect", base)).pipe(
        HttpClientRequest.bearerToken(token),
        HttpClientRequest.bodyUnsafeJson({ inspectionUrl: url, languageCode: "en-US", siteUrl: property }),
        client.execute,
        Effect.flatMap((answer) => Redaction.cleanAnswer(answer, redaction, longest, tooLong)),
        Effect.catchTags({ RequestError: unreachable, ResponseError: unreachable }),
        Effect.flatMap((answer) =>
          answer.status === 200
            ? Effect.mapError(Effect.flatMap(answer.json, decode), () =>
                failure("invalid_response", "the response is not readable")
              )
            : Effect.fail(SearchAnalytics.of(answer))
        ),
        Effect.map(({ inspectionResult }) => inspectionResult.indexStatusResult ?? {}),
        Effect.timeoutFail({
          duration: "1 minute",
          onTimeout: () => failure("unavailable", "no complete response within a minute")
        })
      )

    /** A token may expire before its use, so the first refusal renews the token. */
    const ask = (question: Question) =>
      Effect.flatMap(question.tokens.get, (access) => send(question, access)).pipe(
        Effect.catchIf(
          (failed) => failed._tag === "SearchConsoleFailed" && failed.kind === "unauthorised",
          () => Effect.flatMap(question.tokens.renew, (access) => send(question, access))
        ),
        Effect.catchTag("TokenRefused", (refused) => Effect.fail(SearchAnalytics.ofToken(refused)))
      )

    return { ask }
  })
)

/** The API over `fetch`. Redirects are not followed, because they would receive the token. */
export const layer = layerNoDeps.pipe(
  Layer.provide(FetchHttpClient.layer),
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
)
