import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { nearest } from "../../foundation/text/Words.ts"

/** Unknown parameters that are named, and characters of a name that are shown. */
const atMost = 10
const longest = 100

/** A warning for each parameter of a request that its endpoint does not know, with the nearest one that it does. */
export const unknownParameters = (
  sent: Readonly<Record<string, unknown>>,
  known: ReadonlyArray<string>
): ReadonlyArray<string> =>
  Object.keys(sent)
    .filter((name) => !known.includes(name))
    .slice(0, atMost)
    .map((name) => {
      const shown = name.slice(0, longest)
      const meant = nearest(shown, known)
      return `The parameter ${shown} is unknown and has no effect${meant === undefined ? "" : `; the nearest is ${meant}`}`
    })

const Tail = Schema.parseJson(
  Schema.Struct(
    { meta: Schema.Struct({}, { key: Schema.String, value: Schema.Unknown }) },
    { key: Schema.String, value: Schema.Unknown }
  )
)
const tailOf = Schema.decodeUnknownOption(Tail)
const metaKey = '"meta":{'

/** The text of an answer with warnings in its `meta`. A key cannot stand in a text of JSON, so the last `meta` is the answer's own when what follows is all there is. */
const warned = (text: string, warnings: ReadonlyArray<string>): string => {
  const at = text.lastIndexOf(metaKey)
  const tail = at === -1 ? Option.none() : tailOf(`{${text.slice(at)}`)
  return Option.match(tail, {
    onNone: () => `${text.slice(0, -1)},"meta":${JSON.stringify({ warnings })}}`,
    onSome: (own) => `${text.slice(0, at)}${JSON.stringify({ ...own, meta: { ...own.meta, warnings } }).slice(1)}`
  })
}

/** Adds warnings to an answer that has `data`; any other answer stays as it is. */
export const withWarnings = (
  response: HttpServerResponse.HttpServerResponse,
  warnings: ReadonlyArray<string>
): HttpServerResponse.HttpServerResponse => {
  const { body, status } = response
  if (warnings.length === 0 || status >= 300 || body._tag !== "Uint8Array") return response
  if (!body.contentType.startsWith("application/json")) return response
  const text = new TextDecoder().decode(body.body)
  if (!text.startsWith('{"data":')) return response
  return HttpServerResponse.setBody(response, HttpBody.text(warned(text, warnings), body.contentType))
}
