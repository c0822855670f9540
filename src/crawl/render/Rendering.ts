import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { RenderingOffReason } from "../report/Rendering.ts"

/** An HTTP answer with its body as decoded bytes. */
export interface Answer {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Uint8Array
}

/** A page that the crawl has read: scripts see this answer, and the page itself is not asked for again. */
export interface Page extends Answer {
  readonly url: URL
}

/** What a page asks for while it renders. */
export interface Asked {
  readonly url: URL
  readonly method: "GET" | "HEAD"
  /** `Script`, `Stylesheet`, `XHR`, `Fetch`, `Document` for the page of a frame, `Other` …, as the DevTools protocol names them. */
  readonly kind: string
}

/** A request that is not made, or has no answer; `why` is one word, such as `robots`. */
export class Refused extends Data.TaggedError("Refused")<{ readonly why: string }> {}

/** Answers what a page asks for. Requests may run beside one another: the page gets their answers in the order in which it asked. */
export type Fetch = (asked: Asked) => Effect.Effect<Answer, Refused>

/** What was seen of a page's requests and scripts, also where its rendering failed. */
export interface Seen {
  /** Requests that were passed on, each address once. */
  readonly requests: number
  readonly refused: ReadonlyArray<{ readonly url: string; readonly why: string }>
  /** Uncaught exceptions, one line each. */
  readonly errors: ReadonlyArray<string>
}

/** A page after its scripts. */
export interface Rendered extends Seen {
  /** The document as HTML; shadow roots are `<template shadowrootmode>`. */
  readonly html: string
  /** Where a script led to: the first other document that the page asked for in its own place. */
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

/** Shows what scripts make of a page. Same page and same answers: the same HTML, byte for byte, whatever the delays. */
export class Renderer extends Context.Tag("crawl/render/Renderer")<
  Renderer,
  {
    readonly render: (page: Page, fetch: Fetch) => Effect.Effect<Rendered, RenderFailed>
    /** Pages that are rendered at a time. */
    readonly width: number
    /** Name and version of the browser, such as `HeadlessChrome/156.0.8078.108`; null before it was started. */
    readonly browser: Effect.Effect<string | null>
  }
>() {}

/** Bounds of one page. */
export interface Limits {
  /** From the first command to the HTML. */
  readonly page: Duration.DurationInput
  /** For the answer to one request. */
  readonly request: Duration.DurationInput
  readonly requests: number
  /** Requests with all repetitions and pictures: a page that asks more often fails as `too_large`. */
  readonly asked: number
  /** Of one answer, in bytes. */
  readonly asset: number
  /** Of all answers together, in bytes. */
  readonly assets: number
  /** Of the HTML, in characters. */
  readonly html: number
}

export const limits: Limits = {
  page: "5 seconds",
  request: "3 seconds",
  requests: 150,
  asked: 5_000,
  asset: 10_000_000,
  assets: 20_000_000,
  html: 2_097_152
}
