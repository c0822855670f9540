import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { accepted } from "./Accepted.ts"
import { Exchange } from "./Exchange.ts"

/** What a list is answered in: a page of it as JSON, or the whole of it as CSV or NDJSON. */
export type Format = "application/json" | "text/csv" | "application/x-ndjson"

/** JSON is the answer also where the caller accepts nothing that there is, as RFC 9110 §12.5.1 allows. */
const usual: Format = "application/json"
const exports: ReadonlyArray<Format> = ["text/csv", "application/x-ndjson"]

/** The format of an answer: the one with the greatest weight, JSON before the others where they weigh the same. */
export const formatOf = (header: string | undefined): Format => {
  if (header === undefined) return usual
  const weights = accepted(header)
  const weightOf = (format: Format) =>
    weights.get(format) ?? weights.get(format.replace(/\/.*/, "/*")) ?? weights.get("*/*") ?? 0
  return exports.reduce((best, format) => (weightOf(format) > weightOf(best) ? format : best), usual)
}

/** The format that the request asks for. Whatever is answered then says that it depends on `Accept`. */
export const negotiated = Effect.map(Effect.context<HttpServerRequest.HttpServerRequest>(), (context) => {
  Context.get(context, Exchange).headers.vary = "Accept"
  return formatOf(Context.get(context, HttpServerRequest.HttpServerRequest).headers.accept)
})

/** Marks an endpoint whose list is also answered whole, as CSV and NDJSON. */
export class Exportable extends Context.Tag("http/Exportable")<Exportable, true>() {}

/** The mark, for a contract. */
export const exportable = Context.make(Exportable, true)
