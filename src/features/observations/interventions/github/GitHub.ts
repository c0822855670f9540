import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as CleanAnswer from "../../../../foundation/secrets/CleanAnswer.ts"
import * as Redaction from "../../../../foundation/secrets/Redaction.ts"
import { GitHubUrl } from "../Settings.ts"
import { failed, failureOf, type GitHubFailed } from "./Failure.ts"

/** One request to GitHub's REST API, below its base address. */
export interface Request<A, I> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Segments of the path, which are encoded here. */
  readonly path: ReadonlyArray<string>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** What is read of its answer. */
  readonly of: Schema.Schema<A, I>
}

/** GitHub's REST API at the configured address, which alone gets tokens. */
export class GitHub extends Context.Tag("interventions/github/GitHub")<
  GitHub,
  {
    readonly ask: <A, I>(token: Redacted.Redacted, request: Request<A, I>) => Effect.Effect<A, GitHubFailed>
  }
>() {}

/** Bytes of an answer: a file of 1 MB in base64 has 1.4. */
const longest = 3_145_728

const tooLong = failed("unavailable", `the answer has more than ${longest} bytes`)

const unreachable = () => Effect.fail(failed("unavailable", "the service cannot be reached"))

const layerNoDeps = Layer.effect(
  GitHub,
  Effect.gen(function* () {
    const base = (yield* GitHubUrl).href.replace(/\/+$/, "")
    const client = HttpClient.withTracerPropagation(yield* HttpClient.HttpClient, false)

    const send = (
      token: Redacted.Redacted,
      { body, method, path, query = {} }: Omit<Request<unknown, unknown>, "of">
    ) =>
      HttpClientRequest.make(method)(`${base}/${path.map(encodeURIComponent).join("/")}`).pipe(
        HttpClientRequest.setUrlParams(query),
        HttpClientRequest.bearerToken(token),
        HttpClientRequest.setHeaders({
          accept: "application/vnd.github+json",
          "user-agent": "Findable",
          "x-github-api-version": "2022-11-28"
        }),
        HttpClientRequest.setBody(
          body === undefined ? HttpBody.empty : HttpBody.text(JSON.stringify(body), "application/json")
        ),
        client.execute,
        Effect.flatMap((answer) => CleanAnswer.read(answer, Redaction.of([token], "[token]"), longest, tooLong)),
        Effect.catchTags({ RequestError: unreachable, ResponseError: unreachable }),
        Effect.timeoutFail({
          duration: "20 seconds",
          onTimeout: () => failed("unavailable", "no complete answer within 20 seconds")
        }),
        // Handlers that write are uninterruptible, where a time-out could not end a request.
        Effect.interruptible
      )

    const ask = <A, I>(token: Redacted.Redacted, request: Request<A, I>) =>
      Effect.flatMap(send(token, request), ({ headers, json, status }) =>
        status >= 200 && status < 300
          ? Effect.mapError(Effect.flatMap(json, Schema.decodeUnknown(request.of)), () =>
              failed("unavailable", "the answer cannot be read")
            )
          : Effect.flatMap(failureOf(status, headers, json), Effect.fail)
      )

    return { ask }
  })
)

/**
 * The API over `fetch`; redirects are not followed, for they would take the token along. Over a connection that was kept alive Bun sends PUT and DELETE a second
 * time where it ends before the answer: none is kept.
 */
export const layer = layerNoDeps.pipe(
  Layer.provide(FetchHttpClient.layer),
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { keepalive: false, redirect: "manual" }))
)
