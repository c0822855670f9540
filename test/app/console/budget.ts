import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { Assets } from "../../../src/app/console/Bundle.ts"
import { shell } from "../../../src/app/console/Console.ts"
import { represented } from "../../../src/app/server/Answers.ts"

/** Maximum bytes of page, script and style of all screens together, as sent. */
export const budget = 40_960

const sent = (text: string, coding: string) => {
  const request = new Request("http://node/console", { headers: { "accept-encoding": coding } })
  return represented(HttpServerRequest.fromWeb(request), HttpServerResponse.text(text), true).pipe(
    Effect.map(({ body }) => (body._tag === "Uint8Array" ? body.body.length : 0)),
    Effect.runPromise
  )
}

/** Bytes of the page and everything it loads, as sent to a browser on another machine, which accepts only gzip over plain HTTP. */
export const sentBytes = async ({ script, style }: Assets) => {
  const parts = await Promise.all([shell("/console"), script, style].map((text) => sent(text, "gzip")))
  const [page = 0, ofScript = 0, ofStyle = 0] = parts
  return { all: page + ofScript + ofStyle, page, script: ofScript, style: ofStyle }
}
