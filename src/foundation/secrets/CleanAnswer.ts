import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { boundedText } from "../http/BoundedText.ts"
import type { Redaction } from "./Redaction.ts"

/** What a service that was sent secrets answered, without them. */
export interface CleanAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Its JSON, null where the body is empty; none where the body is no JSON. */
  readonly json: Option.Option<unknown>
}

/** Reads an answer to its end; fails with `tooLong` as soon as it has more than `longest` bytes. The text itself stays here: only its clean JSON goes on. */
export const read = <E>(
  { headers, status, stream }: HttpClientResponse.HttpClientResponse,
  redaction: Redaction,
  longest: number,
  tooLong: E
) =>
  boundedText(
    // An answer without a body, such as 204, is a failed stream of the platform.
    Stream.catchAll(stream, (error) => (error.reason === "EmptyBody" ? Stream.empty : Stream.fail(error))),
    longest,
    tooLong
  ).pipe(
    Effect.map(
      (text): CleanAnswer => ({
        headers,
        json: text === "" ? Option.some(null) : redaction.json(text),
        status
      })
    )
  )
