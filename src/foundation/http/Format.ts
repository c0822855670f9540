import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { CurrentRequest } from "./ServerContext.ts"

/** The format of a list: a page as JSON, or the whole list as CSV or NDJSON. */
export type Format = "application/json" | "text/csv" | "application/x-ndjson"

/** JSON is also the answer to a caller who accepts none of the formats, as RFC 9110 §12.5.1 allows. */
const usual: Format = "application/json"
const exports: ReadonlyArray<Format> = ["text/csv", "application/x-ndjson"]

/** The format with the greatest weight; JSON wins ties. */
export const formatOf = (header: string | undefined): Format => {
  if (header === undefined) return usual
  const weights = accepted(header)
  const weightOf = (format: Format) =>
    weights.get(format) ?? weights.get(format.replace(/\/.*/, "/*")) ?? weights.get("*/*") ?? 0
  return exports.reduce((best, format) => (weightOf(format) > weightOf(best) ? format : best), usual)
}

/** The format that the request asks for. The answer then varies by `Accept`. */
export const negotiated = Effect.map(Effect.context<HttpServerRequest.HttpServerRequest>(), (context) => {
  Context.get(context, CurrentRequest).headers.vary = "Accept"
  return formatOf(Context.get(context, HttpServerRequest.HttpServerRequest).headers.accept)
})

/** Marks an endpoint whose whole list is also available as CSV and NDJSON. */
export class Exportable extends Context.Tag("http/Exportable")<Exportable, true>() {}

/** The mark, for a contract. */
export const exportable = Context.make(Exportable, true)

const nothing: ReadonlyMap<string, number> = new Map()

/** The values of an `Accept` header with their weights (RFC 9110 §12.4.2); other parameters are left out. */
export const accepted = (header: string | undefined): ReadonlyMap<string, number> =>
  header === undefined
    ? nothing
    : new Map(
        header.split(",").map((part) => {
          const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
          const weight = parameters.find((text) => text.startsWith("q="))?.slice(2)
          return [name, weight === undefined ? 1 : Number(weight)] as const
        })
      )
