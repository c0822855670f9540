import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Chunk from "effect/Chunk"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { Api } from "../../Api.ts"
import { type Call, type ClientOf, operation, type Patience, patient, type Send } from "./Operation.ts"

/** URL of the API, the key, and the retries. */
export interface Options extends Patience {
  /** URL of the server, with its path if it has one. */
  readonly baseUrl: URL | string
  readonly key: string | Redacted.Redacted
}

/** Every operation of the contract that needs a key, by group and name. */
export type Client = ClientOf<typeof Api>

/** `site-health` is `siteHealth`. */
const camel = (id: string): string => id.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The group for administrators; its operations need no key. */
const withoutKey = "system"

/** A client of the contract over any HTTP client: `FetchHttpClient.layer` in Node, Bun and browsers. */
export function make(options: Options): Effect.Effect<Client, never, HttpClient.HttpClient>
export function make({ baseUrl, key, ...patience }: Options): Effect.Effect<unknown, never, HttpClient.HttpClient> {
  return Effect.map(HttpClient.HttpClient, (http) => {
    const secret = Redacted.isRedacted(key) ? key : Redacted.make(key)
    const ready = HttpClient.mapRequest(http, (request) =>
      request.pipe(
        HttpClientRequest.prependUrl(`${baseUrl}`.replace(/\/+$/, "")),
        HttpClientRequest.bearerToken(secret)
      )
    )
    const send: Send = (request) => patient(ready.execute(request), request, patience)
    const client: Record<string, Record<string, Call>> = {}
    HttpApi.reflect(Api, {
      onGroup: ({ group }) => {
        if (group.identifier !== withoutKey) client[camel(group.identifier)] = {}
      },
      onEndpoint: ({ endpoint, group, successes }) => {
        const group_ = client[camel(group.identifier)]
        if (group_ !== undefined) group_[endpoint.name] = operation(endpoint, successes, send)
      }
    })
    return client
  })
}

interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly meta: { readonly next_cursor?: string | undefined }
}

/** The cursor of a page; absent for the first. */
interface Start {
  readonly cursor?: string
}

/** All records of a list; pages are fetched as the stream is consumed: `records((start) => client.projects.list({ query: { limit: 100, ...start } }))`. */
export const records = <A, E, R>(list: (start: Start) => Effect.Effect<Page<A>, E, R>): Stream.Stream<A, E, R> => {
  const first: Start = {}
  return Stream.paginateChunkEffect(first, (start) =>
    Effect.map(list(start), ({ data, meta: { next_cursor: cursor } }) => [
      Chunk.fromIterable(data),
      cursor === undefined ? Option.none<Start>() : Option.some<Start>({ cursor })
    ])
  )
}

/** The run has not ended in time, and continues. */
export class StillRunning extends Data.TaggedError("StillRunning")<{ readonly run: string }> {}

/** Seconds of `Prefer: wait` in each request. */
const held = 25

type Looked = ReturnType<Client["siteHealth"]["get"]>

/**
 * Waits for the end of a run, and returns the run with its result. The server holds each response until the end, so the wait ends within a second of the run.
 * Default: five minutes at most.
 */
export const ended = (
  client: Client,
  run: string,
  { timeout = "5 minutes" }: { readonly timeout?: Duration.DurationInput } = {}
) => {
  const look = (): Looked =>
    Effect.filterOrElse(
      client.siteHealth.get({ path: { run_id: run }, query: { include: "result" }, wait: held }),
      ({ data }) => data.finished_at !== null,
      // A stopping node responds immediately, so the next request waits a second.
      () => Effect.delay(Effect.suspend(look), "1 second")
    )
  return Effect.timeoutFail(look(), { duration: timeout, onTimeout: () => new StillRunning({ run }) })
}
