import * as Either from "effect/Either"
import { joined } from "./Body.ts"
import { acceptedCodings } from "./Codings.ts"
import { type Fault, type OutboundRequest, protocol } from "./Outbound.ts"

/** Fields that this client sets itself or never sends: framing, connection and credentials. */
const withheld = new Set([
  "accept-encoding",
  "authorization",
  "connection",
  "content-length",
  "cookie",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

const isToken = /^[\w!#$%&'*+.^`|~-]+$/

// Matches visible characters of ISO 8859-1 with spaces and tabs between them (RFC 9110 §5.5).
const isValue = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/

const isTarget = /^[\x21-\x7e]+$/

const utf8 = new TextEncoder()

/** The text as ISO 8859-1. For pure ASCII the bytes equal UTF-8, which the encoder writes in one call. */
const bytesOf = (text: string) => {
  const bytes = utf8.encode(text)
  return bytes.length === text.length ? bytes : Uint8Array.from(text, (character) => character.charCodeAt(0))
}

/** The bytes of the whole request: HTTP/1.1 with an unchanged body. */
export const encode = (request: OutboundRequest): Either.Either<Uint8Array, Fault> => {
  const { url, method, body } = request
  const target = `${url.pathname}${url.search}`
  const named = Object.entries(request.headers ?? {}).filter(([name]) => !withheld.has(name.toLowerCase()))
  const given = [
    ...named,
    ...(request.authorization === undefined ? [] : [["Authorization", request.authorization] as const]),
    ...(request.cookies === undefined ? [] : [["Cookie", request.cookies] as const])
  ]
  const bad = given.find(([name, value]) => !isToken.test(name) || !isValue.test(value))
  if (bad !== undefined)
    return Either.left(protocol(`The request header ${JSON.stringify(bad[0])} contains characters that cannot be sent`))
  if (!isTarget.test(target))
    return Either.left(protocol("The path of the URL contains characters that cannot be sent"))
  const fields = [
    ["Host", url.host],
    ...given,
    ["Accept-Encoding", request.decode ? acceptedCodings : "identity"],
    ...(method === "POST" || body !== undefined ? [["Content-Length", `${body?.length ?? 0}`]] : []),
    ...(request.reuse === true ? [] : [["Connection", "close"]])
  ]
  const head = bytesOf(
    `${method} ${target} HTTP/1.1\r\n${fields.map((field) => `${field.join(": ")}\r\n`).join("")}\r\n`
  )
  return Either.right(body === undefined ? head : joined(head, body))
}
