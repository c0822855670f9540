import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { RenderingOffReason } from "../report/Rendering.ts"

/** An HTTP answer with its body as decoded bytes. */
export interface Answer {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Uint8Array
}

/** A fetched page: scripts see this response, and the page itself is not requested again. */
export interface Page extends Answer {
  readonly url: URL
  /** The `User-Agent` of the crawl, which scripts see as the browser's name. */
  readonly userAgent: string
}

/** A request of a page while it renders. */
export interface Asked {
  readonly url: URL
  /** `OPTIONS` only for the CORS preflight of a GET or HEAD (Fetch standard, CORS-preflight fetch). */
  readonly method: "GET" | "HEAD" | "OPTIONS"
  /** Fields that browsers send beside their own name: `accept`, `origin` for another origin, and fields of scripts; names in lower case, sorted. */
  readonly headers: Readonly<Record<string, string>>
  /** `Script`, `Stylesheet`, `XHR`, `Fetch`, `Document` for the page of a frame, `Other` …, as the DevTools protocol names them. */
  readonly kind: string
}

/** A request that is not sent or has no answer; `why` is one word, such as `robots`. */
export class Refused extends Data.TaggedError("Refused")<{ readonly why: string }> {}

/** Answers a request of a page. Requests may run concurrently: the page gets their answers in the order of its requests. */
export type Fetch = (asked: Asked) => Effect.Effect<Answer, Refused>

/** The requests and errors of a page, also after a failure. */
export interface Seen {
  /** Number of requests that were passed on. */
  readonly requests: number
  readonly refused: ReadonlyArray<{ readonly url: string; readonly why: string }>
  /** Uncaught exceptions, one line each. */
  readonly errors: ReadonlyArray<string>
}

/** A page after its scripts. */
export interface Rendered extends Seen {
  /** The document as HTML; shadow roots are `<template shadowrootmode>`. */
  readonly html: string
  /** The target of a script: the first other document that the page requested in its own place. */
  readonly redirect: string | null
}

/** Why a page has no result: its deadline or memory, the end of its process, its size, a reload without end, or a lack of a browser that starts. */
export type FailureReason = "time" | "memory" | "crashed" | "too_large" | "reload" | "no_browser"

export class RenderFailed extends Data.TaggedError("RenderFailed")<
  Seen & {
    readonly reason: FailureReason
    /** Why no browser starts; null for other reasons. */
    readonly lack: RenderingOffReason | null
  }
> {}

/** A stored body cannot be read. */
export class StoreFailed extends Data.TaggedError("StoreFailed") {}

/** Runs the scripts of a page. The same page with the same answers gives the same HTML, byte for byte, with any delays. */
export class Renderer extends Context.Tag("crawl/render/Renderer")<
  Renderer,
  {
    readonly render: (page: Page, fetch: Fetch) => Effect.Effect<Rendered, RenderFailed>
    /** Pages to render at the same time. */
    readonly width: number
    /** Name and version of the browser, such as `HeadlessChrome/156.0.8078.108`; null before it was started. */
    readonly browser: Effect.Effect<string | null>
    /** Stores a body that later pages need and memory has no room for; the inner effect reads it. None when the disk has no room either. */
    readonly store: (body: Uint8Array) => Effect.Effect<Option.Option<Effect.Effect<Uint8Array, StoreFailed>>>
  }
>() {}

/** Bounds of one page. */
export interface Limits {
  /** From the first command to the HTML. */
  readonly page: Duration.DurationInput
  /** For the answer to one request. */
  readonly request: Duration.DurationInput
  readonly requests: number
  /** Requests with all repetitions and pictures: a page with more fails as `too_large`. */
  readonly asked: number
  /** Characters of all requests with their fields and bodies: a page with more fails as `too_large`. */
  readonly sent: number
  /** Bytes of one answer. */
  readonly asset: number
  /** Bytes of all answers together. */
  readonly assets: number
  /** Characters of the HTML. */
  readonly html: number
}

export const limits: Limits = {
  page: "5 seconds",
  request: "3 seconds",
  requests: 150,
  asked: 2_000,
  sent: 8_000_000,
  asset: 10_000_000,
  assets: 20_000_000,
  html: 2_097_152
}
